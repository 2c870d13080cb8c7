"""Who is which rank, and what to call those that have none. A rank by order of start is said to be one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from worker.replay.explain.sentences import MOST_NAME, clean
from worker.replay.facts import TrialFacts

BY_START: Final = "order"
"""What `Process.rank_source` says where nothing inside told its rank, as in bare trials."""
MOST_RANKS: Final = 4_096
"""A higher number is a forgery, or a world that no test machine holds."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """`by_pid` holds one rank a process; `guessed` the processes whose rank is only their order of start."""

    by_pid: Mapping[int, int]
    guessed: frozenset[int]
    main: int
    names: Mapping[int, str]

    def of(self, pid: int) -> int | None:
        return self.by_pid.get(pid)

    def name(self, pid: int) -> str:
        """`rank 1`, `the test's own process`, `process Loader-3`."""
        rank = self.by_pid.get(pid)
        if rank is not None:
            return f"rank {rank}"
        if pid == self.main:
            return "the test's own process"
        return self.names.get(pid, f"process {pid}")

    def note(self, pids: Iterable[int]) -> str:
        """What to add where a rank that is named was only inferred; empty otherwise."""
        return (
            "which rank is which is guessed from the order in which they started"
            if self.guessed & set(pids)
            else ""
        )


def know_ranks(facts: TrialFacts) -> Ranks:
    """What is known of each process first, then what init_process_group was told."""
    ranks: dict[int, int] = {}
    guessed: set[int] = set()
    names: dict[int, str] = {}
    for process in sorted(facts.processes, key=lambda one: (one.started, one.pid, repr(one))):
        if process.rank is not None and 0 <= process.rank < MOST_RANKS and process.pid not in ranks:
            ranks[process.pid] = process.rank
            if process.rank_source == BY_START:
                guessed.add(process.pid)
        if process.name:
            names.setdefault(process.pid, f"process {clean(process.name, MOST_NAME)}")
    for init in sorted(facts.inits, key=lambda one: (one.t_in, one.pid, repr(one))):
        if (
            init.rank is not None
            and 0 <= init.rank < MOST_RANKS
            and (init.pid not in ranks or init.pid in guessed)
        ):
            ranks[init.pid] = init.rank
            guessed.discard(init.pid)
    return Ranks(ranks, frozenset(guessed), facts.main, names)
