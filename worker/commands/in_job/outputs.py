"""Outputs of the step for those after it: short words of the main test, and all tests as JSON."""

import json
from pathlib import Path
from typing import Final

from worker.commands.in_job.told import JobReport, Replayed

MOST_TESTS: Final = 100


def outputs(report: JobReport, out: Path, summary: Path) -> dict[str, str]:
    """Names and values. `verdict`, `cause` and `rank` are empty where there is none."""
    main = report.main
    cause = main.replay.explanation.cause if main else None
    return {
        "verdict": main.replay.verdict.value if main else "",
        "cause": cause.kind.value if cause else "",
        "rank": "" if cause is None or cause.rank is None else str(cause.rank),
        "test": main.replay.test if main else "",
        "bundle": str(out),
        "summary": str(summary),
        "tests": json.dumps([_told(one) for one in report.replayed[:MOST_TESTS]]),
    }


def _told(one: Replayed) -> dict[str, object]:
    replay = one.replay
    return {
        "test": replay.test,
        "verdict": replay.verdict.value,
        "cause": replay.explanation.cause.kind.value,
        "rank": replay.explanation.cause.rank,
        "bundle": str(replay.bundle) if replay.bundle else None,
    }
