"""Which processes formed one world, and from when to when: a test may start its ranks more than once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from worker.replay.explain.lives import Lives
from worker.replay.explain.ranks import MOST_RANKS, Ranks
from worker.replay.facts import WORLD, Init, TrialFacts


@dataclass(slots=True)
class World:
    """One incarnation of the world group. `inits` holds the call of each rank that made one."""

    pids: dict[int, int] = field(default_factory=dict)  # rank -> pid
    inits: dict[int, Init] = field(default_factory=dict)  # rank -> its call
    until: dict[int, int] = field(default_factory=dict)  # pid -> when it began another world, else absent

    @property
    def size(self) -> int:
        """As init_process_group was told, else as many as are known."""
        told = [init.world for init in self.inits.values() if init.world is not None and init.world > 0]
        return min(max([*told, len(self.pids)], default=0), MOST_RANKS)

    def rank_of(self, pid: int) -> int | None:
        return next((rank for rank, one in self.pids.items() if one == pid), None)

    def holds(self, pid: int, t: int) -> bool:
        """True for what a member did from its init on, until it began another world."""
        rank = self.rank_of(pid)
        if rank is None:
            return False
        begun = self.inits[rank].t_in if rank in self.inits else -1
        return begun <= t < self.until.get(pid, t + 1)


def know_worlds(facts: TrialFacts, ranks: Ranks, lives: Lives) -> tuple[World, ...]:
    """Each call of init_process_group joins the oldest open world that lacks its rank, else begins one.

    Ranks that never called it join the world that lacks them and was there in their time.
    """
    worlds: list[World] = []
    calls = sorted(
        (one for one in facts.inits if one.group == WORLD), key=lambda one: (one.t_in, one.pid, repr(one))
    )
    for init in calls:
        rank = init.rank if init.rank is not None and 0 <= init.rank < MOST_RANKS else ranks.of(init.pid)
        if rank is None:
            continue
        world = next((one for one in worlds if _may_join(one, init, rank, lives)), None)
        if world is None:
            world = World()
            worlds.append(world)
        for earlier in worlds:
            if earlier is not world and init.pid in earlier.pids.values():
                earlier.until.setdefault(init.pid, init.t_in)
        world.pids[rank] = init.pid
        world.inits[rank] = init
    _place_the_silent(worlds, ranks, lives)
    return tuple(worlds)


def _may_join(world: World, init: Init, rank: int, lives: Lives) -> bool:
    if rank in world.inits or init.pid in world.pids.values() or rank >= world.size > 0:
        return False
    together = any(
        lives.left_at(other.pid) > init.t_in
        and (other.t_out is None or other.error is None or other.t_out > init.t_in)
        for other in world.inits.values()
    )
    same_size = all(other.world == init.world for other in world.inits.values())
    same_address = any(other.address == init.address for other in world.inits.values())
    joined = any(other.t_out is not None and other.error is None for other in world.inits.values())
    if same_address and same_size and not together:
        return _came_late(world, init)
    return together and same_size and (same_address or not joined)


def _came_late(world: World, init: Init) -> bool:
    """The same meeting place, after all others had given up there: still meant for that world."""
    return all(
        other.error is not None and other.address is not None for other in world.inits.values()
    ) and any(other.address not in {None, "env://"} for other in [init, *world.inits.values()])


def _place_the_silent(worlds: list[World], ranks: Ranks, lives: Lives) -> None:
    placed = {pid for world in worlds for pid in world.pids.values()}
    silent: Mapping[int, list[int]] = _by_rank(ranks, placed)
    if not worlds and silent:
        for rank, pids in silent.items():
            for at, pid in enumerate(pids):
                while len(worlds) <= at:
                    worlds.append(World())
                worlds[at].pids[rank] = pid
        return
    for rank, pids in silent.items():
        for pid in pids:
            lacking = [one for one in worlds if rank not in one.pids and _lived_then(one, pid, lives)]
            if lacking:
                lacking[0].pids[rank] = pid


def _by_rank(ranks: Ranks, placed: set[int]) -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for pid, rank in sorted(ranks.by_pid.items()):
        if pid not in placed:
            found[rank].append(pid)
    return found


def _lived_then(world: World, pid: int, lives: Lives) -> bool:
    process = lives.processes.get(pid)
    began = process.started if process else 0
    return any(
        began <= lives.end_of(other) and init.t_in <= lives.end_of(pid) for other, init in _members(world)
    )


def _members(world: World) -> Sequence[tuple[int, Init]]:
    return [(world.pids[rank], init) for rank, init in world.inits.items()]
