"""The story of a replay for a terminal: what failed where, how sure that is, and under which limits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.wording import counted
from worker.replay.facts import Frame, Linked
from worker.replay.report import Replay
from worker.replay.trial import Explained, Thrown, Trial, Window

MOST_FRAMES = 12
MOST_LINKED = 6
MOST_LINES = 40
MOST_REASONS = 3
ENDS = ("end: ", "interrupted: ")
"""How the plan's last words begin: why there was no further trial."""


class Tone(StrEnum):
    """How a line is meant; a terminal with colours shows it."""

    HEAD = "bold"
    PLAIN = ""
    BAD = "red"
    SOFT = "dim"


@dataclass(frozen=True, slots=True)
class Line:
    words: str
    tone: Tone = Tone.PLAIN


def story(replay: Replay) -> Iterator[Line]:
    """Lines of text as tests and logs wrote it: whoever prints them has to make them harmless."""
    yield Line(replay.test, Tone.HEAD)
    yield Line(f"{replay.verdict.value}: {replay.sentence}", Tone.HEAD)
    yield from _cause(replay.explanation.cause)
    if replay.explanation.timeline and replay.explanation.cause.kind.value == "not-explained":
        yield Line("What the ranks did", Tone.HEAD)
        yield from (Line(f"  {one}") for one in replay.explanation.timeline[-MOST_LINES:])
    for finding in replay.findings:
        yield Line(f"{finding.kind.value}: {finding.text}")
    for other in replay.collateral:
        yield Line(f"another failure, not this one: {other.kind.value}: {other.sentence}")
    matched = replay.explanation.matched
    if matched:
        told = ", ".join(f"{count} on {group}" for group, count in matched.items())
        yield Line(f"Matched collectives: {told}")
    yield from _not_run(replay.trials)
    yield from arm_lines(replay)
    yield from (Line(f"No further trial: {_end(one)}") for one in replay.decisions if one.startswith(ENDS))
    yield from _held(replay.trials)


def arm_lines(replay: Replay) -> Iterator[Line]:
    """Failures of trials for each arm, and which limit flips the outcome; nothing where no trial counts."""
    if not replay.bound.trials:
        return
    yield Line(
        "Failures of trials, by arm (probed: with our probe in every process; bare: without)", Tone.HEAD
    )
    for arm in replay.arms:
        void = f", {arm.voids} void" if arm.voids else ""
        bare = [f"bare {arm.bare_failures} of {arm.bare_trials}"] if arm.bare_trials else []
        probed = [f"probed {arm.probed_failures} of {arm.probed_trials}"] if arm.probed_trials else []
        told = ", ".join([*bare, *probed]) or "none that counts"
        yield Line(f"  {arm.arm.value:<12} {told}{void}, {arm.seconds:.1f} s")
    bound = replay.bound
    yield Line(
        f"  together {bound.failures} of {bound.trials}: a rate between {100 * bound.rate_low_95:.1f} % and "
        f"{100 * bound.rate_high_95:.1f} % (95 % confidence)"
    )
    for one in replay.sensitivity:
        yield Line(f"  {one.text}")


def _end(decision: str) -> str:
    """Why the plan ended, without the word that says so in its own list."""
    end, interrupted = ENDS
    return "it was interrupted" if decision.startswith(interrupted) else decision.removeprefix(end)


def _not_run(trials: Sequence[Trial]) -> Iterator[Line]:
    """Why trials ran nothing or are void, each reason once."""
    reasons = list(dict.fromkeys(one.reason for one in trials if one.reason and not one.outcome.counts))
    yield from (Line(f"  {one}", Tone.BAD) for one in reasons[:MOST_REASONS])
    if len(reasons) > MOST_REASONS:
        yield Line(f"  and {counted(len(reasons) - MOST_REASONS, 'other reason')}")


def _cause(cause: Explained) -> Iterator[Line]:
    if not cause.sentence:
        return
    yield Line(f"{cause.kind.value}: {cause.sentence}", Tone.BAD)
    if cause.exception is not None:
        yield from _thrown(cause.exception)
    if cause.window is not None:
        yield from _window(cause.window)
    for one in cause.consequences:
        if one not in cause.sentence:
            yield Line(f"  then {one}")


def _thrown(thrown: Thrown) -> Iterator[Line]:
    yield from _raised(f"{thrown.type}: {thrown.message}" if thrown.message else thrown.type, thrown.frames)
    cause, context = thrown.cause, thrown.context
    for _ in range(MOST_LINKED):
        link, how = (cause, "its cause") if cause is not None else (context, "while this was being handled")
        if link is None:
            return
        yield from _linked(link, how)
        cause, context = link.cause, link.context


def _linked(link: Linked, how: str) -> Iterator[Line]:
    yield from _raised(f"{how}: {link.type}: {link.message}", link.frames)


def _raised(words: str, frames: Sequence[Frame]) -> Iterator[Line]:
    first, *rest = words.splitlines() or [""]
    yield Line(f"  {first}")
    yield from (Line(f"    {one}") for one in rest[:MOST_LINES])
    yield from _stack(frames)


def _window(window: Window) -> Iterator[Line]:
    yield Line("  A mend must stand")
    if window.after:
        yield Line(f"    after  {window.after}")
    if window.before:
        yield Line(f"    before {window.before}")
    for rank, frames in sorted(window.frames_by_rank.items()):
        yield Line(f"  rank {rank} at that moment")
        yield from _stack(frames)


def _stack(frames: Sequence[Frame]) -> Iterator[Line]:
    """The project's own and the innermost; all of a stack that never was in the project."""
    last = len(frames) - 1
    own = [one for index, one in enumerate(frames) if one.in_project or index == last]
    shown = (own if any(one.in_project for one in frames) else list(frames))[-MOST_FRAMES:]
    if len(shown) < len(frames):
        yield Line(f"      {counted(len(frames) - len(shown), 'other frame')} not shown", Tone.SOFT)
    for frame in shown:
        source = f": {frame.source}" if frame.source else ""
        yield Line(f"      {frame.file}:{frame.line} in {frame.function}{source}", Tone.SOFT)


def _held(trials: Sequence[Trial]) -> Iterator[Line]:
    """What the limits were worth, once for each way they were held."""
    for held in dict.fromkeys(one.held for one in trials):
        yield Line(
            f"Limits by {held.by}: CPU {held.cpus.value}, memory {held.memory.value}, processes "
            f"{held.processes.value}; isolated by {held.isolation}",
            Tone.SOFT,
        )
        yield from (Line(f"  {note}", Tone.SOFT) for note in held.notes)
    unclean = [one for one in trials if not one.cleanup.is_clean]
    if unclean:
        yield Line(f"Something was left behind by {counted(len(unclean), 'trial')}; the bundle says what.")
    elif trials:
        yield Line(f"Nothing was left behind by {counted(len(trials), 'trial')}.", Tone.SOFT)
