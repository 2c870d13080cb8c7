"""One order of all events of a trial: the raw lines that stand where no cause fits."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from worker.replay.explain.aftermath import signal_name
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import MOST_NAME, clean, exception, operation, place
from worker.replay.facts import Collective, Frame, Source

MOST_LINES: Final = 400
_FIRST_LINES: Final = 100
_LONGEST: Final = 400


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """Something that happened: `t` in ns of the machine's clock; ties are broken by process and words."""

    t: int
    pid: int
    text: str


def moments(scene: Scene) -> tuple[Moment, ...]:
    """All events of all processes, in order. Ties do not depend on the order of the facts."""
    return tuple(sorted(set(_all(scene))))


def timeline(scene: Scene) -> tuple[str, ...]:
    """`+1.250 s rank 0: ...`, from the trial's beginning; of too many lines the first and the last."""
    found = moments(scene)
    lines = [
        f"+{(one.t - scene.facts.began) / 1e9:.3f} s {scene.ranks.name(one.pid)}: {one.text}" for one in found
    ]
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    left_out = len(lines) - MOST_LINES
    kept = MOST_LINES - _FIRST_LINES
    return (*lines[:_FIRST_LINES], f"... {left_out} events left out ...", *lines[-kept:])


def _all(scene: Scene) -> Iterator[Moment]:
    yield from _life(scene)
    yield from _calls(scene)
    yield from _words(scene)
    yield from _signals(scene)


def _life(scene: Scene) -> Iterator[Moment]:
    facts = scene.facts
    for process in facts.processes:
        argv = clean(" ".join(process.argv), MOST_NAME)
        yield Moment(process.started, process.pid, f"began ({process.began}) {argv}".rstrip())
        if process.work_done_at is not None:
            yield Moment(process.work_done_at, process.pid, "its work was done")
        if process.exiting_at is not None:
            yield Moment(process.exiting_at, process.pid, "its interpreter began to exit")
    for end in facts.exits:
        how = signal_name(end.signal) if end.signal is not None else f"exit code {end.code}"
        yield Moment(end.t, end.pid, f"ended: {how}{', by the end of the trial' if end.by_us else ''}")
    for survivor in facts.survivors:
        yield Moment(facts.ended, survivor.pid, f"still alive: {clean(' '.join(survivor.argv), MOST_NAME)}")


def _calls(scene: Scene) -> Iterator[Moment]:
    facts = scene.facts
    for init in facts.inits:
        yield Moment(init.t_in, init.pid, f"init_process_group began{_at(init.site)}")
        if init.t_out is not None:
            yield Moment(init.t_out, init.pid, f"init_process_group {_ended(init.error)}")
    for down in facts.teardowns:
        yield Moment(down.t_in, down.pid, f"destroy_process_group of {clean(down.group, MOST_NAME)}")
    for call in facts.collectives:
        name = _name(call)
        yield Moment(call.t_in, call.pid, f"entered {name}{_at(call.site)}")
        if call.t_out is not None:
            yield Moment(call.t_out, call.pid, f"{name} {_ended(call.error)}")
    for store in facts.store_calls:
        name = f"store.{clean(store.op, MOST_NAME)}({clean(store.key, MOST_NAME)!r})"
        yield Moment(store.t_in, store.pid, f"{name}{_at(store.site)}")
        if store.t_out is not None and store.error is not None:
            yield Moment(store.t_out, store.pid, f"{name} failed")


def _words(scene: Scene) -> Iterator[Moment]:
    for raised in scene.facts.raised:
        said = exception(raised.type, raised.message)
        frame = raised.frames[-1] if raised.frames else None
        yield Moment(raised.t, raised.pid, f"{raised.seen}: {said}{_at(frame)}")
    for item in scene.facts.items:
        what = "put" if item.is_put else "took"
        kind = "a traceback" if item.holds_traceback else "an item"
        yield Moment(item.t, item.pid, f"{what} {kind}: {clean(item.text, MOST_NAME)}{_at(item.site)}")
    for phase in scene.facts.phases:
        yield Moment(
            phase.t,
            phase.pid,
            f"{clean(phase.when, MOST_NAME)} {phase.outcome} {clean(phase.crash)}".rstrip(),
        )
    for wait in scene.facts.lock_waits:
        yield Moment(
            wait.t, wait.pid, f"thread {clean(wait.thread, MOST_NAME)} waits for a lock{_at(wait.site)}"
        )


def _signals(scene: Scene) -> Iterator[Moment]:
    for sent in scene.facts.sent:
        target = scene.ranks.name(sent.target)
        state = f", which was in state {clean(sent.target_state, 8)}" if sent.target_state else ""
        yield Moment(
            sent.t, sent.sender, f"sent {signal_name(sent.signal)} to {target}{state}{_at(sent.site)}"
        )
    for pause in scene.facts.pauses:
        yield Moment(
            pause.t_in, pause.pid, f"paused by the arm for {(pause.t_out - pause.t_in) / 1e6:.0f} ms"
        )


def _name(call: Collective) -> str:
    counted = " (flight recorder)" if call.source is Source.FLIGHT_RECORDER else ""
    return clean(f"{clean(call.group, MOST_NAME)} {call.number} {operation(call)}{counted}", _LONGEST)


def _ended(error: int | None) -> str:
    return "ended" if error is None else "failed"


def _at(frame: Frame | None) -> str:
    return f" at {place(frame)}" if frame else ""
