"""Who waits where another can no longer come: a rule over the collectives of all ranks at one moment.

A collective needs every rank of its group, a receive its sender. Who is missing and gone is a proof; so is
a circle of ranks that each wait for the next. Who is missing and merely busy may come yet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from worker.replay.facts import WORLD, Collective, Exit, Group, Process, Source, name_and_life

_SEND: Final = frozenset({"send", "isend"})
_RECEIVE: Final = frozenset({"recv", "irecv"})
_P2P: Final = _SEND | _RECEIVE


@dataclass(frozen=True, slots=True)
class Moment:
    """What was known of all ranks at time `t`."""

    t: int
    processes: Sequence[Process]
    groups: Sequence[Group]
    collectives: Sequence[Collective]
    exits: Mapping[int, Exit]


@dataclass(frozen=True, slots=True)
class Lonely:
    """A rank that waits, and for whom. `proof` is empty where the missing ones may still come."""

    rank: int
    pid: int
    at: Collective
    missing: tuple[int, ...]
    proof: str = ""

    @property
    def key(self) -> tuple[int, str, int]:
        return (self.pid, self.at.group, self.at.number)

    @property
    def since(self) -> int:
        return _since(self.at)


def lonely_ranks(moment: Moment) -> list[Lonely]:
    """Every rank that is blocked without a peer that it needs, the one that has waited longest first."""
    view = _View(moment)
    waiting = {rank: one for rank in view.ranks if (one := view.blocked(rank)) is not None}
    missing = {rank: view.missing(rank, at) for rank, at in waiting.items()}
    lonely = [
        Lonely(
            rank,
            view.ranks[rank].pid,
            at,
            missing[rank],
            view.proof_of_end(missing[rank], at) or _circle(rank, missing, waiting),
        )
        for rank, at in waiting.items()
        if missing[rank]
    ]
    return sorted(lonely, key=lambda one: (_since(one.at), one.rank))


def by_rank(processes: Sequence[Process]) -> dict[int, Process]:
    """The observed process of each rank; of several batches of the same ranks the last counts."""
    return {one.rank: one for one in processes if one.rank is not None and one.observed}


def of_last_world(moment: Moment) -> list[Collective]:
    """Each process's calls in the last of its worlds. Its peers may have had more worlds, or fewer."""
    last: dict[int, int] = {}
    for pid, group in {(one.pid, one.name) for one in moment.groups}:
        last[pid] = max(last.get(pid, 1), name_and_life(group)[1])
    return [one for one in moment.collectives if name_and_life(one.group)[1] >= last.get(one.pid, 1)]


def came_in_time(at: Collective, missing: Sequence[int], moment: Moment) -> bool:
    """Whether each of the ranks that were missing had entered by the time when the wait ended."""
    ranks = by_rank(moment.processes)
    came = {
        one.pid
        for one in moment.collectives
        if one.source is Source.WRAPPER
        and one.op not in _P2P
        and _name_of(one.group) == _name_of(at.group)
        and one.number >= at.number
        and one.t_in <= (at.t_out or moment.t)
    }
    return at.op not in _P2P and all(rank in ranks and ranks[rank].pid in came for rank in missing)


