"""The runs of a file: a graph for each function that ranks begin with, and for what those do not reach."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from app.domain.lint.flow.graph import ANY, Kind, Point, reached
from app.domain.lint.flow.statements import Statements
from app.domain.lint.flow.track import Scope, TooLongError
from app.domain.lint.frames import Frame
from app.domain.lint.program import Program
from app.domain.lint.sameness import BY_RANK, OF_RANK, SAME, Held, Sameness, alike, names_a_rank, of_parameter
from app.domain.lint.source import Function, own_nodes
from app.domain.lint.steps import is_loop
from app.domain.lint.workers import How, Worker

MOST_POINTS = 5_000  # of one run, until one is longer
_POINTS_OF_A_LONG_RUN = 1_500  # the longest test of torch's own suite has eleven hundred
MOST_POINTS_OF_A_FILE = 150_000  # torch's longest test file, of ten thousand lines, has 45 thousand
_POINTS_AT_LEAST = 15_000  # of a small file: two CPU seconds, where functions call one another without end
_LETTERS_OF_A_POINT = 3  # a file that says more is given more; those of torch need one for ten letters
_MAKERS = ("__init__", "setUpClass", "setup_class", "setUp", "setup_method")


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What one rank does from its beginning on. `tests` are the ids of the tests that start it or are it."""

    function: Function
    tests: tuple[str, ...]
    start: Point
    end: Point
    died: Point
    points: tuple[Point, ...]
    """All that is reached at all, near the start first."""
    ranks: frozenset[str]
    processes: int | None
    """How many processes run it, None where the file does not tell; of what is no worker, none do."""

    @property
    def is_alone(self) -> bool:
        """Whether the group is one rank's: nobody else can wait."""
        return any(_is_of_one(p.node) for p in self.of_kind(Kind.JOINS) if p.before)

    @property
    def is_worker(self) -> bool:
        return self.processes != 0

    def of_kind(self, *kinds: Kind) -> Iterator[Point]:
        return (p for p in self.points if p.kind in kinds)


@lru_cache(maxsize=1)  # several rules ask one after the other about one file
def runs(program: Program) -> tuple[Run, ...]:
    """All runs of the file, workers' first; a function that a run has entered makes none of its own."""
    return tuple(_Tracing(program).runs())


