"""What is known of commits under test: colour, the failures that count, and those whose job passed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from sqlalchemy.orm import Session

from app.domain.commit_state import CommitState, TestedAttempt, commit_state, unread_keys
from app.store.screens import attempt_lines, failure_lines
from app.store.screens.attempt_lines import AttemptLine
from app.store.screens.failure_lines import FailureLine

FAILURES_READ: Final = 400

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """`lines` are the attempts at the commit, newest first, at least one.

    `told` are the failures that count; `passed_over` those in runs that are green all the same.
    """

    lines: Sequence[AttemptLine]
    state: CommitState
    unread: frozenset[int]
    """Keys of attempts that are not read yet and may change the colour."""
    told: Sequence[FailureLine]
    passed_over: Sequence[FailureLine]
    is_cut: bool
    """Whether there may be more failures than were read."""


def read_commits(session: Session, found: Mapping[Key, Sequence[AttemptLine]]) -> dict[Key, CommitFacts]:
    """Three statements, however many commits there are."""
    heard = [line for lines in found.values() for line in lines]
    borne_out = {line.key: line for line in attempt_lines.borne_out(session, heard)}
    tested = {key: tested_by([borne_out[line.key] for line in lines]) for key, lines in found.items()}
    states = {key: commit_state(attempts) for key, attempts in tested.items()}
    attempts = [
        line.key
        for key, lines in found.items()
        for line in lines
        if line.run in states[key].told | states[key].passed
    ]
    standing = attempt_lines.current_jobs(session, attempts)
    failures = failure_lines.of_attempts(session, attempts, limit=FAILURES_READ)
    by_attempt: dict[int, list[FailureLine]] = {}
    for failure in failures:
        if failure.job in standing:
            by_attempt.setdefault(failure.attempt, []).append(failure)
    return {
        key: CommitFacts(
            lines=lines,
            unread=unread_keys(tested[key], {line.key for line in lines if line.judged_at is not None}),
            state=states[key],
            told=_of_runs(states[key].told, lines, by_attempt),
            passed_over=_of_runs(states[key].passed, lines, by_attempt),
            is_cut=len(failures) >= FAILURES_READ,
        )
        for key, lines in found.items()
    }


def tested_by(lines: Sequence[AttemptLine]) -> list[TestedAttempt]:
    return [
        TestedAttempt(
            key=line.key,
            run=line.run,
            workflow=line.workflow_id,
            event=line.event,
            sha=line.head_sha,
            conclusion=line.conclusion,
            at=line.started_at,
        )
        for line in lines
    ]


def _of_runs(
    runs: frozenset[int], lines: Sequence[AttemptLine], by_attempt: Mapping[int, Sequence[FailureLine]]
) -> list[FailureLine]:
    return [failure for line in lines if line.run in runs for failure in by_attempt.get(line.key, ())]