class _View:
    """The moment by rank. Only what the wrappers saw counts: its numbers are those of one source."""

    def __init__(self, moment: Moment) -> None:
        self._exits = moment.exits
        self.ranks = by_rank(moment.processes)
        self._rank_of = {one.pid: rank for rank, one in self.ranks.items()}
        self._latest = {
            (one.pid, _name_of(one.name)): one for one in sorted(moment.groups, key=lambda one: one.t)
        }
        self._groups = {key: one for key, one in self._latest.items() if one.destroyed_at is None}
        self._calls: dict[tuple[int, str], list[Collective]] = {}
        for call in of_last_world(moment):
            rank = self._rank_of.get(call.pid)
            if rank is not None and call.source is Source.WRAPPER:
                self._calls.setdefault((rank, _name_of(call.group)), []).append(call)

    def blocked(self, rank: int) -> Collective | None:
        """The collective in which the rank's oldest blocked thread is, unless the rank has ended."""
        pid = self.ranks[rank].pid
        if pid in self._exits:
            return None
        inside = [
            call
            for (owner, _), calls in self._calls.items()
            if owner == rank
            for call in calls
            if call.t_out is None and (not call.is_async or call.waiting_since is not None)
        ]
        return min(inside, key=_since, default=None)

    def missing(self, rank: int, at: Collective) -> tuple[int, ...]:
        if at.op in _P2P:
            return self._missing_peer(rank, at)
        group = self._groups.get((at.pid, _name_of(at.group)))
        members = group.ranks if group else tuple(self.ranks) if _name_of(at.group) == WORLD else ()
        return tuple(sorted(peer for peer in members if peer != rank and not self._has_come(peer, at)))

    def proof_of_end(self, missing: Sequence[int], at: Collective) -> str:
        """An end from before the group was made is that of an earlier batch, whose rank has come again."""
        group = self._groups.get((at.pid, _name_of(at.group)))
        since = group.t if group else at.t_in
        for rank in missing:
            process = self.ranks.get(rank)
            end = self._exits.get(process.pid) if process else None
            if end is not None and end.t >= since:
                how = f"signal {end.signal}" if end.signal else f"exit code {end.code}"
                return f"rank {rank} has ended with {how}"
            if end is None and process is not None and (process.exiting_at or 0) >= since:
                return f"rank {rank} is leaving: its interpreter exits"
            left = self._latest.get((process.pid, _name_of(at.group))) if process else None
            if left is not None and (left.destroyed_at or 0) >= since:
                return f"rank {rank} has destroyed the group {at.group}"
        return ""

    def _has_come(self, peer: int, at: Collective) -> bool:
        """It entered that number of that group, and, where it is still in there, the same operation."""
        calls = [call for call in self._calls.get((peer, _name_of(at.group)), ()) if call.op not in _P2P]
        same = next((call for call in calls if call.number == at.number), None)
        if same is None:
            return any(call.number > at.number for call in calls)
        return same.op == at.op or same.t_out is not None

    def _missing_peer(self, rank: int, at: Collective) -> tuple[int, ...]:
        """The peer of a send or receive, while it has made fewer of the other kind than we of ours."""
        if at.peer is None:
            return ()
        ours, theirs = (_SEND, _RECEIVE) if at.op in _SEND else (_RECEIVE, _SEND)
        mine = sum(
            call.op in ours and call.peer == at.peer and call.t_in <= at.t_in
            for call in self._calls.get((rank, _name_of(at.group)), ())
        )
        of_peer = self._calls.get((at.peer, _name_of(at.group)), ())
        made = sum(call.op in theirs and call.peer in {rank, None} for call in of_peer)
        return (at.peer,) if made < mine else ()


def _circle(rank: int, missing: Mapping[int, tuple[int, ...]], waiting: Mapping[int, Collective]) -> str:
    """Follow who waits for whom; back at the start, nobody on the way can go on."""
    path, seen = [(rank, [rank])], {rank}
    while path:
        here, way = path.pop()
        for peer in missing.get(here, ()):
            if peer == rank:
                return "; ".join(f"rank {one} waits in {_name(waiting[one])}" for one in way)
            if peer in waiting and peer not in seen:
                seen.add(peer)
                path.append((peer, [*way, peer]))
    return ""


def _name_of(group: str) -> str:
    return name_and_life(group)[0]


def _name(at: Collective) -> str:
    peer = f" with rank {at.peer}" if at.peer is not None else ""
    return f"{at.group} #{at.number} {at.op}{peer}"


def _since(at: Collective) -> int:
    return at.t_in if at.waiting_since is None else at.waiting_since
