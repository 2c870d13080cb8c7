"""Storing deliveries together: one commit for those that wait, and each with an answer of its own."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from app.domain.errors import Unavailable
from app.domain.ids import DeliveryId
from app.inbox_writer import TOGETHER_BYTES, InboxWriter
from app.store import inbox
from app.store.inbox import DeliveryState, InboxBase, StoredDelivery
from app.store.session import open_inbox, read_only, sqlite_url

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = open_inbox(sqlite_url(tmp_path / "inbox.db"), busy_s=0.2)
    InboxBase.metadata.create_all(made)
    yield made
    made.dispose()


@pytest.fixture
def commits(engine: Engine) -> list[str]:
    seen: list[str] = []
    event.listen(engine, "commit", lambda _connection: seen.append("commit"))
    return seen


def delivery(name: str, *, body: bytes = b"{}", at: datetime = NOON) -> StoredDelivery:
    return StoredDelivery(
        DeliveryId(name),
        "workflow_run",
        None,
        None,
        DeliveryState.WAITING,
        "",
        received_at=at,
        seen=1,
        body=body,
    )


def store_all(engine: Engine, *deliveries: StoredDelivery) -> list[bool | BaseException]:
    async def together() -> list[bool | BaseException]:
        writer = InboxWriter(engine)
        waiting = (writer.store(one, {}) for one in deliveries)
        return await asyncio.gather(*waiting, return_exceptions=True)

    return asyncio.run(together())


def stored(engine: Engine) -> set[str]:
    with read_only(engine) as session:
        return set(inbox.waiting(session, limit=1000))


def test_what_waits_meanwhile_is_one_commit(engine: Engine, commits: list[str]) -> None:
    names = [f"d-{number}" for number in range(20)]
    assert store_all(engine, *map(delivery, names)) == [True] * 20
    assert stored(engine) == set(names)
    assert len(commits) <= 2


def test_a_large_body_is_committed_alone(engine: Engine, commits: list[str]) -> None:
    large = delivery("b", body=bytes(TOGETHER_BYTES))
    assert store_all(engine, delivery("a"), large, delivery("c")) == [True] * 3
    assert len(commits) >= 2


def test_one_that_came_twice_is_new_once(engine: Engine) -> None:
    assert sorted(store_all(engine, delivery("a"), delivery("a"))) == [False, True]


def test_one_that_cannot_be_written_fails_with_whoever_shares_its_commit_and_nobody_waits_on(
    engine: Engine,
) -> None:
    naive = datetime(2026, 11, 30)  # noqa: DTZ001 - what is refused
    answers = store_all(engine, delivery("a"), delivery("b", at=naive))
    assert all(isinstance(answer, Exception) for answer in answers[1:])


def test_what_a_database_refuses_of_one_is_not_held_against_the_others(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TRIGGER picky BEFORE INSERT ON deliveries WHEN NEW.guid = 'bad' "
            "BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
    good, bad, other = store_all(engine, delivery("a"), delivery("bad"), delivery("c"))
    assert (good, other) == (True, True)
    assert isinstance(bad, Unavailable)
    assert stored(engine) == {"a", "c"}


def test_a_locked_inbox_is_told_to_all_that_wait(engine: Engine) -> None:
    with engine.begin():
        answers = store_all(engine, delivery("a"), delivery("b"))
    assert all(isinstance(answer, Unavailable) for answer in answers)
    assert stored(engine) == set()
