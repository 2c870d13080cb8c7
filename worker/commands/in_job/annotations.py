"""Remarks at the lines that failed: where the origin raised, in the project's own files."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from app.domain.replay_words import ReplayVerdict
from app.domain.wording import counted
from app.domain.workflow_command import Annotation, Level
from worker.commands.in_job.advice import verdict_word
from worker.commands.in_job.told import JobReport
from worker.replay.facts import Frame
from worker.replay.report import Replay

_SITE: Final = re.compile(r"(?P<file>[^\n]{1,1000}?):(?P<line>[0-9]{1,7}) in ")
_PYTEST_END: Final = re.compile(r"^(?P<file>[^\s:][^\n:]{0,1000}):(?P<line>[0-9]{1,7}): ", re.MULTILINE)
_TEXT_CHARS: Final = 20_000
_FAILED: Final = frozenset(
    {ReplayVerdict.CONFIRMED_FLAKE, ReplayVerdict.DETERMINISTIC, ReplayVerdict.REPRODUCED_ONCE}
)


def annotations(report: JobReport) -> Iterator[Annotation]:
    """An error for each test that failed again, a warning or notice for others. Not bounded in number."""
    for one in report.replayed:
        yield _of(one.replay, report.project)
    if report.not_tried:
        count = counted(len(report.not_tried), "red test")
        yield Annotation(Level.NOTICE, "flake-triage", f"{count} not replayed; the summary says why.")
    for note in report.notes:
        yield Annotation(Level.WARNING, "flake-triage", note)


def _of(replay: Replay, project: str) -> Annotation:
    cause = replay.explanation.cause
    place = _place(replay)
    file = place[0] if place else replay.test.partition("::")[0]
    rank = "" if cause.rank is None else f" in rank {cause.rank}"
    name = replay.test.rpartition("::")[2]
    said = cause.sentence or replay.sentence
    return Annotation(
        _level(replay),
        f"{cause.kind.value}{rank}: {name}" if cause.sentence else f"{verdict_word(replay)}: {name}",
        f"{said}\n{verdict_word(replay)}: {replay.sentence}" if cause.sentence else said,
        str(PurePosixPath(project) / file),
        place[1] if place else None,
    )


def _level(replay: Replay) -> Level:
    if replay.verdict in _FAILED:
        return Level.ERROR
    return Level.WARNING if replay.verdict is ReplayVerdict.OTHER_FAILURE else Level.NOTICE


def _place(replay: Replay) -> tuple[str, int] | None:
    """Of the origin's innermost frame in the project; else where the test itself says that it failed."""
    cause = replay.explanation.cause
    frames = cause.exception.frames if cause.exception else ()
    own = [frame for frame in frames if frame.in_project]
    if own:
        return _of_frame(own[-1])
    site = (
        _SITE.match(cause.collective.call_site) if cause.collective and cause.collective.call_site else None
    )
    if site:
        return site["file"], int(site["line"])
    test = replay.test.partition("::")[0]
    for trial in replay.trials:
        ends = [end for end in _PYTEST_END.finditer(trial.failure_text[-_TEXT_CHARS:]) if end["file"] == test]
        if trial.outcome.is_failure and ends:
            return test, int(ends[-1]["line"])
    return None


def _of_frame(frame: Frame) -> tuple[str, int]:
    return frame.file, frame.line
