"""One entry for each exception object of a process, however often and wherever the probe met it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from worker.replay.explain.background import STRENGTH, Habit, is_background
from worker.replay.explain.consequences import Lost, last_name, lost_of
from worker.replay.explain.sentences import (
    MOST_MESSAGE,
    MOST_NAME,
    clean,
    innermost_of_project,
    place,
    stable_place,
)
from worker.replay.explain.sentences import exception as exception_words
from worker.replay.facts import Frame, Linked, Raised, Seen, TrialFacts
from worker.replay.trial import Thrown

MOST_FRAMES: Final = 60
MOST_KNOWN: Final = 400
"""Exceptions of one process that are compared with each other; of more, the first and the last are kept."""
_DEEPEST: Final = 8
_IN_USE: Final = ("eaddrinuse", "address already in use")
_EADDRINUSE: Final = 98
_LEAVING: Final = {
    "SystemExit",
    "GeneratorExit",
    "StopIteration",
    "StopAsyncIteration",
    "CancelledError",
    "Exit",
}
"""Ways of leaving, not of failing. pytest's own `Exit` and asyncio's cancellation among them."""


@dataclass(frozen=True, slots=True)
class Known:
    """An exception with all that was seen of it. `began` is when the first of its chain was met here."""

    raised: Raised  # the fullest sight of it, its `t` the first and its `seen` the furthest
    began: int
    lost: Lost | None
    is_background: bool

    @property
    def pid(self) -> int:
        return self.raised.pid

    @property
    def is_own(self) -> bool:
        """Neither a consequence of another process nor background nor a way of leaving."""
        return self.lost is None and not self.is_background and last_name(self.raised.type) not in _LEAVING

    @property
    def got_out(self) -> bool:
        """It left its function, or was reported: more than a handler that dealt with it."""
        return self.raised.seen is not Seen.HANDLED

    @property
    def is_assertion(self) -> bool:
        return last_name(self.raised.type) in {"AssertionError", "Failed"}

    @property
    def is_port_in_use(self) -> bool:
        return _is_in_use(self.raised)

    @property
    def frame(self) -> Frame | None:
        frames = self.raised.frames
        return innermost_of_project(frames) or (frames[-1] if frames else None)

    @property
    def place(self) -> str | None:
        return stable_place(self.frame)

    def words(self) -> str:
        """`ValueError: no packing fits at tests/test_a.py:16 in _estimate`."""
        at = f" at {place(self.frame)}" if self.frame else ""
        return exception_words(self.raised.type, self.raised.message) + at


def know_exceptions(facts: TrialFacts, habits: Mapping[Habit, int]) -> tuple[Known, ...]:
    """All exceptions in order of time, each once."""
    sights: dict[tuple[int, int, str, str], list[Raised]] = defaultdict(list)
    for raised in facts.raised:
        sights[raised.pid, raised.identity, raised.type, raised.message].append(raised)
    by_pid: dict[int, list[Known]] = defaultdict(list)
    for known in sorted((_merge(group, habits) for group in sights.values()), key=_order):
        by_pid[known.pid].append(known)
    half = MOST_KNOWN // 2
    kept = (
        one
        for each in by_pid.values()
        for one in (each if len(each) <= MOST_KNOWN else each[:half] + each[-half:])
    )
    return tuple(sorted(kept, key=_order))


def outermost(known: Iterable[Known]) -> tuple[Known, ...]:
    """Those that are not merely the cause or context of a later one, each `began` with its chain."""
    each = sorted(known, key=_order)
    kept: list[Known] = []
    behind: set[int] = set()
    for at, inner in enumerate(each):
        for outer in each[at + 1 :]:
            if outer.pid == inner.pid and _stands_behind(inner.raised, outer.raised):
                behind.add(at)
                break
    for at, outer in enumerate(each):
        if at not in behind:
            chain = [
                one.began
                for one in each[:at]
                if one.pid == outer.pid and _stands_behind(one.raised, outer.raised)
            ]
            kept.append(replace(outer, began=min([outer.began, *chain])))
    return tuple(kept)


def thrown(known: Known) -> Thrown:
    """The exception as a report shows it, its texts bounded and on one line each."""
    raised = known.raised
    return Thrown(
        clean(raised.type, MOST_NAME),
        clean(raised.message, 4 * MOST_MESSAGE),
        _shown_link(raised.cause, 0),
        _shown_link(raised.context, 0),
        shown_frames(raised.frames),
    )


def shown_frames(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """At most so many frames, the innermost kept, their texts bounded."""
    return tuple(
        Frame(
            clean(one.file, MOST_MESSAGE),
            one.line,
            clean(one.function, MOST_NAME),
            clean(one.source, MOST_MESSAGE) if one.source else None,
            one.in_project,
        )
        for one in frames[-MOST_FRAMES:]
    )


def _shown_link(link: Linked | None, depth: int) -> Linked | None:
    if link is None or depth >= _DEEPEST:
        return None
    return Linked(
        clean(link.type, MOST_NAME),
        clean(link.message, 4 * MOST_MESSAGE),
        shown_frames(link.frames),
        _shown_link(link.cause, depth + 1),
        _shown_link(link.context, depth + 1),
    )


def _merge(sights: Sequence[Raised], habits: Mapping[Habit, int]) -> Known:
    ordered = sorted(sights, key=lambda one: (one.t, STRENGTH[one.seen], repr(one)))
    fullest = max(ordered, key=lambda one: (one.cause is not None, one.context is not None, len(one.frames)))
    furthest = max(ordered, key=lambda one: STRENGTH[one.seen])
    merged = replace(fullest, t=ordered[0].t, seen=furthest.seen, thread=ordered[0].thread)
    errno = next((one.errno for one in ordered if one.errno is not None), None)
    merged = replace(merged, errno=errno, counters=ordered[0].counters)
    return Known(merged, merged.t, lost_of(merged), is_background(merged, habits))


def _stands_behind(inner: Raised, outer: Raised) -> bool:
    return any(link.type == inner.type and link.message == inner.message for link in _chain(outer))


def _chain(raised: Raised) -> list[Linked]:
    found: list[Linked] = []
    waiting = [link for link in (raised.cause, raised.context) if link is not None]
    while waiting and len(found) < 4 * _DEEPEST:
        link = waiting.pop()
        found.append(link)
        waiting.extend(one for one in (link.cause, link.context) if one is not None)
    return found


def _is_in_use(raised: Raised) -> bool:
    if raised.errno == _EADDRINUSE:
        return True
    said = [raised.message, *(link.message for link in _chain(raised))]
    return any(word in text[:2_000].lower() for text in said for word in _IN_USE)


def _order(known: Known) -> tuple[int, int, int, str]:
    return known.began, known.pid, known.raised.identity, repr(known.raised)
