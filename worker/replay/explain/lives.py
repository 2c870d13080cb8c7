"""How long each process took part: when it ended, with what, and when it left its group before that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from worker.replay.facts import WORLD, Ending, Exit, Process, Raised, Seen, Sent, TrialFacts

SLACK_NS: Final = 50_000_000
"""A peer sees a connection close before anybody sees the exit: the kernel closes files first."""

_NEAREST_FIRST: Final = ("ptrace", "pidfd", "proc-connector", "wait", "parent", "journal")


@dataclass(frozen=True, slots=True)
class Lives:
    """`exits` holds one end a process, the earliest that was seen and its status from the nearest witness."""

    exits: Mapping[int, Exit]
    processes: Mapping[int, Process]
    left: Mapping[int, int]
    ended: int
    sent: tuple[Sent, ...]

    def end_of(self, pid: int) -> int:
        """When it ended, or the record."""
        found = self.exits.get(pid)
        return found.t if found else self.ended

    def is_alive(self, pid: int, t: int) -> bool:
        return self.end_of(pid) > t or pid not in self.exits

    def has_left(self, pid: int, t: int) -> bool:
        """True once it began to exit, destroyed its world group or ended, by the time `t` and a little."""
        return self.left_at(pid) <= t + SLACK_NS

    def left_at(self, pid: int) -> int:
        """Later than everything where it stayed to the end of the record."""
        found = self.exits.get(pid)
        return min(
            self.left.get(pid, self.ended + SLACK_NS + 1), found.t if found else self.ended + SLACK_NS + 1
        )

    def code_of(self, pid: int) -> int | None:
        found = self.exits.get(pid)
        return found.code if found else None

    def sender_of_end(self, pid: int) -> Sent | None:
        """The first signal that another process sent it and that it died of."""
        died_of = self.exits[pid].signal if pid in self.exits else None
        found = (
            one for one in self.sent if one.target == pid and one.sender != pid and one.signal == died_of
        )
        return next(found, None) if died_of is not None else None


def know_lives(facts: TrialFacts) -> Lives:
    """Put together what parents, kernel and journals say of each end; ends that were ours are none."""
    exits: dict[int, Exit] = {}
    for one in sorted((each for each in facts.exits if not each.by_us), key=_nearness):
        known = exits.get(one.pid)
        exits[one.pid] = one if known is None else _earliest(known, one)
    processes: dict[int, Process] = {}
    for process in sorted(facts.processes, key=lambda each: (each.started, repr(each))):
        processes.setdefault(process.pid, process)
    sent = tuple(sorted(facts.sent, key=lambda each: (each.t, repr(each))))
    return Lives(exits, processes, _left(facts, processes), facts.ended, sent)


def _left(facts: TrialFacts, processes: Mapping[int, Process]) -> dict[int, int]:
    """When each stopped taking part while still alive; a world group that it made again brings it back."""
    again = {
        init.pid: init.t_in for init in sorted(facts.inits, key=lambda each: each.t_in) if init.group == WORLD
    }
    left: dict[int, int] = {}
    for one in processes.values():
        if one.exiting_at is not None:
            left[one.pid] = one.exiting_at
    for down in facts.teardowns:
        if down.group == WORLD and again.get(down.pid, down.t_in) <= down.t_in:
            left[down.pid] = min(left.get(down.pid, down.t_in), down.t_in)
    for raised in facts.raised:
        if _ends_process(raised, processes.get(raised.pid)):
            left[raised.pid] = min(left.get(raised.pid, raised.t), raised.t)
    return left


def _ends_process(raised: Raised, process: Process | None) -> bool:
    in_main = raised.thread in {"", "MainThread"}
    return (
        raised.seen is Seen.UNCAUGHT and in_main and process is not None and process.ending is Ending.UNCAUGHT
    )


def _nearness(one: Exit) -> tuple[int, int, int, str]:
    known = one.source in _NEAREST_FIRST
    return (_NEAREST_FIRST.index(one.source) if known else len(_NEAREST_FIRST), one.t, one.code, repr(one))


def _earliest(nearest: Exit, other: Exit) -> Exit:
    return Exit(nearest.pid, min(nearest.t, other.t), nearest.code, nearest.source, nearest.core_dumped)
