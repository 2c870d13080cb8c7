"""A removal of many attempts in many tasks: none looks again at what the one before was done with."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from bench import NOON, Bench
from sqlalchemy import event, insert, select

from app.store import retention
from app.store.named_runs import NamedRunRow
from app.store.repos import PullRow, RepoRow
from app.store.retention import Place
from app.store.runs import AttemptRow, RunRow
from app.store.session import read_only, unit_of_work
from worker.housekeeping.horizon import Horizon
from worker.housekeeping.orders import reached_before, removal_order
from worker.housekeeping.removal import Reached, Removal

YEAR_AGO = NOON - timedelta(days=365)
MANY = retention.ATTEMPTS_AT_ONCE + 50


@pytest.fixture
def many(bench: Bench) -> Bench:
    """Attempts 1 to MANY, two recorded at each second, of runs 1001 and so on; a new one holds the keys."""
    with unit_of_work(bench.store) as session:
        session.execute(insert(RepoRow), [{"id": 1, "full_name": "o/r", "shown_name": "o/r"}])
        session.execute(insert(RunRow), [_run(key) for key in range(1, MANY + 2)])
        old = [_attempt(key, YEAR_AGO + timedelta(seconds=key // 2)) for key in range(1, MANY + 1)]
        session.execute(insert(AttemptRow), [*old, _attempt(MANY + 1, NOON)])
    return bench


def _run(key: int) -> dict[str, object]:
    return {
        "id": key, "repo_id": 1, "github_id": 1000 + key, "workflow_id": 1, "workflow": "ci", "event": "push",
        "head_sha": f"{key:040x}", "head_branch": "topic", "pull": 7, "from_fork": False, "url": "",
        "created_at": YEAR_AGO,
    }  # fmt: skip


def _attempt(key: int, at: datetime) -> dict[str, object]:
    return {
        "id": key, "run_id": key, "number": 1, "conclusion": "failure", "started_at": at, "completed_at": at,
        "recorded_at": at, "judged_at": at,
    }  # fmt: skip


def open_pull(bench: Bench) -> None:
    """All runs are of it, so all attempts stay."""
    row = {
        "repo_id": 1, "number": 7, "title": "", "author": "ann", "head_sha": "a" * 40, "head_branch": "topic",
        "base_branch": "main", "is_open": True, "merged_at": None,
    }  # fmt: skip
    with unit_of_work(bench.store) as session:
        session.execute(insert(PullRow), [row])


def removal(bench: Bench, reached: Reached | None = None) -> Removal:
    horizon = Horizon.seen_from(NOON, bench.settings)
    return Removal(bench.store, bench.deps.inbox, horizon, reached=reached, rest=lambda _s: None)


def left(bench: Bench) -> set[int]:
    with read_only(bench.store) as session:
        return set(session.scalars(select(AttemptRow.id)))


@contextmanager
def statements_of(bench: Bench) -> Iterator[list[str]]:
    """The statements sent meanwhile."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        seen.append(statement)

    event.listen(bench.store, "before_cursor_execute", note)
    yield seen
    event.remove(bench.store, "before_cursor_execute", note)


def test_attempts_that_stay_are_looked_at_once_however_many_tasks_it_takes(many: Bench) -> None:
    open_pull(many)
    reached: Reached | None = None
    seen = []
    while True:
        _, reached = removal(many, reached).run(chunks=1)
        if reached is None:
            break
        seen.append((reached.step, reached.after.attempt if reached.after else None))
    at_once = retention.ATTEMPTS_AT_ONCE
    through = [at_once, MANY]
    assert seen == [("attempts", key) for key in through] + [("texts", key) for key in through]
    assert left(many) == set(range(1, MANY + 2))


def test_a_part_goes_on_where_the_one_before_ended() -> None:
    """The order names it, so another worker can have the next part."""
    assert reached_before(removal_order("2026-11-30").payload) is None
    for reached in (Reached(), Reached("texts"), Reached("attempts", Place(NOON, 500))):
        order = removal_order("2026-11-30", part=2, reached=reached)
        assert reached_before(json.loads(json.dumps(order.payload))) == reached


def test_no_part_reads_the_evidence_of_all_others(many: Bench) -> None:
    with statements_of(many) as seen:
        removal(many).run(chunks=1)
    reading = [one for one in seen if one.startswith("SELECT")]
    assert not [one for one in reading if "FROM evidence" in one or "JOIN evidence" in one]
    assert all(
        "LIMIT" in one for one in reading if "ORDER BY attempts.recorded_at" in one and " IN " not in one
    )


def test_evidence_of_an_attempt_that_goes_as_well_holds_nothing_wherever_it_is(many: Bench) -> None:
    """Attempt 1 is named by one of a later look; 2 by one that stays; 3 by itself."""
    naming = {1: MANY - 1, 2: MANY + 1, 3: 3}
    with unit_of_work(many.store) as session:
        rows = [{"repo_id": 1, "run": 1000 + run, "attempt_id": by} for run, by in naming.items()]
        session.execute(insert(NamedRunRow), rows)
    assert removal(many).would_go().rows["attempts"] == MANY - 1
    removal(many).run()
    assert left(many) == {2, MANY + 1}
    with read_only(many.store) as session:
        assert list(session.scalars(select(NamedRunRow.run))) == [1002]
