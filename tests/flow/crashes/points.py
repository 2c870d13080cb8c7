"""The points at which processes are killed, chosen from the moments that an undisturbed play passes."""

from collections.abc import Sequence
from dataclasses import dataclass

from worker.stages import PIPELINE

BY = ("inbox_writer", "relay", "engine", "start")
"""Who writes outside a task."""

AT_NIGHT = frozenset({"remove_old"})
"""Stages that no delivery leads to; they begin minutes after the worker, once a day."""

REQUESTS = (
    "POST /repos/acme/gefen/issues/*/comments",
    "PATCH /repos/acme/gefen/issues/comments/*",
    "POST /repos/acme/gefen/issues",
    "PATCH /repos/acme/gefen/issues/*",
)
"""Everything that we have GitHub do."""


@dataclass(frozen=True, slots=True)
class Point:
    """End the process that passes this moment first, from the beginning of this chapter on."""

    moment: str
    chapter: int

    def __str__(self) -> str:
        return f"chapter {self.chapter}, {self.moment}"


def points_of(chapters: Sequence[Sequence[str]]) -> list[Point]:
    """Each moment in the first chapter that passes it and, where that is another one, in the last.

    What is done by the clock comes in no certain chapter, and is waited for from the beginning.
    """
    chapters = _paired(chapters)
    passed = dict.fromkeys(moment for chapter in chapters for moment in chapter)
    return [
        Point(moment, number)
        for moment in passed
        for number in (
            sorted({_first(chapters, moment), _last(chapters, moment)}) if _has_a_cause(moment) else [0]
        )
    ]


def missing(points: Sequence[Point]) -> list[str]:
    """Who and what should be among the moments and is not: an empty or a thin list must not pass."""
    moments = {point.moment for point in points}
    wanted = [f"{one}: writes |{when}" for one in BY for when in ("before", "after")]
    wanted += [
        f"{stage}, by |: writes |{when}"
        for stage in PIPELINE.keys() - AT_NIGHT
        for when in ("before", "after")
    ]
    wanted += [f": {asked}| {when}" for asked in REQUESTS for when in ("before", "done, its answer not read")]
    return [one for one in wanted if not any(_matches(moment, one.split("|")) for moment in moments)]


def _paired(chapters: Sequence[Sequence[str]]) -> list[list[str]]:
    """With each "after" in the chapter of its "before".

    A chapter ends when the store is quiet, and that is seen before the writer notes that its commit is done.
    """
    told: list[list[str]] = []
    for chapter in chapters:
        own: list[str] = []
        for moment in chapter:
            name, _, when = moment.rpartition(" | ")
            is_left_over = when == "after" and told and f"{name} | before" not in own
            (told[-1] if is_left_over else own).append(moment)
        told.append(own)
    return told


def _has_a_cause(moment: str) -> bool:
    """Whether it follows from a delivery or from the start of a process."""
    return ", by " in moment or moment.startswith(BY)


def _matches(moment: str, parts: Sequence[str]) -> bool:
    return all(part in moment for part in parts)


def _first(chapters: Sequence[Sequence[str]], moment: str) -> int:
    return next(number for number, chapter in enumerate(chapters) if moment in chapter)


def _last(chapters: Sequence[Sequence[str]], moment: str) -> int:
    return max(number for number, chapter in enumerate(chapters) if moment in chapter)
