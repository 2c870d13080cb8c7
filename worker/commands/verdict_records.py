"""A verdict as a script reads it: the shapes of `verdicts --json` and `verdict show --json`."""

from app.domain.verdict import Verdict
from app.store.verdict_list import ListedVerdict


def listed_record(one: ListedVerdict) -> dict[str, object]:
    return {
        "id": one.id,
        "failure": one.failure,
        "repo": one.repo,
        "run": one.run,
        "attempt": one.attempt,
        "job": one.job,
        "test": one.test,
        **verdict_record(one.verdict, group=one.group),
        "at": one.at.isoformat(),
    }


def verdict_record(verdict: Verdict, **between: object) -> dict[str, object]:
    """`between` stands after `whose`."""
    return {
        "kind": verdict.kind.value,
        "strength": verdict.strength.value,
        "whose": verdict.whose.value,
        **between,
        "cause": verdict.cause,
        "reasons": [
            {
                "kind": reason.kind.value,
                "strength": reason.strength.value,
                "text": reason.text,
                "runs": list(reason.runs),
            }
            for reason in verdict.reasons
        ],
        "gaps": [
            {"kind": gap.kind.value, "subject": gap.subject, "detail": gap.detail} for gap in verdict.gaps
        ],
    }
