"""Who waited for whom: calls that ended with an error, or were still going on, while another had not come."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from worker.replay.explain.consequences import Lost
from worker.replay.explain.exceptions import Known
from worker.replay.explain.lives import Lives
from worker.replay.explain.matching import Line
from worker.replay.explain.pairs import partners
from worker.replay.explain.sentences import MOST_NAME, clean, operation, place, position
from worker.replay.explain.worlds import World
from worker.replay.facts import Collective, Frame, Source, StoreCall, TrialFacts


class Kind(StrEnum):
    COLLECTIVE = "collective"
    PAIR = "pair"
    STORE = "store"
    INIT = "init"


@dataclass(frozen=True, slots=True)
class Wait:
    """A call of `pid` that others had to join. `until` is when it failed, else when the record of it ends."""

    kind: Kind
    pid: int
    t_in: int
    until: int
    failed: bool
    lost: Lost | None  # how it failed, by its own exception
    awaited: tuple[int, ...]  # pids that had not come by `until`
    came: Mapping[int, int]  # of those, when each came after all
    words: str  # "WORLD collective 15 all_reduce(MIN) at file:line in function"
    site: Frame | None = None
    call: Collective | None = None
    ordinal: int = 0
    line: Line | None = None
    key: str = ""

    @property
    def order(self) -> tuple[bool, int, int, int, str]:
        """Failed ones first, in order of their failing; then what was still going on, the oldest first."""
        return not self.failed, self.until if self.failed else self.t_in, self.t_in, self.pid, self.words


def know_waits(
    facts: TrialFacts,
    worlds: Sequence[World],
    lines: Sequence[Line],
    lives: Lives,
    exceptions: Sequence[Known],
) -> tuple[Wait, ...]:
    """All of them, those that failed first."""
    reader = _Reader(facts, lives, exceptions)
    found = [
        *(wait for line in lines for wait in reader.of_line(line)),
        *reader.of_pairs(worlds),
        *reader.of_stores(),
        *(wait for world in worlds for wait in reader.of_inits(world)),
    ]
    return tuple(sorted(found, key=lambda wait: wait.order))


class _Reader:
    """Reads one trial's waits; holds what every kind of them is looked up in."""

    def __init__(self, facts: TrialFacts, lives: Lives, exceptions: Sequence[Known]) -> None:
        self._facts = facts
        self._lives = lives
        self._by_identity = {(one.pid, one.raised.identity): one for one in reversed(exceptions)}
        self._torn = {name.split(".", 1)[0] for name in facts.torn if name.endswith(".calls")}
        self._recorded = {(call.pid, call.source) for call in facts.collectives}

    def of_line(self, line: Line) -> Iterable[Wait]:
        """Calls of a group that some of its members had not entered when they failed or the record ended."""
        for pid in line.members:
            for ordinal, call in line.calls.get(pid, {}).items():
                if not _is_open(call) or self._is_no_wait(call.pid, call.error):
                    continue
                until = self._until(pid, call.t_out)
                others = [one for one in line.members if one != pid and self._is_known(one, call.source)]
                joined = {
                    one: line.calls[one][ordinal].t_in
                    for one in others
                    if ordinal in line.calls.get(one, {})
                    and not self._failed_by_itself(line.calls[one][ordinal])
                }
                awaited = tuple(one for one in others if joined.get(one, until + 1) > until)
                if (awaited or call.error is not None) and ordinal >= line.first:
                    came = {one: t for one, t in joined.items() if one in awaited}
                    words = position(call, ordinal)
                    yield self._wait(Kind.COLLECTIVE, call, until, awaited, came, words, ordinal, line)

    def of_pairs(self, worlds: Sequence[World]) -> Iterable[Wait]:
        """Sends and receives whose partner had not come."""
        for call, peer, met, number in partners(self._facts, worlds):
            until = self._until(call.pid, call.t_out)
            if _is_open(call) and (met is None or met.t_in > until) and self._is_known(peer, Source.WRAPPER):
                came = {peer: met.t_in} if met else {}
                other = next(
                    (world.rank_of(peer) for world in worlds if world.rank_of(peer) is not None), None
                )
                way = "to" if "send" in call.op else "from"
                site = f" at {place(call.site)}" if call.site else ""
                words = f"{operation(call)} {number} {way} rank {other}{site}"
                yield self._wait(Kind.PAIR, call, until, (peer,), came, words, number, None)

    def of_stores(self) -> Iterable[Wait]:
        """Store operations that failed, and those that hung for want of a key."""
        setters = sorted(
            (one for one in self._facts.store_calls if one.op in {"set", "add", "compare_set"}),
            key=lambda one: (one.t_in, one.pid, repr(one)),
        )
        for one in sorted(self._facts.store_calls, key=lambda each: (each.t_in, each.pid, repr(each))):
            waits_for_key = one.op in {"get", "wait"}
            if one.error is None and (one.t_out is not None or not waits_for_key):
                continue
            if self._is_no_wait(one.pid, one.error) or self._came_on_a_later_try(one):
                continue
            until = self._until(one.pid, one.t_out)
            came: dict[int, int] = {}
            for other in setters if waits_for_key else ():
                if other.key == one.key and other.pid != one.pid and other.t_in > until:
                    came.setdefault(other.pid, other.t_in)
            known = self._by_identity.get((one.pid, one.error or 0))
            yield Wait(
                Kind.STORE,
                one.pid,
                one.t_in,
                until,
                one.error is not None,
                known.lost if known else None,
                tuple(came),
                came,
                _store_words(one),
                one.site,
                key=one.key,
            )

    def of_inits(self, world: World) -> Iterable[Wait]:
        """Calls of init_process_group that failed or hung; it waits for whoever had not called it by then."""
        for rank, init in sorted(world.inits.items()):
            if (init.t_out is not None and init.error is None) or self._is_no_wait(init.pid, init.error):
                continue
            until = self._until(init.pid, init.t_out)
            calls = {world.pids[other]: one.t_in for other, one in world.inits.items() if other != rank}
            others = [pid for other, pid in sorted(world.pids.items()) if other != rank]
            awaited = tuple(pid for pid in others if calls.get(pid, until + 1) > until)
            known = self._by_identity.get((init.pid, init.error or 0))
            site = f" at {place(init.site)}" if init.site else ""
            yield Wait(
                Kind.INIT,
                init.pid,
                init.t_in,
                until,
                init.error is not None,
                known.lost if known else None,
                awaited,
                {pid: t for pid, t in calls.items() if pid in awaited},
                f"init_process_group{site}",
                init.site,
            )

    def _wait(
        self,
        kind: Kind,
        call: Collective,
        until: int,
        awaited: tuple[int, ...],
        came: Mapping[int, int],
        words: str,
        ordinal: int,
        line: Line | None,
    ) -> Wait:
        known = self._by_identity.get((call.pid, call.error)) if call.error else None
        return Wait(
            kind,
            call.pid,
            call.t_in if call.waiting_since is None else call.waiting_since,
            until,
            call.error is not None,
            known.lost if known else None,
            awaited,
            came,
            words,
            call.site,
            call,
            ordinal,
            line,
        )

    def _is_no_wait(self, pid: int, error: int | None) -> bool:
        """It failed by an exception of its own, or by one that passing trials have too."""
        known = self._by_identity.get((pid, error)) if error else None
        return known is not None and (known.is_own or known.is_background)

    def _came_on_a_later_try(self, call: StoreCall) -> bool:
        """A key that is asked for again and again until it is there: only the last try is a wait."""
        return any(
            one.pid == call.pid and one.op == call.op and one.key == call.key and one.t_in > call.t_in
            for one in self._facts.store_calls
        )

    def _failed_by_itself(self, call: Collective) -> bool:
        """True for wrong arguments and the like: such a call waited for nobody and reached nobody."""
        known = self._by_identity.get((call.pid, call.error)) if call.error else None
        return known is not None and known.is_own

    def _until(self, pid: int, t_out: int | None) -> int:
        if t_out is not None:
            return t_out
        stopped = self._facts.ended_early_at
        return min(self._lives.end_of(pid), self._facts.ended if stopped is None else stopped)

    def _is_known(self, pid: int, source: Source) -> bool:
        """False where its record cannot show what the process did not do: not observed, or torn."""
        process = self._lives.processes.get(pid)
        observed = process.observed if process else False
        if str(pid) in self._torn:
            return False
        has_record = (pid, source) in self._recorded
        return has_record if source is Source.FLIGHT_RECORDER else has_record or observed


def _is_open(call: Collective) -> bool:
    if call.error is not None:
        return True
    return call.t_out is None and (not call.is_async or call.waiting_since is not None)


def _store_words(one: StoreCall) -> str:
    site = f" at {place(one.site)}" if one.site else ""
    return f"store.{clean(one.op, MOST_NAME)}({clean(one.key, MOST_NAME)!r}){site}"
