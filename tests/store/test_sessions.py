"""Transactions and column types: all or nothing, and no time without a zone."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from desk import NOON
from fixtures_postgres import driven
from sqlalchemy import Engine, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, StatementError

from app.domain.ids import RepoName, Sha
from app.store import commits, repos
from app.store.commits import CommitFacts, CommitRow
from app.store.repos import RepoRow
from app.store.session import one_statement, open_engine, read_only, sqlite_url, unit_of_work
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
    is_refused = app_store.dialect.name == "postgresql"
    with read_only(app_store) as session, pytest.raises(DBAPIError) if is_refused else nullcontext():
        repos.remember(session, RepoName("octo/lib"))
    with read_only(app_store) as session:
        assert repos.key_of(session, RepoName("octo/lib")) is None


def test_one_statement_is_written_and_holds_no_lock_after_it(app_store: Engine) -> None:
    remember(app_store, NOON)
    with one_statement(app_store) as session:
        session.execute(update(CommitRow).values(subject="told"))
        if app_store.dialect.name == "sqlite":
            with unit_of_work(app_store) as other:
                repos.remember(other, RepoName("octo/other"))
    with read_only(app_store) as session:
        assert session.scalars(select(CommitRow.subject)).all() == ["told"]


def test_foreign_keys_are_enforced(app_store: Engine) -> None:
    with pytest.raises(IntegrityError), unit_of_work(app_store) as session:
        commits.remember(session, 99, [CommitFacts(Sha("a" * 40))])


def test_two_writers_take_turns(app_store: Engine, app_url: str) -> None:
    impatient = open_engine(app_url, busy_s=0)
    with unit_of_work(app_store) as first:
        repos.remember(first, RepoName("octo/lib"))
        with pytest.raises(OperationalError, match="lock"), unit_of_work(impatient) as second:
            second.execute(text("SELECT 1"))
    with unit_of_work(impatient) as second:
        assert repos.key_of(second, RepoName("octo/lib")) is not None
    impatient.dispose()


def test_writer_that_waited_sees_what_the_one_before_it_wrote(app_store: Engine) -> None:
    """Both ask before they write; had they done so at the same time, both would have made the row."""
    both_began = threading.Barrier(2)

    def add_one() -> None:
        both_began.wait()
        for _ in range(20):
            with unit_of_work(app_store) as session:
                row = session.scalars(select(RepoRow)).one()
                row.github_id = (row.github_id or 0) + 1

    with unit_of_work(app_store) as session:
        repos.remember(session, RepoName("octo/lib"))
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(add_one), pool.submit(add_one)]:
            done.result()
    with read_only(app_store) as session:
        assert session.scalars(select(RepoRow.github_id)).one() == 40


def test_a_stricter_default_of_the_server_shows_no_writer_an_old_state(postgres_url: str) -> None:
    strict = f"{driven(postgres_url)}&options=-c%20default_transaction_isolation%3Dserializable"
    engine = open_engine(strict)
    with unit_of_work(engine) as session:
        assert session.execute(text("SHOW transaction_isolation")).scalar_one() == "read committed"
    engine.dispose()


def test_reader_sees_one_state_from_its_first_look_on(app_store: Engine) -> None:
    with read_only(app_store) as reader:
        assert repos.key_of(reader, RepoName("octo/lib")) is None
        with unit_of_work(app_store) as writer:
            repos.remember(writer, RepoName("octo/lib"))
        assert repos.key_of(reader, RepoName("octo/lib")) is None


def test_what_forbids_a_write_is_asked_at_its_begin_and_leaves_the_turn_to_others(
    app_store: Engine, app_url: str
) -> None:
    def refuse() -> None:
        raise PermissionError

    without_lease = open_engine(app_url, before_write=refuse)
    with read_only(without_lease) as session:
        assert repos.key_of(session, RepoName("octo/lib")) is None
    with pytest.raises(PermissionError), unit_of_work(without_lease) as session:
        repos.remember(session, RepoName("octo/lib"))
    with unit_of_work(app_store) as session:
        assert repos.key_of(session, RepoName("octo/lib")) is None
    without_lease.dispose()


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
