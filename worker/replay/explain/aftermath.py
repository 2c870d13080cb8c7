"""What became of the others: one sentence for each rank that failed, or waited, because the origin did not
come.
"""

import signal
from collections.abc import Set as AbstractSet

from worker.replay.explain.consequences import Lost
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import clean, place, seconds
from worker.replay.explain.waits import Wait

_LONGEST = 600
MOST_TOLD = 32
"""Ranks of which a report tells; of a larger world the rest had nothing else to say."""


def aftermath(scene: Scene, origins: AbstractSet[int]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The sentences in order of rank, and the processes that they are about."""
    others = [pid for pid in scene.workers if pid not in origins]
    told = [(pid, clean(said, _LONGEST)) for pid in others if (said := what_became(scene, pid))][:MOST_TOLD]
    return tuple(said for _, said in told), tuple(pid for pid, _ in told)


def what_became(scene: Scene, pid: int) -> str:
    """Empty for a rank that ended well and waited for nobody in vain."""
    name = scene.ranks.name(pid)
    wait = next((one for one in scene.waits if one.pid == pid), None)
    if wait is not None:
        return f"{name} {_waited(wait)}{_end(scene, pid)}"
    raised = next((one for one in scene.exceptions if one.pid == pid and one.lost is not None), None)
    if raised is not None and not raised.is_background:
        return f"{name} raised {raised.words()}{_end(scene, pid)}"
    own = next(iter(scene.own_exceptions(pid)), None)
    if own is not None and own.got_out:
        return f"{name} raised {own.words()}{_end(scene, pid)}"
    end = _end(scene, pid)
    return f"{name}{end.removeprefix(',')}" if end else ""


def _waited(wait: Wait) -> str:
    length = seconds(max(wait.until - wait.t_in, 0))
    alone = " alone" if wait.awaited and not _has_company(wait) else ""
    if not wait.failed:
        return f"entered {wait.words}{alone} and still waited in it after {length}"
    how = "failed" if wait.lost in {None, Lost.TIMED_OUT} else str(wait.lost)
    return f"entered {wait.words}{alone} and {how} after {length}"


def _has_company(wait: Wait) -> bool:
    return wait.line is not None and len(wait.line.members) - len(wait.awaited) > 1


def _end(scene: Scene, pid: int) -> str:
    """`, exit code 1`, `, ended by SIGTERM that rank 0 sent at file:line in f`; empty after a good end."""
    found = scene.lives.exits.get(pid)
    if found is None or found.code == 0:
        return ""
    if found.signal is None:
        return f", exit code {found.code}"
    sent = scene.lives.sender_of_end(pid)
    by = ""
    if sent is not None:
        at = f" at {place(sent.site)}" if sent.site else ""
        by = f" that {scene.ranks.name(sent.sender)} sent{at}"
    return f", ended by {signal_name(found.signal)}{by}"


def signal_name(number: int) -> str:
    """`SIGABRT`; `signal 77` where the platform has no such name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
