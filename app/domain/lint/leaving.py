"""How one worker comes to its end: what it did last, for whom, and whether the others were done."""

import ast
import re
from collections.abc import Iterator

from app.domain.lint.flow.graph import ANY, FORWARD, Kind, Point, reached, reaching
from app.domain.lint.flow.runs import Run
from app.domain.lint.flow.ways import Ways
from app.domain.lint.program import Program
from app.domain.lint.sameness import Sameness

_WAITING_OPERATIONS = frozenset({"get", "wait", "multi_get"})
_WAITS = re.compile(r"\.(?:wait|join|recv|get|result|synchronize|acquire|accept)$")
_ONE_SIDED = re.compile(
    r"sleep|(?:^|[._])(?:save|checkpoint|export|upload|evaluate|validate|compact|merge|serve)(?:_\w+)?$"
)
_PLAIN = re.compile(
    r"^(?:torch\.(?!distributed|nn)|os\.|sys\.|time\.|math\.|str|int|float|bool|len|print|range|list|dict|tuple|set"
    r"|logging|traceback|datetime|timedelta|torch\.distributed\.(?:get_|is_))[\w.]*(?:\(\)[\w.]*)?$"
    r"|\.(?:put|put_nowait|append|update|set_device|format|items|keys|info|debug|warning|encode|send|is_set|set|item"
    r"|tolist|setdefault|join|flush|write|write_text|touch|as_uri)$"
)
_STANDS_IN = re.compile(r"fake|mock|dummy|threaded", re.IGNORECASE)
_MASTER_AT = 3  # TCPStore(host, port, world_size, is_master)


