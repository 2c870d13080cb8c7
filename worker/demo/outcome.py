"""What the demo came to: what the service stored, and what GitHub holds, as CONTRACTS shapes it."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from app.domain.evidence import Observation
from app.domain.ids import RepoName, Sha
from app.domain.outcome import OutcomeKind
from app.settings import Settings
from app.standin.server import StandIn
from app.standin.webhooks import Mailbox
from app.standin.writes import What
from app.store import failures, groups, identities, replays, reports, repos, runs
from app.store.groups import StoredGroup
from app.store.observations import Observations, observe
from app.store.session import read_only
from worker.demo import facts
from worker.report_lines import failure_lines, told_executions

LISTED = 1000
SINCE_EVER = facts.SINCE_EVER


@dataclass(frozen=True, slots=True)
class Outcome:
    """`plain` is the object that `demo --json` prints."""

    plain: dict[str, Any]

    @property
    def comment(self) -> str:
        return str(self.plain["comment"]["body"])


def collect(store: Engine, settings: Settings, standin: StandIn, mailbox: Mailbox) -> Outcome:
    with read_only(store) as session:
        repo = repos.key_of(session, RepoName(facts.REPO))
        assert repo is not None, "the story's repository was recorded"
        found = groups.newest(session, repo=repo, limit=LISTED)
        plain = {
            "groups": [_group(session, group) for group in found],
            "verdicts": _verdicts(session, repo),
            "comment": _comment(standin),
            "alert": _alert(session, repo),
            "webhooks": {"sent": len(mailbox.sent), "distinct": mailbox.distinct},
            "duplicate_effects": standin.duplicate_effects,
            "replays": _replays(session, repo),
            "pages": _pages(session, settings, repo, found),
        }
    return Outcome(plain)


def _group(session: Session, group: StoredGroup) -> dict[str, Any]:
    """The group's failures, and the passes of the same test and variant at their commits, oldest first."""
    observations = Observations(session)
    seen: dict[tuple[int, int, int], Observation] = {}
    label = ""
    for failure in failures.of_group(session, group.id, since=SINCE_EVER, limit=LISTED):
        execution = observations.execution(failure.job)
        failed = observe(execution, failure.outcome)
        found = [failed]
        if failure.test is not None:
            label = identities.by_key(session, {failure.test})[failure.test].label
            at_head = observations.at_head(failure.repo, execution.job.variant_id, failed.sha)
            tested = observations.of_test(failure.test, at_head)
            found += [one for one in tested if one.outcome is OutcomeKind.PASSED]
        seen |= {(one.run, one.attempt, one.job_id): one for one in found}
    return {
        "test": label,
        "signature": group.key,
        "observations": [
            _observation(one) for one in sorted(seen.values(), key=lambda one: (one.at, one.run))
        ],
    }


def _observation(seen: Observation) -> dict[str, Any]:
    return {
        "run": seen.run,
        "attempt": seen.attempt,
        "job": seen.job,
        "sha": seen.sha,
        "event": seen.event,
        "outcome": seen.outcome.value,
    }


def _verdicts(session: Session, repo: int) -> list[dict[str, Any]]:
    """The verdicts on the pull request's failures: those that its comment tells."""
    attempts = runs.attempts_at(session, repo, Sha(facts.HEAD))
    return [
        {
            "test": line.test,
            "kind": line.verdict.kind.value,
            "strength": line.verdict.strength.value,
            "whose": line.verdict.whose.value,
            "reasons": [{"text": one.text, "runs": list(one.runs)} for one in line.verdict.reasons],
            "gaps": [
                {"kind": gap.kind.value, "subject": gap.subject, "detail": gap.detail}
                for gap in line.verdict.gaps
            ],
            "opaque": line.verdict.opaque,
        }
        for line in failure_lines(session, told_executions(session, attempts))
    ]


def _comment(standin: StandIn) -> dict[str, Any]:
    talk = standin.state.talk
    repository = standin.state.repository(facts.REPO)
    writes = [write for write in standin.writes if write.ours and write.number == facts.PULL]
    held = [one for one in talk.comments_on(repository, facts.PULL) if one.author == standin.state.login]
    return {
        "body": held[0].body if held else None,
        "creates": sum(1 for write in writes if write.what is What.COMMENT_CREATED),
        "updates": sum(1 for write in writes if write.what is What.COMMENT_EDITED),
    }


def _alert(session: Session, repo: int) -> dict[str, Any]:
    found = reports.newest_alerts(session, repo=repo, limit=1)
    if not found:
        return {"state": "none", "opened_on": None, "history": []}
    alert = found[0]
    history = [
        {
            "step": event.step.value,
            "sha": event.sha,
            "run": event.run,
            "at": event.at.isoformat(),
            "text": event.text,
        }
        for event in alert.history
    ]
    return {"state": alert.state.value, "opened_on": alert.opened_on, "history": history}


def _replays(session: Session, repo: int) -> list[dict[str, Any]]:
    """What jobs of the pull request's head uploaded."""
    attempts = [one.id for one in runs.attempts_at(session, repo, Sha(facts.HEAD))]
    return [
        {
            "test": one.claim.test,
            "verdict": one.claim.verdict.value,
            "cause": {
                "kind": one.claim.cause.value,
                "rank": one.claim.rank,
                "sentence": one.claim.cause_sentence,
            },
            "bundle": f"{one.artifact_name}/{one.folder}".rstrip("/"),
        }
        for found in replays.of_attempts(session, attempts).values()
        for one in found
    ]


def _pages(session: Session, settings: Settings, repo: int, found: list[StoredGroup]) -> list[str]:
    """The first screen, the tests, and the pull request's failure with what hides its cause."""
    tests = sorted({group.test for group in found if group.test is not None})
    attempts = {one.id for one in runs.attempts_at(session, repo, Sha(facts.HEAD))}
    failed = [one.id for one in failures.of_attempts(session, attempts)]
    paths = [
        "/",
        "/tests",
        *(f"/tests/{test}" for test in tests),
        *(f"/failures/{failure}" for failure in sorted(failed)),
    ]
    return [f"{settings.dashboard_url}{path}" for path in paths]
