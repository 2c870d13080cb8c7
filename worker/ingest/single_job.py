"""One job execution told by options: named files must be there, and what is left out has a default."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from app.domain.completeness import shortfall
from app.domain.errors import Rejected
from app.domain.results.formats import read_results
from app.domain.results.results_file import ReadStatus
from app.domain.run import TESTS_A_MERGE, TESTS_THE_PUSHED_COMMIT, Conclusion
from app.store.artifacts import FileKind
from worker.ingest.manifest import Entry, entry_of
from worker.ingest.sources import named_files, obstacle

WORKFLOW = "tests"
BRANCH = "main"
MOST_DOUBTS = 3


def entry_from_options(options: Mapping[str, Any], *, default_branch: str | None, now: datetime) -> Entry:
    """Raise Rejected for files that cannot be read and for facts that are wrong or missing, all in one.

    The options bear the names of a manifest's fields.
    """
    _require_files(options)
    told = _with_defaults(options, default_branch or BRANCH, now)
    doubt = None
    if told["conclusion"] is None:
        told["conclusion"], doubt = _told_by_results(options["paths"])
    try:
        return entry_of(told, where="the command line", folder=Path())
    except Rejected as refused:
        if doubt is not None and "conclusion" in refused.subject:
            raise Rejected(refused.subject, f"{refused.reason}; {doubt}") from None
        raise


def _require_files(options: Mapping[str, Any]) -> None:
    """A mistyped name must not become a failed job without results."""
    named = [*options["paths"], *([options["log"]] if options["log"] is not None else ())]
    wrong = [f"{path}: {why}" for path in named if (why := obstacle(Path(path))) is not None]
    if wrong:
        raise Rejected("files", f"nothing was stored: {'; '.join(wrong)}")


def _with_defaults(options: Mapping[str, Any], branch: str, now: datetime) -> dict[str, Any]:
    told = dict(options)
    event = told["event"] or ("push" if told["pr"] is None else TESTS_A_MERGE)
    told["event"] = event
    told["workflow"] = told["workflow"] or WORKFLOW
    told["branch"] = told["branch"] or (branch if event in TESTS_THE_PUSHED_COMMIT else None)
    told["started_at"] = told["started_at"] or now.isoformat()
    return told


def _told_by_results(paths: Sequence[str]) -> tuple[str | None, str | None]:
    """The conclusion, or none and why not: what was not read or is not listed may hide a failure."""
    count, doubts = 0, []
    for path in paths:
        for name, place, kind in named_files(Path(), path):
            if kind is not FileKind.RESULTS:
                continue
            with place.open("rb") as file:
                reading = read_results(file)
            if any(result.outcome.kind.is_red for result in reading.results):
                return Conclusion.FAILURE.value, None
            if reading.status is not ReadStatus.COMPLETE:
                doubts.append(f"{name}: {reading.reason or '; '.join(reading.problems[:1])}")
            elif (lacking := shortfall(reading)) is not None:
                doubts.append(f"{name}: {lacking}")
            count += len(reading.results)
    if count and not doubts:
        return Conclusion.SUCCESS.value, None
    why = "; ".join(doubts[:MOST_DOUBTS]) or "no result was found"
    return None, f"the results do not tell the conclusion ({why})"
