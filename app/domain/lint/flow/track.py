"""Where a run stands while its graph is made: its names, the conditions that rule it, and where leaving
leads.
"""

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.lint.flow.graph import Edge, Kind, Point, link
from app.domain.lint.frames import Frame
from app.domain.lint.program import Program
from app.domain.lint.sameness import SAME, Held, Sameness


class TooLongError(Exception):
    """The run is longer than anything that people write; nothing is said of it."""


class Leaving(StrEnum):
    RETURN = "return"
    BREAK = "break"
    CONTINUE = "continue"
    RAISE = "raise"


@dataclass(slots=True, eq=False)
class Scope:
    """One activation of a function: what its names hold here, and where its return leads."""

    frame: Frame
    names: dict[str, Held]
    exit: Point
    returned: Held = SAME
    on_yield: Callable[[], None] | None = None
    base: int = 0
    """How many conditions rule the call itself: all that the activation holds is under those alike."""


@dataclass(frozen=True, slots=True)
class Control:
    """A condition that rules what is done; `by_leaving` where ranks of the other answer have left instead."""

    flags: Sameness
    fork: Point
    by_leaving: bool = False


@dataclass(frozen=True, slots=True)
class _End:
    """How one way on from a fork ended; `left` is how it left where `at` is None."""

    at: Point | None
    names: dict[str, Held]
    attributes: dict[str, Held]
    control: tuple[Control, ...]
    left: Leaving | None
    written: set[str]


@dataclass(slots=True, eq=False)
class TryGuard:
    """The body of a try: which handlers stand ready, and what has been seen that can raise."""

    handlers: list[tuple[tuple[str, ...], Point]]
    raised: Sameness = Sameness.SAME
    called: Sameness = Sameness.SAME
    has_collective: bool = False
    expects: bool = False
    """Whether a test wants what is inside to fail."""


@dataclass(slots=True, eq=False)
class FinallyGuard:
    """A finally clause: it runs whatever leaves, each time with its own way on."""

    pending: dict[tuple[Leaving, str, Scope], Point] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class LoopGuard:
    scope: Scope
    ends: Point
    again: Point
    base: int
    """How many conditions rule the loop itself."""
    left: list[dict[str, Held]] = field(default_factory=list)
    """What the names of the function hold where a round is broken off."""


@dataclass(slots=True, eq=False)
class CallGuard:
    scope: Scope


Guard = TryGuard | FinallyGuard | LoopGuard | CallGuard


