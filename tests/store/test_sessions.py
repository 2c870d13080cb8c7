"""Transactions and column types: all or nothing, and no time without a zone."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from desk import NOON
from sqlalchemy import Engine, select
from sqlalchemy.exc import IntegrityError, OperationalError, StatementError

from app.domain.ids import RepoName, Sha
from app.store import commits, repos
from app.store.commits import CommitFacts, CommitRow
from app.store.session import open_engine, read_only, sqlite_url, unit_of_work
from app.store.upsert import chunks, insert_missing, insert_or_update


def remember(store: Engine, at: datetime) -> None:
    with unit_of_work(store) as session:
        repo = repos.remember(session, RepoName("octo/lib"))
        commits.remember(session, repo, [CommitFacts(Sha("a" * 40), committed_at=at)])


def stored(store: Engine) -> list[datetime | None]:
    with read_only(store) as session:
        return list(session.scalars(select(CommitRow.committed_at)))


def test_a_time_comes_back_in_utc(app_store: Engine) -> None:
    remember(app_store, NOON.astimezone(timezone(timedelta(hours=-8))))
    assert stored(app_store) == [NOON]
    assert stored(app_store)[0].tzinfo is UTC  # type: ignore[union-attr]  # just seen to be there


def test_a_time_without_a_zone_is_refused_and_nothing_is_stored(app_store: Engine) -> None:
    with pytest.raises(StatementError, match="refusing a time without zone"):
        remember(app_store, NOON.replace(tzinfo=None))
    with read_only(app_store) as session:
        assert repos.key_of(session, RepoName("octo/lib")) is None


def test_a_reader_waits_for_no_writer_and_sees_the_state_before(app_store: Engine) -> None:
    remember(app_store, NOON)
    with unit_of_work(app_store) as writer:
        repos.remember(writer, RepoName("octo/other"))
        with read_only(app_store) as reader:
            assert repos.key_of(reader, RepoName("octo/other")) is None


def test_a_reader_keeps_nothing_that_it_writes(app_store: Engine) -> None:
    with read_only(app_store) as session:
        repos.remember(session, RepoName("octo/lib"))
    with read_only(app_store) as session:
        assert repos.key_of(session, RepoName("octo/lib")) is None


def test_foreign_keys_are_enforced(app_store: Engine) -> None:
    with pytest.raises(IntegrityError), unit_of_work(app_store) as session:
        commits.remember(session, 99, [CommitFacts(Sha("a" * 40))])


def test_two_writers_take_turns(app_store: Engine) -> None:
    with app_store.connect() as first, app_store.connect() as second:
        second.exec_driver_sql("ROLLBACK")
        first.exec_driver_sql("SELECT 1")
        second.connection.cursor().execute("PRAGMA busy_timeout=1")
        with pytest.raises(OperationalError, match="locked"):
            second.exec_driver_sql("BEGIN IMMEDIATE")
        first.rollback()


def test_no_rows_are_no_statement(app_store: Engine) -> None:
    with unit_of_work(app_store) as session:
        assert insert_missing(session, CommitRow, [], unique=["repo_id", "sha"]) == 0
        insert_or_update(session, CommitRow, [], unique=["repo_id", "sha"], replace=["sha"])


def test_only_missing_rows_are_counted(app_store: Engine) -> None:
    remember(app_store, NOON)
    rows = [{"repo_id": 1, "sha": letter * 40} for letter in "abc"]
    with unit_of_work(app_store) as session:
        assert insert_missing(session, CommitRow, rows, unique=["repo_id", "sha"]) == 2


def test_chunks_leave_nothing_out() -> None:
    assert [list(chunk) for chunk in chunks(range(5), 2)] == [[0, 1], [2, 3], [4]]


def test_each_connection_keeps_no_more_pages_than_it_was_given(tmp_path: Path) -> None:
    engine = open_engine(sqlite_url(tmp_path / "small.db"), cache_mb=3)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA cache_size").scalar_one() == -3 * 1024, "in kibibytes"
    engine.dispose()
