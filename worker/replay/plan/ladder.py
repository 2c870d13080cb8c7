"""Which arms a replay tries, in which order: what the original failure looks like comes first."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from app.domain.categorise import categorise
from app.domain.category import Category
from app.domain.failure_reading import read_failure
from app.domain.replay_words import Arm
from worker.replay.limits import Limits
from worker.replay.suspect import Original

_SCANNED_CHARS = 200_000


class CrashClass(Enum):
    """What the original failure points at, as far as its text tells."""

    UNKNOWN = auto()
    PORT = auto()
    TIMEOUT = auto()
    LATENCY = auto()  # a heartbeat missed, a step that took too long: something stood still for a moment
    STORE = auto()
    INIT = auto()
    CRASH = auto()  # a signal, an abort, an exit status and nothing else
    MEMORY = auto()


_LATENCY = re.compile(
    r"heart[ -]?beat|looks dead|is dead\b|unresponsive|missed \d|latenc|took \d|took too long|too slow"
    r"|stalled|step time|jitter",
    re.IGNORECASE,
)
_STORE = re.compile(
    r"TCPStore|FileStore|PrefixStore|store->|\bstore\.(?:get|set|wait|add)\b|wait timeout after",
    re.IGNORECASE,
)
_DIED = re.compile(
    r"\bSIG(?:ABRT|SEGV|BUS|ILL|FPE)\b|terminate called|Fatal Python error|core dumped|exit_?(?:code|status)",
    re.IGNORECASE,
)

_USUAL = (Arm.CPU_QUARTER, Arm.PAUSE, Arm.CPU_HALF, Arm.STORE_DELAY, Arm.CPU_1, Arm.SKEW)
"""Tightest first. Ports and memory are worth a trial only where the failure, or nothing, points elsewhere."""

_FIRST: dict[CrashClass, tuple[Arm, ...]] = {
    CrashClass.UNKNOWN: (*_USUAL, Arm.PORTS),
    CrashClass.PORT: (Arm.PORTS, *_USUAL),
    CrashClass.TIMEOUT: (Arm.CPU_QUARTER, Arm.CPU_HALF, Arm.PAUSE, Arm.SKEW, Arm.STORE_DELAY, Arm.CPU_1),
    CrashClass.LATENCY: (Arm.PAUSE, Arm.CPU_QUARTER, Arm.CPU_HALF, Arm.CPU_1, Arm.SKEW, Arm.STORE_DELAY),
    CrashClass.STORE: (Arm.STORE_DELAY, Arm.CPU_QUARTER, Arm.CPU_HALF, Arm.PAUSE, Arm.SKEW, Arm.CPU_1),
    CrashClass.INIT: (
        Arm.PAUSE,
        Arm.CPU_QUARTER,
        Arm.STORE_DELAY,
        Arm.PORTS,
        Arm.CPU_HALF,
        Arm.SKEW,
        Arm.CPU_1,
    ),
    CrashClass.CRASH: (
        *(Arm.PLAIN, Arm.PAUSE, Arm.CPU_QUARTER, Arm.CPU_HALF),
        *(Arm.STORE_DELAY, Arm.CPU_1, Arm.SKEW, Arm.PORTS),  # an exit status may hide any cause
    ),
    CrashClass.MEMORY: (Arm.MEMORY, Arm.CPU_QUARTER, Arm.PAUSE, Arm.CPU_HALF, Arm.CPU_1),
}

_TIGHTEST = (Arm.CPU_QUARTER, Arm.CPU_HALF, Arm.PAUSE, Arm.CPU_1)

_BY_CATEGORY = {
    Category.PORT_CONFLICT: CrashClass.PORT,
    Category.OOM: CrashClass.MEMORY,
    Category.CRASH_SIGNAL: CrashClass.CRASH,
    Category.TIMEOUT_HANG: CrashClass.TIMEOUT,
    Category.WORKER_TERMINATED_SLOW: CrashClass.TIMEOUT,
    Category.INIT_RENDEZVOUS: CrashClass.INIT,
}


@dataclass(frozen=True, slots=True)
class Ladder:
    """Arms in order, and why in this order. `bare_most` where what is looked for, a probe may hide."""

    arms: tuple[Arm, ...]
    why: str
    bare_most: bool = False

    @property
    def tightest(self) -> Arm:
        """The arm that leaves a test the least: what has not failed there has not failed."""
        return next((arm for arm in _TIGHTEST if arm in self.arms), self.arms[0])


def ladder_for(original: Original | None, asked: Limits) -> Ladder:
    """The order for what CI showed. An arm that would be no tighter than what the user asked is left out."""
    crash = crash_class(original)
    arms = tuple(arm for arm in _FIRST[crash] if _is_tighter(arm, asked))
    return Ladder(arms, _why(crash, arms), bare_most=crash is CrashClass.CRASH)


def crash_class(original: Original | None) -> CrashClass:
    """What the original's words point at, by the category of its root cause; words of a test's own
    detectors, and of the store, come before the category that they fall into.
    """
    if original is None:
        return CrashClass.UNKNOWN
    reading = read_failure(original.message, original.text)
    root = None if reading.cause is None else reading.cause.root
    said = "\n".join((original.message, *([root.headline] if root else ()), *reading.lines[-20:]))[
        :_SCANNED_CHARS
    ]
    category = categorise(root.type, "\n".join(root.message)) if root else Category.UNKNOWN
    if category is Category.PORT_CONFLICT:
        return CrashClass.PORT
    if _LATENCY.search(said):
        return CrashClass.LATENCY
    if category in {Category.INIT_RENDEZVOUS, Category.TIMEOUT_HANG} and _STORE.search(said):
        return CrashClass.STORE
    if category in _BY_CATEGORY:
        return _BY_CATEGORY[category]
    return CrashClass.CRASH if _DIED.search(said) else CrashClass.UNKNOWN


def _is_tighter(arm: Arm, asked: Limits) -> bool:
    cpus = {Arm.CPU_1: 1.0, Arm.CPU_HALF: 0.5, Arm.CPU_QUARTER: 0.25}.get(arm)
    return cpus is None or asked.cpus is None or cpus < asked.cpus


def _why(crash: CrashClass, arms: tuple[Arm, ...]) -> str:
    order = ", ".join(arm.value for arm in arms)
    return f"{_POINTS_AT[crash]}; the order is {order}"


_POINTS_AT = {
    CrashClass.UNKNOWN: "the original failure points at no arm, so the tightest comes first",
    CrashClass.PORT: "the original failure names an address in use, so a narrow port range comes first",
    CrashClass.TIMEOUT: "the original failure is a time-out, so CPU quotas come first",
    CrashClass.LATENCY: "the original failure tells of something that stood still, so pauses come first",
    CrashClass.STORE: "the original failure is one of the store, so delays in store operations come first",
    CrashClass.INIT: "the original failure is one of initialisation, so pauses come first",
    CrashClass.CRASH: "the original failure shows how a process ended and not why, so plain and paused trials"
    " without the probe come first",
    CrashClass.MEMORY: "the original failure tells of memory, so a memory limit comes first",
}