class _Tracing:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._entered: set[Function] = set()
        self._left = min(
            MOST_POINTS_OF_A_FILE, _POINTS_AT_LEAST + len(program.file.source) // _LETTERS_OF_A_POINT
        )
        self._longest = MOST_POINTS
        self._module: dict[str, Held] = {}
        self._module = self._module_names()

    def runs(self) -> Iterator[Run]:
        for worker, tests in self._program.workers:
            yield from self._run(worker.frame, self._given(worker), tests, worker.start.count)
        yield from self._script()
        for root in self._program.roots:
            for function in dict.fromkeys((root.function, *(s.frame.function for s in root.steps))):
                if function not in self._entered and not function.is_module:
                    frame = self._program.values.frame(function)
                    for run in self._run(frame, _unknown(function), root.test_ids, 0):
                        yield replace(run, processes=None) if _is_of_ranks(run) else run

    def _script(self) -> Iterator[Run]:
        """The file's own code: a program of ranks where it meets others in a store, else run once."""
        module = self._program.file.module
        if module not in self._entered:
            for run in self._run(self._program.values.module, {}, (), None):
                yield run if any(run.of_kind(Kind.STORE, Kind.JOINS)) else replace(run, processes=0)

    def _run(
        self, frame: Frame, names: dict[str, Held], tests: tuple[str, ...], processes: int | None
    ) -> Iterator[Run]:
        track = self._followed(frame, names, frame.function.body, self._attributes(frame.function))
        if track is None:
            return
        track.go_to(track.end)
        points = tuple(reached(track.start, ANY))
        run = Run(frame.function, tests, track.start, track.end, track.died, points, frame.ranks, processes)
        entered = {frame.function, *(f.function for f in track.scopes if f is not self._outermost)}
        is_parent = processes == 0 and bool(tests) and frame.function.name.startswith("test")
        self._entered |= {frame.function} if run.is_alone or is_parent else entered
        yield run

    def _followed(
        self, frame: Frame, names: dict[str, Held], body: Sequence[ast.stmt], attributes: dict[str, Held]
    ) -> Statements | None:
        """The track through some statements; None where it is longer than anything that people write."""
        most = min(self._longest, self._left)
        try:
            track = Statements(self._program, frame, names, most)
            track.attributes = attributes
            track.scopes.setdefault(self._outermost, Scope(self._outermost, dict(self._module), track.end))
            track.body(body)
        except TooLongError:
            self._left -= most
            self._longest = max(self._longest // 2, _POINTS_OF_A_LONG_RUN)  # the next will hardly end either
            return None
        self._left -= len(track.points)
        return track

    @property
    def _outermost(self) -> Frame:
        return self._program.values.module

    def _module_names(self) -> dict[str, Held]:
        """What the file's own names hold before any function of it runs."""
        given = [s for s in self._program.file.tree.body if isinstance(s, ast.Assign | ast.AnnAssign)]
        track = self._followed(self._outermost, {}, given, {})
        return track.scope.names if track is not None else {}

    def _attributes(self, function: Function) -> dict[str, Held]:
        """What a method finds on its instance: what the constructor and the set-up methods put there."""
        found: dict[str, Held] = {}
        for name in _MAKERS if function.owner is not None and function.is_bound_method else ():
            maker = self._program.file.method(function.owner, name) if function.owner is not None else None
            if maker is not None and maker is not function:
                frame = self._program.values.frame(maker)
                track = self._followed(frame, _unknown(maker), maker.body, {})
                found |= track.attributes if track is not None else {}
        return found

    def _given(self, worker: Worker) -> dict[str, Held]:
        """What a worker's parameters hold: its number, what every rank is given alike, or what differs by
        number.
        """
        counters = _counters(worker)
        found = _unknown(worker.function)
        for name in worker.function.parameters:
            value = worker.frame.given.get(name)
            if name in worker.frame.ranks:
                found[name] = OF_RANK
            elif value is not None:
                used = {n.id for n in ast.walk(value.node) if isinstance(n, ast.Name)}
                found[name] = Held(BY_RANK, Sameness.UNKNOWN) if used & counters else alike(Sameness.GIVEN)
        return found


def _counters(worker: Worker) -> set[str]:
    """The names that count the processes in the loop that starts them one by one.

    Loops around that loop, or around a spawn of all at once, give every rank of one group the same.
    """
    step = worker.start.step
    loops = [one.node for one in step.within if is_loop(one)] if step is not None else []
    if worker.start.how is How.SPAWN or not loops:
        return set()
    targets = [g.target for g in getattr(loops[-1], "generators", ())] or [getattr(loops[-1], "target", None)]
    return {
        n.id for target in targets if target is not None for n in ast.walk(target) if isinstance(n, ast.Name)
    }


def _unknown(function: Function) -> dict[str, Held]:
    """Parameters of which only the names tell something; a method's instance is the same on all ranks."""
    found = {name: of_parameter(name) for name in function.parameters}
    if function.is_bound_method and function.parameters:
        found[function.parameters[0]] = SAME
    return found


def _is_of_ranks(run: Run) -> bool:
    """Whether a function that nothing of the file starts is plainly one rank's whole life."""
    kinds = {p.kind for p in run.points}
    joins = Kind.JOINS in kinds and bool(kinds & {Kind.LEAVES, Kind.COLLECTIVE, Kind.POINT, Kind.STORE})
    is_whole = not any(isinstance(node, ast.Yield) for node in own_nodes(run.function))
    return joins and is_whole and any(names_a_rank(name) for name in run.function.parameters)


def _is_of_one(node: ast.AST | None) -> bool:
    sizes = [k.value for k in node.keywords if k.arg == "world_size"] if isinstance(node, ast.Call) else []
    return any(isinstance(s, ast.Constant) and s.value == 1 for s in sizes)
