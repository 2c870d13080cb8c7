"""Whether what an expression gives depends on a certain kind of source: an exit code, a report, an is_alive.

Goes backwards through assignments, loops, lists that are filled, arguments and returns, in the frames in
which they happen.
"""

import ast
from collections.abc import Callable, Iterator
from itertools import takewhile

from app.domain.lint.frames import Frame
from app.domain.lint.values import Values

_FARTHEST = 10
MOST_QUESTIONS = 100_000  # of one rule in one file; torch's longest test file asks a tenth of that

Source = Callable[[ast.AST, Frame], bool]


class Derived:
    """Answers for one kind of source; remembers them."""

    def __init__(self, values: Values, is_source: Source) -> None:
        self._values = values
        self.is_source = is_source
        self._known: dict[tuple[ast.AST, Frame], bool] = {}

    def holds(self, node: ast.AST, frame: Frame, hops: int = _FARTHEST) -> bool:
        """Whether any part of the expression depends on a source."""
        key = (node, frame)
        if key not in self._known and hops > 0 and len(self._known) < MOST_QUESTIONS:
            self._known[key] = False  # what is asked for again while it is being answered adds nothing
            self._known[key] = any(self._part_holds(part, frame, hops) for part in _parts(node))
        return self._known.get(key, False)

    def _part_holds(self, part: ast.AST, frame: Frame, hops: int) -> bool:
        if self.is_source(part, frame):
            return True
        match part:
            case ast.Name(ctx=ast.Load(), id=name):
                return self._name_holds(name, part, frame, hops)
            case ast.Attribute(ctx=ast.Load()):
                return self._attribute_holds(part, frame, hops)
            case ast.Call():
                return self._returns(part, frame, hops)
        return False

    def _name_holds(self, name: str, use: ast.AST, frame: Frame, hops: int) -> bool:
        scope: Frame | None = frame
        while scope is not None:
            if name in scope.given:
                held = scope.given[name]
                return self.holds(held.node, held.frame, hops - 1) or self._filled(name, scope, hops)
            bound = self._values.file.bindings_at(scope.function, name, use)
            if bound or name in scope.function.parameters:
                return any(self._bound_holds(b.value, b.places, scope, hops) for b in bound) or self._filled(
                    name, scope, hops
                )
            scope = scope.outer
        return False

    def _bound_holds(self, value: ast.expr, places: tuple[int, ...], scope: Frame, hops: int) -> bool:
        """Only the part that is unpacked, where the file shows it: `codes, reports = launch()`."""
        if places:
            origin = self._values.origin(value, scope)
            if isinstance(origin.node, ast.Tuple) and not origin.place and places[0] < len(origin.node.elts):
                return self.holds(origin.node.elts[places[0]], origin.frame, hops - 1)
        return self.holds(value, scope, hops - 1) or (
            isinstance(value, ast.Constant) and self._decided(value, scope, hops)
        )

    def _decided(self, value: ast.expr, scope: Frame, hops: int) -> bool:
        """Whether a source decides if this value is given: `failed = True` under `if process.exitcode`."""
        inside = takewhile(lambda node: node is not scope.function.node, self._values.file.around(value))
        return any(isinstance(node, ast.If) and self.holds(node.test, scope, hops - 1) for node in inside)

    def _filled(self, name: str, scope: Frame, hops: int) -> bool:
        values = self._values.file.fills(scope.function).get(name, ())
        return any(self.holds(v, scope, hops - 1) or self._decided(v, scope, hops) for v in values)

    def _attribute_holds(self, node: ast.Attribute, frame: Frame, hops: int) -> bool:
        if isinstance(node.value, ast.Name):
            owner = self._values.frame_owner(frame)
            name = f"{node.value.id}.{node.attr}"
            for method in self._values.file.methods(owner) if owner is not None else ():
                if node.value.id in method.parameters[:1] and self._filled(
                    name, self._values.frame(method), hops
                ):
                    return True
        origin = self._values.origin(node, frame, 6)
        return origin.node is not node and self.holds(origin.node, origin.frame, hops - 1)

    def _returns(self, call: ast.Call, frame: Frame, hops: int) -> bool:
        for callee in self._values.callees(call.func, frame):
            inside = self._values.activation(callee, call, frame)
            if any(
                self.holds(value, inside, hops - 1) for value in self._values.file.returned(callee.function)
            ):
                return True
        return False


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The expression and all in it, without what processes are given."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        if not _hands_over(current):
            waiting += ast.iter_child_nodes(current)


def _hands_over(node: ast.AST) -> bool:
    """Whether a call makes a process or thread: what it is given is not what it is."""
    return isinstance(node, ast.Call) and any(keyword.arg == "target" for keyword in node.keywords)
