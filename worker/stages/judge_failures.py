"""Fifth stage: judge the failures of an attempt, and again those that its results throw light on."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from app.domain.evidence import Evidence
from app.domain.judge import judge
from app.domain.policy import VerdictPolicy
from app.domain.verdict import Verdict
from app.store import evidence_json, recording, runs, verdicts
from app.store.commit_index import CommitIndex
from app.store.failures import StoredFailure
from app.store.outbox import ask
from app.store.run_values import StoredAttempt
from app.store.session import read_only, unit_of_work
from app.store.verdicts import Judgement
from worker.deps import Deps, Payload
from worker.stage_orders import report_orders
from worker.weighing.affected import affected_failures
from worker.weighing.gather import Gatherer
from worker.weighing.history import History, Question, ask_github

PART = 200
"""Failures whose verdicts are written in one transaction: others wait for the lock no longer than that."""


@dataclass(frozen=True, slots=True)
class Judged:
    failure: StoredFailure
    verdict: Verdict
    facts: dict[str, Any]


def judge_failures(deps: Deps, payload: Payload) -> None:
    """Judge without the store's lock, and write in parts; the last one marks the attempt as judged.

    Safe to repeat, also after a death between two parts: a verdict is stored only where it differs from the
    last one on that failure, and each part orders the reports that it changes.
    """
    with read_only(deps.store) as session:
        attempt = runs.attempt(session, payload["attempt"])
        parts = list(in_parts(affected_failures(session, attempt, deps.policy)))
    judging = _Judging(deps, attempt)
    for number, part in enumerate(parts, start=1):
        judged = judging.verdicts_on(part)
        is_last = number == len(parts)
        now = deps.clock.now()
        with unit_of_work(deps.store) as session:
            changed = record(session, judged, at=now)
            if is_last:
                recording.mark_judged(session, attempt.id, at=now)
                touched, after = [attempt, *_attempts_of(session, changed)], f"{attempt.id}"
            else:
                touched, after = _attempts_of(session, changed), f"{attempt.id}:part:{number}"
            ask(session, *report_orders(session, attempt, touched, after=after))


def in_parts(failures: Sequence[StoredFailure]) -> Iterator[Sequence[StoredFailure]]:
    """Parts in the order given, at least one. A verdict can rest on one on another mode of its test.

    So two modes of one test never share a part: the later one is judged once the earlier is written.
    """
    part: list[StoredFailure] = []
    modes: dict[int, int | None] = {}
    for one in failures:
        is_other_mode = one.test is not None and modes.get(one.test, one.group) != one.group
        if len(part) >= PART or is_other_mode:
            yield part
            part, modes = [], {}
        part.append(one)
        if one.test is not None:
            modes[one.test] = one.group
    yield part


class _Judging:
    """For one attempt. What the store does not know is asked of GitHub, each question once."""

    def __init__(self, deps: Deps, attempt: StoredAttempt) -> None:
        self._deps, self._attempt = deps, attempt
        self._index = CommitIndex(attempt.repo)
        self._asked: set[Question] = set()
        self._pulls_asked: set[int] = set()

    def verdicts_on(self, part: Sequence[StoredFailure]) -> list[Judged]:
        judged, gatherer = self._judge(part)
        questions = gatherer.history.unanswered - self._asked
        pulls = gatherer.pulls_asked - self._pulls_asked
        if not questions and not pulls:
            return judged
        ask_github(self._deps, self._attempt.repo, self._attempt.repo_name, questions, pulls)
        self._asked |= questions
        self._pulls_asked |= pulls
        return self._judge(part)[0]

    def _judge(self, part: Sequence[StoredFailure]) -> tuple[list[Judged], Gatherer]:
        with read_only(self._deps.store) as session:
            gatherer = Gatherer(session, History(session, self._index), self._deps.policy)
            return [judge_one(gatherer, one, self._deps.policy) for one in part], gatherer


def judge_one(gatherer: Gatherer, failure: StoredFailure, policy: VerdictPolicy) -> Judged:
    evidence: Evidence = gatherer.evidence(failure)
    return Judged(failure, judge(evidence, policy), evidence_json.to_json(evidence))


def record(session: Session, judged: Sequence[Judged], *, at: datetime) -> list[StoredFailure]:
    """Write verdicts; return the failures on which the verdict is new."""
    told = [Judgement(one.failure.id, one.verdict, one.facts) for one in judged]
    changed = verdicts.record_changes(session, told, at=at)
    return [one.failure for one in judged if one.failure.id in changed]


def judge_attempt(
    session: Session,
    attempt: StoredAttempt,
    index: CommitIndex,
    policy: VerdictPolicy,
    *,
    at: datetime,
    is_news: bool = True,
) -> list[StoredFailure]:
    """Judge in one transaction from what the store knows; return the failures whose verdict is new."""
    gatherer = Gatherer(session, History(session, index), policy)
    changed: list[StoredFailure] = []
    for part in in_parts(affected_failures(session, attempt, policy, is_news=is_news)):
        changed += record(session, [judge_one(gatherer, one, policy) for one in part], at=at)
    recording.mark_judged(session, attempt.id, at=at)
    return changed


def _attempts_of(session: Session, changed: Iterable[StoredFailure]) -> list[StoredAttempt]:
    return [runs.attempt(session, key) for key in sorted({one.attempt for one in changed})]