class Leaver:
    """One worker's run, asked about its end."""

    def __init__(self, program: Program, run: Run) -> None:
        self.run = run
        self._program = program
        self._host = Ways(program, run.ranks, 0)
        self.store = [p for p in run.of_kind(Kind.STORE) if p.before]
        self._joins = [p for p in run.of_kind(Kind.JOINS) if p.before]

    def leaves_after(self, point: Point) -> bool:
        """Whether a rank can come from here to its end past no collective of all."""
        return any(p is self.run.end or p.kind is Kind.EXIT for p in self._alone_after(point))

    def _alone_after(self, point: Point) -> Iterator[Point]:
        """What can come before the next collective that all ranks make."""
        seen, waiting = {point}, [point]
        for current in waiting:
            yield current
            if current is not point and current.kind is Kind.COLLECTIVE and current.whole:
                continue
            for following, edge in current.after:
                if edge & FORWARD and following not in seen:
                    seen.add(following)
                    waiting.append(following)

    # What was started.

    def is_unwaited(self, point: Point) -> bool:
        """Whether what the call starts is thrown away, or can come to the end past every `wait`."""
        call = point.node
        if not isinstance(call, ast.Call) or not self._is_asynchronous(point, call):
            return False
        if isinstance(self._program.file.parent(call), ast.Expr):
            return True
        after = reached(point, FORWARD)
        waits = {
            p for p in after if p.kind is Kind.WORK and p.name.endswith((".wait", ".synchronize", ".result"))
        }
        return self.run.end in _past(point, waits)

    def _is_asynchronous(self, point: Point, call: ast.Call) -> bool:
        if point.kind is Kind.POINT:
            return point.name in {"isend", "irecv", "batch_isend_irecv"}
        given = [k.value for k in call.keywords if k.arg == "async_op"]
        return any(isinstance(a, ast.Constant) and a.value is True for a in given)

    # The store and its host.

    @property
    def hosts_store(self) -> bool:
        """Whether the store lives and ends with one of these processes."""
        return self._masters() != [] or (bool(self._joins) and bool(self.store) and not self._elsewhere())

    def _elsewhere(self) -> bool:
        made = {p.name.rpartition(".")[2] for p in self.run.of_kind(Kind.WORK)}
        return bool(made & {"FileStore", "HashStore", "TCPStore"}) or "file://" in self._program.file.source

    def _masters(self) -> list[ast.expr]:
        """What decides who hosts, of each TCPStore that is made here."""
        found = []
        for point in self.run.of_kind(Kind.WORK):
            call = point.node
            if point.name.rpartition(".")[2] == "TCPStore" and isinstance(call, ast.Call):
                named = [k.value for k in call.keywords if k.arg == "is_master"]
                placed = call.args[_MASTER_AT : _MASTER_AT + 1]
                found += [m for m in (*named, *placed) if not (isinstance(m, ast.Constant) and not m.value)]
        return found

    def last_of_host(self, others: "list[Leaver]") -> Point | None:
        """The last thing that the host does to the store while others may still need it; None where it stays.

        Where the host has no part in what the others do there, it is the others' own last request.
        """
        if any(isinstance(m, ast.Constant) for m in self._masters()):
            wanting = [p for other in others for p in other.store]
        else:
            asking = Ways(self._program, self.run.ranks, 1).from_here(self.run.start)
            wanting = [p for p in asking if p.kind is Kind.STORE and self.leaves_after(p)]
        if not wanting:
            return None
        hosting = [p for p in self._host.from_here(self.run.start) if p.kind in {Kind.STORE, Kind.WORK}]
        if any(self._waits_for_others(p) for p in hosting):
            return None
        last = [p for p in hosting if p.kind is Kind.STORE and self._host_leaves_after(p)]
        return next(iter(last or [p for p in wanting if p in self.store]), None)

    def is_of_host(self, point: Point) -> bool:
        return point in set(self._host.from_here(self.run.start))

    def _waits_for_others(self, point: Point) -> bool:
        """Whether the host alone waits here for a word of the others, or for their processes."""
        if point.kind is Kind.WORK:
            return _WAITS.search(point.name) is not None and self._host_leaves_after(point)
        is_hosts = bool(point.flags & Sameness.RANK) or any(
            isinstance(m, ast.Constant) for m in self._masters()
        )
        return point.name in _WAITING_OPERATIONS and is_hosts and self._host_leaves_after(point)

    def _host_leaves_after(self, point: Point) -> bool:
        stops = frozenset({Kind.STORE, Kind.COLLECTIVE})
        after = [p for p in self._host.from_here(point, stops) if p is not point]
        return any(p is self.run.end or p.kind is Kind.EXIT for p in after)

    # Ranks that leave before others.

    def is_joined_before(self, fork: Point) -> bool:
        return any(p.kind is Kind.JOINS for p in reaching(fork, FORWARD))

    def leaves_at_once(self, way: Point, fork: Point) -> Point | None:
        """Where a way from a fork gives up the group, without a word to the others."""
        for point in reached(
            way, FORWARD, frozenset({Kind.COLLECTIVE, Kind.POINT, Kind.STORE, Kind.BRANCH, Kind.LOOP})
        ):
            if point.kind in {Kind.COLLECTIVE, Kind.POINT, Kind.STORE}:
                return None
            if point.kind in {Kind.LEAVES, Kind.EXIT, Kind.RETURN} and self._is_under(point, fork):
                return point
        return None

    def _is_under(self, point: Point, fork: Point) -> bool:
        outer = [fork.node, *(self._program.file.around(point.node) if point.node is not None else ())]
        return fork.node in outer[1:]

    def goes_on_talking(self, way: Point, fork: Point) -> bool:
        """Whether the ranks of this way still talk to each other, and rank 0, the host, may be gone."""
        if (
            self._host.takes(fork.node) is not None
            and way in self._host.after(fork)
            and not self._asks_store(way)
        ):
            return any(p.kind is Kind.POINT for p in reached(way, FORWARD))
        return any(
            p.kind in {Kind.POINT, Kind.STORE} or (p.kind is Kind.COLLECTIVE and not p.whole)
            for p in reached(way, FORWARD)
        )

    def _asks_store(self, way: Point) -> bool:
        return any(p.kind is Kind.STORE for p in reached(way, FORWARD))

    def ends_together(self, way: Point) -> bool:
        return not any(p is self.run.end or p.kind is Kind.EXIT for p in self._alone_after(way))

    def is_work_of_some(self, point: Point) -> bool:
        """Whether only some ranks have this long work, as members of a group."""
        if not point.flags & Sameness.RANK or not _ONE_SIDED.search(point.name):
            return False
        around = self._program.file.around(point.node) if point.node is not None else ()
        if any(isinstance(outer, ast.While) for outer in around):
            return False
        if any(p.kind is Kind.COLLECTIVE for p in reached(point, FORWARD)):
            return False
        before = list(reaching(point, FORWARD))
        return any(p.kind is Kind.JOINS for p in before) and not any(p.kind is Kind.LEAVES for p in before)

    def does_nothing_together(self, joined: Point) -> bool:
        """Whether nothing that the file shows comes between joining and leaving but plain calls."""
        if joined.node is not None and _STANDS_IN.search(self._program.file.text(joined.node)):
            return False
        after = [p for p in reached(joined, ANY) if p is not joined]
        if self.run.end not in after or any(
            p.kind in {Kind.COLLECTIVE, Kind.POINT, Kind.STORE} for p in after
        ):
            return False
        return all(p.kind is not Kind.WORK or _PLAIN.search(p.name) for p in after)


def _past(start: Point, blocked: set[Point]) -> set[Point]:
    """All that can be reached without passing the blocked points, nor a collective of all."""
    seen, waiting = {start}, [start]
    for point in waiting:
        for following, edge in point.after:
            if edge & FORWARD and following not in seen and following not in blocked:
                seen.add(following)
                if not (following.kind is Kind.COLLECTIVE and following.whole):
                    waiting.append(following)
    return seen
