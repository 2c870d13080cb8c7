"""`oom-kill`: the limit's own counter rose, the exit is -9, and nobody of the tree sent that signal.

Borders. All three are needed: -9 without the counter is not explained, a counter without such an exit hit a
process of no importance, and a known sender makes it `terminated-slow` or nothing. A `MemoryError` is an
exception. The victim is the largest process, not always the one that grew; the sentence says no more.
"""

import signal

from app.domain.replay_words import CauseKind
from worker.replay.explain.answers import Answer
from worker.replay.explain.scene import Scene

_MIB = 1024 * 1024


def find(scene: Scene) -> Answer | None:
    kills = scene.facts.usage.oom_kills
    if not kills:
        return None
    killed = [
        one
        for one in scene.lives.exits.values()
        if one.signal == signal.SIGKILL
        and not any(sent.target == one.pid and sent.signal == one.signal for sent in scene.lives.sent)
    ]
    if not killed:
        return None
    first = min(killed, key=lambda one: (one.t, one.pid))
    peak = scene.facts.usage.memory_peak_bytes
    return Answer(
        CauseKind.OOM_KILL,
        (
            f"{scene.ranks.name(first.pid)} was killed for memory (SIGKILL)",
            f"nobody of the test sent that signal, and the memory limit's own counter says {kills} killed",
            f"the tree's peak was {peak / _MIB:.0f} MiB" if peak is not None else "",
        ),
        pid=first.pid,
        signal=int(signal.SIGKILL),
        facts={"oom_kills": kills, "memory_peak_bytes": peak},
    )
