"""Fifth stage: judge the failures of an attempt, and again those that its results throw light on."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.orm import Session

from app.domain.evidence import Evidence
from app.domain.judge import judge
from app.domain.policy import VerdictPolicy
from app.domain.run import TESTS_THE_PUSHED_COMMIT
from app.store import evidence_json, repos, runs, verdicts
from app.store.commit_index import CommitIndex
from app.store.failures import StoredFailure
from app.store.outbox import Order, ask
from app.store.runs import StoredAttempt
from app.store.session import read_only, unit_of_work
from worker.deps import Deps, Payload
from worker.weighing.affected import affected_failures
from worker.weighing.gather import Gatherer
from worker.weighing.history import History, ask_github


def judge_failures(deps: Deps, payload: Payload) -> None:
    """Safe to repeat: a verdict is stored only where it differs from the last one on that failure."""
    with read_only(deps.store) as session:
        attempt = runs.attempt(session, payload["attempt"])
        index = CommitIndex(attempt.repo)
        gatherer = Gatherer(session, History(session, index), deps.policy)
        for failure in affected_failures(session, attempt, deps.policy):
            gatherer.evidence(failure)
    if gatherer.history.unanswered or gatherer.pulls_asked:
        ask_github(deps, attempt.repo, attempt.repo_name, gatherer.history.unanswered, gatherer.pulls_asked)
    now = deps.clock.now()
    with unit_of_work(deps.store) as session:
        changed = judge_attempt(session, attempt, index, deps.policy, at=now)
        ask(session, *_reports(session, attempt, changed))


def judge_attempt(
    session: Session, attempt: StoredAttempt, index: CommitIndex, policy: VerdictPolicy, *, at: datetime
) -> list[StoredFailure]:
    """Judge from what the store knows; return the failures on which the verdict is new."""
    gatherer = Gatherer(session, History(session, index), policy)
    changed: list[StoredFailure] = []
    for failure in affected_failures(session, attempt, policy):
        evidence: Evidence = gatherer.evidence(failure)
        verdict = judge(evidence, policy)
        facts = evidence_json.to_json(evidence)
        if verdicts.record_change(session, failure.id, verdict, facts=facts, at=at):
            changed.append(failure)
    runs.mark_judged(session, attempt.id, at=at)
    return changed


def _reports(session: Session, attempt: StoredAttempt, changed: Iterable[StoredFailure]) -> list[Order]:
    """One order for each pull request and branch whose report may have to change."""
    touched = [attempt, *(runs.attempt(session, key) for key in {one.attempt for one in changed})]
    pulls = {one.pull for one in touched if one.pull is not None}
    main = repos.default_branch(session, attempt.repo)
    branches = {
        one.head_branch for one in touched if one.head_branch == main and one.event in TESTS_THE_PUSHED_COMMIT
    }
    orders = [
        Order(
            key=f"comment:{attempt.repo}:{pull}:after:{attempt.id}",
            stage="publish_comment",
            payload={"schema": 1, "repo": attempt.repo, "pull": pull},
            partition=f"{attempt.repo}:pull:{pull}",
        )
        for pull in sorted(pulls)
    ]
    return orders + [
        Order(
            key=f"alert:{attempt.repo}:{branch}:after:{attempt.id}"[:300],
            stage="publish_alert",
            payload={"schema": 1, "repo": attempt.repo, "branch": branch},
            partition=f"{attempt.repo}:branch:{branch}"[:400],
        )
        for branch in sorted(branches)
    ]