class Track:
    """The growing end of a graph. `at` is None where nothing is reached any more."""

    def __init__(self, program: Program, frame: Frame, names: dict[str, Held], most: int) -> None:
        """`most` is how many points the graph may have; TooLongError says that it would have more."""
        self._most = most
        self.program = program
        self.file = program.file
        self.values = program.values
        self.points: list[Point] = []
        self.calls: tuple[ast.expr, ...] = ()
        self.start = self.new(Kind.JOIN)
        self.end = self.new(Kind.END)
        self.died = self.new(Kind.END)
        self.at: Point | None = self.start
        self.control: tuple[Control, ...] = ()
        self.around: list[Guard] = []
        self.scope = Scope(frame, names, self.end)
        self.scopes: dict[Frame, Scope] = {frame: self.scope}
        self.attributes: dict[str, Held] = {}
        self.left: Leaving | None = None
        self.written: set[str] = set()

    @property
    def flags(self) -> Sameness:
        """How reaching this point differs by rank."""
        return _union([c.flags for c in self.control])

    @property
    def returning(self) -> Sameness:
        """How what is returned here differs by rank from what is returned elsewhere in the function."""
        return _union([c.flags for c in self.control[self.scope.base :]])

    def new(self, kind: Kind, node: ast.AST | None = None, name: str = "") -> Point:
        if len(self.points) >= self._most:
            raise TooLongError
        point = Point(kind, node, self.calls, name)
        self.points.append(point)
        return point

    def add(self, kind: Kind, node: ast.AST | None = None, name: str = "") -> Point:
        """Put a point at the end of the track and go on from there."""
        point = self.new(kind, node, name)
        point.flags = self.flags
        point.ruled, point.fixed = self._ruled()
        if self.at is not None:
            link(self.at, point, Edge.NORMAL)
        self.at = point
        return point

    def _ruled(self) -> tuple[Point | None, bool]:
        """The innermost fork that differs by rank, and whether constants alone decide behind it."""
        behind: list[Control] = []
        for control in reversed(self.control):
            if control.flags & Sameness.LOCAL:
                return control.fork, any(c.fork.kind is not Kind.LOOP and not c.flags for c in behind)
            behind.append(control)
        return None, False

    def go_to(self, point: Point, edge: Edge = Edge.NORMAL) -> None:
        if self.at is not None:
            link(self.at, point, edge)

    def arms(self, fork: Point, flags: Sameness, runs: Sequence[Callable[[], None]]) -> None:
        """Follow each way on from a fork, then go on from where they meet.

        Where some ways leave for good, what follows stands under the fork's condition too; not where they
        raise, since what a raise on some ranks leads to is asked of the raise.
        """
        saved, names, attributes = self.control, self.scope.names, self.attributes
        ends: list[_End] = []
        written = self.written
        for run in runs:
            self.written = set()
            self.control = (*saved, Control(flags, fork))
            inside = len(self.control)
            self.scope.names, self.attributes = dict(names), dict(attributes)
            self.at = self.new(Kind.JOIN)
            link(fork, self.at, Edge.NORMAL)
            run()
            end = _End(
                self.at, self.scope.names, self.attributes, self.control[inside:], self.left, self.written
            )
            ends.append(end)
            written = written | self.written
        self.written = written
        alive = [end for end in ends if end.at is not None]
        for end in alive if len(alive) > 1 else ():
            mark(end.names, end.written, flags)
            mark(end.attributes, end.written, flags)
        self.control = saved + tuple(c for end in alive for c in end.control)
        if alive and any(end.at is None and end.left is not Leaving.RAISE for end in ends):
            self.control = (*self.control, Control(flags, fork, by_leaving=True))
        self.scope.names = merged([end.names for end in alive])
        self.attributes = merged([end.attributes for end in alive])
        self.meet([end.at for end in alive])

    def meet(self, ends: Sequence[Point | None]) -> None:
        """Go on from where these ways come together."""
        alive = [end for end in ends if end is not None]
        self.at = self.new(Kind.JOIN) if alive else None
        for end in alive:
            assert self.at is not None
            link(end, self.at, Edge.NORMAL)

    def leave(self, how: Leaving, exception: str = "", *, scope: Scope | None = None) -> None:
        """Leave the track here, to where the statements and calls around it say."""
        edge = Edge.RAISED if how is Leaving.RAISE else Edge.NORMAL
        target = self._target(how, exception, scope or self.scope, edge) if self.at is not None else None
        if target is not None:
            self.go_to(target, edge)
        self.left, self.at = how, None

    def _target(self, how: Leaving, exception: str, scope: Scope, edge: Edge) -> Point | None:
        raised = Sameness.SAME
        for guard in reversed(self.around):
            if isinstance(guard, TryGuard):
                raised |= guard.raised
            match guard:
                case FinallyGuard():
                    return guard.pending.setdefault((how, exception, scope), self.new(Kind.JOIN))
                case TryGuard() if how is Leaving.RAISE:
                    if self._caught(guard, exception, edge):
                        return None
                case LoopGuard() if guard.scope is scope and how in {Leaving.BREAK, Leaving.CONTINUE}:
                    flags = raised | _union([c.flags for c in self.control[guard.base :]])
                    guard.left.append(mark(dict(scope.names), self.written, flags))
                    return guard.ends if how is Leaving.BREAK else guard.again
                case CallGuard() if guard.scope is scope and how is Leaving.RETURN:
                    scope.returned = scope.returned.under(raised)
                    return scope.exit
        return self.died if how is Leaving.RAISE else self.end

    def _caught(self, guard: TryGuard, exception: str, edge: Edge) -> bool:
        guard.raised |= self.flags
        for names, entry in guard.handlers:
            caught = self._is_caught(exception, names)
            if caught is not False:
                self.go_to(entry, edge)
                return True
        return False

    def _is_caught(self, exception: str, names: tuple[str, ...]) -> bool | None:
        """Whether a handler of these classes takes it; None where the file does not tell."""
        answers = [self._is_kind(exception, name) for name in names or ("BaseException",)]
        return True if True in answers else None if None in answers else False

    def _is_kind(self, exception: str, wanted: str) -> bool | None:
        ancestors = self._ancestors(exception)
        if wanted in ancestors or wanted == "BaseException":
            return True
        known = all(hasattr(builtins, name) or self.file.class_named(name) for name in (wanted, *ancestors))
        return False if known else None

    def _ancestors(self, exception: str) -> tuple[str, ...]:
        own = self.file.class_named(exception)
        names = (exception, *((b.rpartition(".")[2] for b in self.file.base_names(own)) if own else ()))
        if own is not None:
            names = (*names, *(c.name for c in self.file.bases(own)))
        found = dict.fromkeys(names)
        for name in names:
            kind = getattr(builtins, name, None)
            if isinstance(kind, type) and issubclass(kind, BaseException):
                found.update(dict.fromkeys(k.__name__ for k in kind.__mro__))
        if not exception or len(found) == 1:
            found["Exception"] = None
        return tuple(found)


def _union(flags: list[Sameness]) -> Sameness:
    whole = Sameness.SAME
    for one in flags:
        whole |= one
    return whole


def merged(ways: Sequence[dict[str, Held]]) -> dict[str, Held]:
    """What each name holds where these ways come together."""
    found: dict[str, Held] = {}
    for names in ways:
        for name, held in names.items():
            found[name] = found[name] | held if name in found else held
    return found


def mark(names: dict[str, Held], written: set[str], flags: Sameness) -> dict[str, Held]:
    """Let what was written under a condition bear its flags, in place."""
    for name in written & names.keys():
        names[name] = names[name].under(flags)
    return names
