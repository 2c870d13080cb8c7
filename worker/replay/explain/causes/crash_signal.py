"""`crash-signal`: ended by SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE that nobody sent; not when a mismatch
explains it; says whether during its work or while the interpreter exited.

Borders. What another process sent has a sender, and is no crash; what a process sends itself is one. While
exiting: the journal saw its work done or its exit begin, or faulthandler's dump of it has not one Python
frame, or a `__del__` that no other frame called. During its work: that dump has frames, or the journal saw
neither. A bare trial without a dump does not know, and the sentence says so. Exits, last words and the order
of start are enough: no journal is needed.
"""

import signal

from app.domain.replay_words import CauseKind
from worker.replay.explain.aftermath import signal_name
from worker.replay.explain.answers import Answer
from worker.replay.explain.native_dumps import frames_of_dump
from worker.replay.explain.printed import read_blocks
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import clean, innermost_of_project, place, stable_place
from worker.replay.facts import Exit, Frame
from worker.replay.joined.last_words import CRASHES

_OF_EXITING = {"_shutdown", "_exit_function", "_run_finalizers", "_python_exit", "_run_exitfuncs"}
"""Functions in which an interpreter that exits waits for its threads and runs its last calls."""


def find(scene: Scene) -> Answer | None:
    crashed = sorted(
        (one for one in scene.lives.exits.values() if one.signal in CRASHES and _nobody_sent(scene, one)),
        key=lambda one: (one.t, one.pid),
    )
    if not crashed:
        return None
    first = crashed[0]
    exiting = was_exiting(scene, first)
    frame = innermost_of_project(tuple(reversed(_fatal_frames(scene, first) or ()))) if not exiting else None
    words = last_words(scene, first)
    more = [scene.ranks.name(one.pid) for one in crashed[1:]]
    return Answer(
        CauseKind.CRASH_SIGNAL,
        (
            _died(scene, first, exiting=exiting, frame=frame),
            f"its last words: {words}" if words else "",
            f"also {', '.join(more)}" if more else "",
        ),
        pid=first.pid,
        also=tuple(one.pid for one in crashed[1:]),
        place=stable_place(frame),
        signal=first.signal,
        facts={"while_exiting": exiting, "last_words": words or None, "core_dumped": first.core_dumped},
    )


def was_exiting(scene: Scene, end: Exit) -> bool | None:
    """None where nothing tells."""
    process = scene.lives.processes.get(end.pid)
    moments = [process.exiting_at, process.work_done_at] if process else []
    if any(one is not None and one <= end.t for one in moments):
        return True
    if any(
        one.pid == end.pid and one.t_out is not None and one.t_out <= end.t for one in scene.facts.teardowns
    ):
        return True
    frames = _fatal_frames(scene, end)
    if frames is not None:
        return (
            not frames
            or frames[-1].function == "__del__"
            or any(one.function in _OF_EXITING for one in frames)
        )
    return False if process is not None and process.observed and not scene.facts.bare else None


def last_words(scene: Scene, end: Exit) -> str:
    """The line by which its end is known: what the C++ runtime said, else the last one."""
    process = scene.lives.processes.get(end.pid)
    lines = process.last_words if process else ()
    told = [line for line in lines if not line.startswith("Fatal Python error")] or list(lines)
    return clean(told[-1]) if told else ""


def _nobody_sent(scene: Scene, end: Exit) -> bool:
    return scene.lives.sender_of_end(end.pid) is None


def _fatal_frames(scene: Scene, end: Exit) -> tuple[Frame, ...] | None:
    """Frames of its dump, innermost first; empty where it has none; None where there is no dump of it."""
    dumps = [one for one in scene.stacks.get(end.pid, ()) if one.reason == "fatal"]
    if dumps:
        current = [one for one in dumps if one.is_current and one.frames]
        return tuple(frame for one in current or dumps for frame in one.frames)
    crashed = [one for one in scene.lives.exits.values() if one.signal in CRASHES]
    if len(crashed) > 1 and len({one.signal for one in crashed}) != len(crashed):
        return None
    return frames_of_dump(scene.facts.stderr_tail, end.signal or 0)


def _died(scene: Scene, end: Exit, *, exiting: bool | None, frame: Frame | None) -> str:
    name, by = scene.ranks.name(end.pid), signal_name(end.signal or 0)
    verb = "was aborted by" if end.signal == signal.SIGABRT else "died of"
    if exiting:
        # A bare trial sees of the work only what was printed: a traceback, of whomever, leaves it open.
        is_done = not scene.facts.bare or next(read_blocks(scene.facts.stderr_tail), None) is None
        return (
            f"{name} {verb} {by} (exit code {end.code}) while exiting{', after its work' if is_done else ''}"
        )
    if exiting is None:
        unseen = "whether during its work or while exiting was not seen"
        return f"{name} {verb} {by} (exit code {end.code}); {unseen}"
    return (
        f"{name} {verb} {by} (exit code {end.code}) during its work{f', in {place(frame)}' if frame else ''}"
    )
