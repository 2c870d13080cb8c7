"""Failures, comments and alerts for tests of telling, with only what a test is about spelled out."""

from datetime import timedelta

from evidence_builders import (
    FAILURE,
    HEAD,
    MAIN,
    NOON,
    ON_MAIN,
    OPAQUE,
    PASS_SAME_TREE,
    POLICY,
    base,
    evidence,
    failed_elsewhere,
    flipped_elsewhere,
    repeats,
    seen,
    streak,
)

from app.domain.failure_entry import FailureLine
from app.domain.ids import RepoName
from app.domain.judge import judge
from app.domain.main_alert import AlertEvent, AlertStep, AllClear, Candidate, MainAlert
from app.domain.pull_comment import PullComment
from app.domain.verdict import Verdict

GEFEN = RepoName("o/gefen")
DASHBOARD = "http://127.0.0.1:8077/o/gefen/pull/83"

NEW = judge(evidence(), POLICY)
REGRESSION = judge(evidence(base=base(passes=20), same_code=repeats(2)), POLICY)
UNDECIDED = judge(evidence(failed_before=1), POLICY)
LIKELY_FLAKE = judge(evidence(same_code=(PASS_SAME_TREE,)), POLICY)
KNOWN_FLAKE = judge(evidence(same_code=(PASS_SAME_TREE,), recurrences=(failed_elsewhere(),)), POLICY)
SEEN_ELSEWHERE = judge(evidence(recurrences=(failed_elsewhere(),)), POLICY)
OPAQUE_FLAKE = judge(evidence(signature=OPAQUE, same_code=(PASS_SAME_TREE,)), POLICY)
SUSPECTED_ON_MAIN = judge(
    evidence(
        change=ON_MAIN,
        failure=seen(sha=MAIN),
        signature=OPAQUE,
        flips_elsewhere=(flipped_elsewhere(sha=HEAD),),
    ),
    POLICY,
)
BROKEN_MAIN = judge(evidence(change=ON_MAIN, failure=seen(sha=MAIN), main_streak=streak(3)), POLICY)


def failure(
    verdict: Verdict = NEW,
    *,
    test: str = "tests/test_dcp.py::test_handoff[cpu]",
    title: str = "ValueError: bad shape",
    excerpt: str = "E   ValueError: bad shape (2, 3)",
    group: str | None = None,
    cluster: str | None = None,
    **place: object,
) -> FailureLine:
    return FailureLine(
        test=test,
        title=title,
        excerpt=excerpt,
        verdict=verdict,
        seen=seen(**place) if place else FAILURE,
        group=group or f"group of {test}",
        cluster=cluster,
    )


def comment(*failures: FailureLine, **facts: object) -> PullComment:
    known: dict[str, object] = {
        "repo": GEFEN,
        "number": 83,
        "head_sha": HEAD,
        "verdicts": failures,
        "dashboard_url": DASHBOARD,
    }
    return PullComment(**{**known, **facts})


def alert(*failures: FailureLine, **facts: object) -> MainAlert:
    known: dict[str, object] = {
        "repo": GEFEN,
        "branch": "main",
        "red_since": MAIN,
        "opened_at": NOON,
        "failures": failures,
        "dashboard_url": "http://127.0.0.1:8077/o/gefen",
        "candidates": (Candidate(MAIN, "Merge pull request #83", "ann"),),
        "last_green": HEAD,
        "history": (AlertEvent(NOON, AlertStep.OPENED, MAIN, "1 failure", 100),),
    }
    return MainAlert(**{**known, **facts})


CLEAR_AT = AllClear(sha=HEAD, run=120, at=NOON + timedelta(hours=3, minutes=5))
