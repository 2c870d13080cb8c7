"""What an attempt proves by its jobs: a red one stays red until it passes, and skipped is not passed."""

import pytest

from app.domain.commit_state import SeenJob
from app.domain.run import Conclusion
from app.domain.run_conclusion import SeenAttempt, by_their_jobs

RED, GREEN = Conclusion.FAILURE, Conclusion.SUCCESS
CANCELLED, SKIPPED = Conclusion.CANCELLED, Conclusion.SKIPPED


def told(*attempts: tuple[Conclusion | None, dict[str, Conclusion | None]]) -> list[Conclusion | None]:
    """The conclusions of the attempts of one run, each told by what GitHub says of it and of its jobs."""
    seen = [SeenAttempt(number, 7, number, said) for number, (said, _) in enumerate(attempts, start=1)]
    jobs = [
        SeenJob(100 * number + place, 7, number, name, ended)
        for number, (_, own) in enumerate(attempts, start=1)
        for place, (name, ended) in enumerate(own.items())
    ]
    return [by_their_jobs(reversed(seen), jobs)[one.key] for one in seen]


def test_jobs_that_agree_change_nothing() -> None:
    assert told((RED, {"a": RED, "b": GREEN}), (GREEN, {"a": GREEN})) == [RED, GREEN]
    assert told((None, {"a": None})) == [None]
    assert told((RED, {}), (GREEN, {})) == [RED, GREEN]


@pytest.mark.parametrize("said", [CANCELLED, SKIPPED, Conclusion.NEUTRAL])
def test_red_job_makes_a_run_red_whatever_it_is_called(said: Conclusion) -> None:
    assert told((said, {"a": RED, "b": CANCELLED})) == [RED]
    assert told((said, {"a": Conclusion.TIMED_OUT})) == [RED]


@pytest.mark.parametrize("again", [{"a": SKIPPED, "b": GREEN}, {"a": CANCELLED, "b": GREEN}, {"b": GREEN}])
def test_rerun_succeeds_only_for_the_jobs_that_it_ran(again: dict[str, Conclusion | None]) -> None:
    first: tuple[Conclusion | None, dict[str, Conclusion | None]] = (RED, {"a": RED, "b": RED})
    assert told(first, (GREEN, again), (GREEN, {"a": GREEN})) == [RED, RED, GREEN]


def test_job_that_was_allowed_to_fail_leaves_nothing_red() -> None:
    assert told((GREEN, {"a": RED, "b": GREEN}), (GREEN, {"b": GREEN})) == [GREEN, GREEN]


def test_cancelled_rerun_decides_nothing_by_itself() -> None:
    assert told((RED, {"a": RED}), (CANCELLED, {"a": CANCELLED})) == [RED, CANCELLED]


def test_success_in_which_every_job_was_skipped_is_none() -> None:
    assert told((GREEN, {"a": SKIPPED, "b": SKIPPED})) == [SKIPPED]
    assert told((GREEN, {"a": SKIPPED, "b": GREEN})) == [GREEN]
