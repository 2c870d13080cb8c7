"""`terminated-slow`: another process of the test (named: its parent, or a rank) ended it while it was
running and making progress.

Borders. The sender is known and is another process; the target died of that very signal. It was on a CPU,
its CPU time grew, or it slept by its own wish; a target that stood still in locks or waited for a peer is
not slow. A signal that was sent after a rank had failed by itself, or after the test had, is tearing down.
"""

import signal

from app.domain.replay_words import CauseKind
from worker.replay.explain.aftermath import signal_name
from worker.replay.explain.answers import Answer
from worker.replay.explain.lives import Lives
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import innermost_of_project, place, stable_place
from worker.replay.facts import Frame, Sent, Stack

ENDING = {int(signal.SIGTERM), int(signal.SIGKILL), int(signal.SIGINT), int(signal.SIGQUIT)}


def find(scene: Scene) -> Answer | None:
    for sent in scene.lives.sent:
        if is_slow_and_ended(scene, sent):
            return _answer(scene, sent)
    return None


def is_slow_and_ended(scene: Scene, sent: Sent) -> bool:
    failed_at = scene.test_failed_at
    return (
        sent.signal in ENDING
        and _died_of_it(scene.lives, sent)
        and (failed_at is None or sent.t <= failed_at)
        and not _had_failed_before(scene, sent)
        and not any(
            one.pid == sent.target and one.awaited and one.t_in <= sent.t <= one.until for one in scene.waits
        )
        and is_progressing(sent)
    )


def is_progressing(sent: Sent) -> bool:
    """Running, or asleep by its own wish, when the signal was sent."""
    if sent.target_state == "R" or sent.target_cpu_grew:
        return True
    return any("sleep(" in (frame.source or "") for frame in _innermost(sent.target_stacks))


def running_frame(stacks: tuple[Stack, ...]) -> Frame | None:
    """Where the project's own code was; the main thread's if it can be told."""
    first = [one for one in stacks if one.is_current or "MainThread" in one.thread] or list(stacks)
    for stack in first:
        found = innermost_of_project(tuple(reversed(stack.frames)))
        if found is not None:
            return found
    return None


def _answer(scene: Scene, sent: Sent) -> Answer:
    target, sender = scene.ranks.name(sent.target), scene.ranks.name(sent.sender)
    where = running_frame(sent.target_stacks)
    state = (
        "on a CPU"
        if sent.target_state == "R"
        else "making progress"
        if sent.target_cpu_grew
        else "asleep by its own wish"
    )
    by = signal_name(sent.signal) + (f" at {place(sent.site)}" if sent.site else "")
    within = f" in {place(where)}" if where else ""
    return Answer(
        CauseKind.TERMINATED_SLOW,
        (f"{target} was slow, not crashed: {sender} ended it by {by} while it was {state}{within}",),
        pid=sent.target,
        place=stable_place(sent.site),
        signal=sent.signal,
        facts={"sender": sender, "state": sent.target_state, "cpu_grew": sent.target_cpu_grew},
    )


def _died_of_it(lives: Lives, sent: Sent) -> bool:
    first = lives.sender_of_end(sent.target)
    return (
        sent.sender != sent.target and first is not None and first.t == sent.t and first.sender == sent.sender
    )


def _had_failed_before(scene: Scene, sent: Sent) -> bool:
    """A rank that had failed by itself makes every later signal a matter of tearing down."""
    ended_by_itself = any(
        one.code != 0
        and one.t < sent.t
        and one.pid != sent.target
        and scene.lives.sender_of_end(one.pid) is None
        for one in scene.lives.exits.values()
    )
    return ended_by_itself or any(
        one.is_own and one.got_out and one.raised.t < sent.t and one.pid != scene.facts.main
        for one in scene.exceptions
    )


def _innermost(stacks: tuple[Stack, ...]) -> list[Frame]:
    return [stack.frames[0] for stack in stacks if stack.frames]
