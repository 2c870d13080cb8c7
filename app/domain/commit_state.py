"""Is a commit under test red, and which runs say so? One rule, for a pull request's comment and its page."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.branch_state import BranchState, Colour, TestedHead, branch_state
from app.domain.ids import Sha
from app.domain.run import Conclusion

_NOTHING_TO_SAY: frozenset[Conclusion | None] = frozenset({Conclusion.SKIPPED, Conclusion.NEUTRAL})
"""A workflow that chose not to look leaves nothing open; one that was cut off does."""


@dataclass(frozen=True, slots=True)
class TestedAttempt:
    """One attempt at the commit; `key` is the caller's, `run` GitHub's id of its run."""

    __test__ = False

    key: int
    run: int
    workflow: int
    event: str
    sha: Sha
    conclusion: Conclusion | None
    at: datetime


@dataclass(frozen=True, slots=True)
class CommitState:
    """`told` are the runs whose failures count; `newest` is the key of the newest attempt that decided.

    `passed` are the green runs that speak for their workflows: a test that failed there did not fail its run.
    """

    colour: Colour
    told: frozenset[int] = frozenset()
    passed: frozenset[int] = frozenset()
    newest: int | None = None


def commit_state(attempts: Sequence[TestedAttempt]) -> CommitState:
    """Judge one commit by its attempts, in any order.

    Each workflow counts once an event, as in GitHub's list of checks: a push and a pull request test
    different trees. Its newest deciding attempt speaks for it; a red run that was begun last does so too,
    for a re-run of an older run says nothing of it. A workflow that was only ever cut off is not green: its
    failures are told, and without a red elsewhere the commit's colour is not known.
    """
    by_check: dict[str, list[TestedAttempt]] = {}
    for one in attempts:
        by_check.setdefault(f"{one.workflow} {one.event}", []).append(one)
    states = {check: _state(check, seen) for check, seen in by_check.items()}
    of_last_run = [_state(check, _of_last_run(seen)) for check, seen in by_check.items()]
    runs = {one.key: one.run for one in attempts}
    red = {runs[state.streaks[0].newest.key] for state in (*states.values(), *of_last_run) if state.streaks}
    cut_off = {
        one.run
        for check, seen in by_check.items()
        if states[check].newest is None and not _NOTHING_TO_SAY.issuperset(one.conclusion for one in seen)
        for one in seen
    }
    decided = [state.newest for state in states.values() if state.newest is not None]
    passed = {runs[head.key] for head in decided if head.conclusion is Conclusion.SUCCESS}
    unless_red = Colour.GREEN if passed and not cut_off else Colour.UNKNOWN
    return CommitState(
        colour=Colour.RED if red else unless_red,
        told=frozenset(red | cut_off),
        passed=frozenset(passed),
        newest=max(decided, key=lambda head: (head.at, head.key)).key if decided else None,
    )


def _state(check: str, seen: Iterable[TestedAttempt]) -> BranchState:
    return branch_state([TestedHead(one.key, check, one.sha, one.conclusion, one.at) for one in seen])


def _of_last_run(seen: Sequence[TestedAttempt]) -> list[TestedAttempt]:
    """Attempts of the run that GitHub made last, of those that decided; its ids only ever grow."""
    last = max((one.run for one in seen if _decides(one)), default=None)
    return [one for one in seen if one.run == last]


def _decides(one: TestedAttempt) -> bool:
    return one.conclusion is not None and one.conclusion.decides


def unread_keys(attempts: Iterable[TestedAttempt], read: Collection[int]) -> frozenset[int]:
    """Keys of attempts that have ended and are not read, where nothing newer of their workflow was.

    The re-run of an older run is not newer. What they hold is not known, whatever they are called: until then
    nothing is good news.
    """
    newest: dict[tuple[int, str], TestedAttempt] = {}
    unread: list[TestedAttempt] = []
    for one in sorted(attempts, key=lambda one: (one.at, one.key)):
        check = (one.workflow, one.event)
        if one.key not in read:
            unread.append(one)
        elif _decides(one):
            newest[check] = one
    return frozenset(
        one.key
        for one in unread
        if one.conclusion not in _NOTHING_TO_SAY
        and (
            (seen := newest.get((one.workflow, one.event))) is None
            or (seen.at, seen.key) < (one.at, one.key)
            or seen.run < one.run
        )
    )


@dataclass(frozen=True, slots=True)
class SeenJob:
    """One execution of a job; `key` is the caller's."""

    key: int
    run: int
    attempt: int
    name: str
    conclusion: Conclusion | None


def standing_jobs(seen: Iterable[SeenJob]) -> frozenset[int]:
    """Keys of the executions that count: of each job of each run, those of the newest attempt that decided.

    A partial re-run lists only the jobs it repeats, so the others stand as they were; one that was cancelled
    in the re-run stands as it was too.
    """
    by_job: dict[tuple[int, str], list[SeenJob]] = {}
    for one in seen:
        by_job.setdefault((one.run, one.name), []).append(one)
    return frozenset(key for executions in by_job.values() for key in _standing(executions))


def _standing(executions: Sequence[SeenJob]) -> list[int]:
    decided = [one for one in executions if one.conclusion is not None and one.conclusion.decides]
    newest = max(one.attempt for one in decided or executions)
    return [one.key for one in decided or executions if one.attempt == newest]
