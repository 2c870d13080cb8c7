"""What the expressions of a run hold, rank by rank, in the order in which they are evaluated."""

import ast
import builtins
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property

from app.domain.lint.collected import decorator_names
from app.domain.lint.flow.graph import Kind
from app.domain.lint.flow.known_calls import RANK_VARIABLES, SHAPE_NAMES, joined
from app.domain.lint.flow.track import Track
from app.domain.lint.frames import Frame
from app.domain.lint.sameness import (
    BY_RANK,
    OF_RANK,
    SAME,
    UNKNOWN,
    Held,
    Sameness,
    alike,
    by_name,
    names_a_rank,
)
from app.domain.lint.source import Function

DEEPEST = (
    130  # expressions and statements within each other, calls included; each takes some frames of Python's
)
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_WORLD = re.compile(
    r"MAIN_PROCESS_RANK|world_?size|n_?procs|num_?(?:procs|processes|ranks|workers)|n_ranks|WORLD",
    re.IGNORECASE,
)


class Expressions(Track, ABC):
    """Evaluates; `call` is made by the part above, which knows what calls do."""

    _depth = 0

    @abstractmethod
    def call(self, call: ast.Call) -> Held:
        """What a call gives, when all that it does is done."""

    @abstractmethod
    def asked(self, node: ast.Attribute, method: Function) -> Held:
        """What a property gives."""

    def held(self, node: ast.expr) -> Held:
        """What the expression holds; unknown where it is nested deeper than people write."""
        if self._depth >= DEEPEST:
            return UNKNOWN
        self._depth += 1
        found = self._held(node)
        self._depth -= 1
        return found

    def _held(self, node: ast.expr) -> Held:  # noqa: PLR0911 - one arm a kind of expression
        match node:
            case ast.Constant() | ast.Lambda():
                return SAME
            case ast.Name(id=name):
                return self.named(name, node)
            case ast.Call():
                return self.call(node)
            case ast.Attribute() | ast.Subscript():
                return self._part(node)
            case ast.BoolOp() | ast.IfExp():
                return self._chosen(node)
            case ast.Compare():
                return self._compared(node)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node)
            case ast.Yield():
                return self._yielded(node)
        return self._made(node)

    def _made(self, node: ast.expr) -> Held:
        """What is put together of parts: a literal, a sum, a string."""
        inner = [self.held(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        together = joined(inner)
        match node:
            case ast.NamedExpr(target=target):
                self.bind(target, inner[-1])
                return inner[-1]
            case ast.BinOp(left=ast.List() | ast.ListComp(), op=ast.Mult()):
                return Held(together.value, inner[0].shape | inner[1].value)
            case ast.Tuple() | ast.List() | ast.Set() | ast.Dict():
                return Held(together.value)
        return together

    def named(self, name: str, node: ast.AST) -> Held:
        """What a name holds here: in this activation, in those around it, or by what it is called."""
        frame: Frame | None = self.scope.frame
        names: dict[str, Held] | None = self.scope.names
        while frame is not None:
            if names is not None and name in names:
                return names[name]
            frame = frame.outer
            scope = self.scopes.get(frame) if frame is not None else None
            names = scope.names if scope is not None else None
        if hasattr(builtins, name) or self.file.dotted(node) != name or self.file.class_named(name):
            return SAME
        if any(f.name == name for f in self.file.functions):
            return SAME
        return by_name(name)

    def _part(self, node: ast.Attribute | ast.Subscript) -> Held:
        if isinstance(node, ast.Subscript):
            return self._element(node)
        key = self._attribute_key(node)
        if key is not None and key in self.attributes:
            return self.attributes[key]
        method = self._property(node)
        if method is not None:
            return self.asked(node, method)
        if names_a_rank(node.attr):
            return OF_RANK
        inner = self.held(node.value)
        if node.attr in SHAPE_NAMES:
            return alike(inner.shape)
        told = by_name(node.attr)
        return inner if told == UNKNOWN and key is None else inner | told

    def _property(self, node: ast.Attribute) -> Function | None:
        """The property that the attribute is, of the instance's own class or of the one class that has the
        name.
        """
        found = [f for f in self._properties if f.name == node.attr]
        return found[0] if len(found) == 1 else None

    @cached_property
    def _properties(self) -> tuple[Function, ...]:
        return tuple(
            f
            for f in self.file.functions
            if f.owner is not None and "property" in " ".join(decorator_names(self.file, f))
        )

    def _attribute_key(self, node: ast.Attribute) -> str | None:
        """One key for `self.x` in all methods of a class."""
        if not isinstance(node.value, ast.Name):
            return None
        function = self.scope.frame.function
        if function.is_bound_method and function.parameters[:1] == (node.value.id,):
            return f"self.{node.attr}"
        return None

    def _element(self, node: ast.Subscript) -> Held:
        if isinstance(node.slice, ast.Constant) and self.file.dotted(node.value) == "os.environ":
            return OF_RANK if node.slice.value in RANK_VARIABLES else SAME
        whole, place = self.held(node.value), self.held(node.slice)
        shape = whole.shape | (Sameness.UNKNOWN if place.value & Sameness.LOCAL else place.value)
        return Held(whole.value | place.value, shape)

    def _chosen(self, node: ast.BoolOp | ast.IfExp) -> Held:
        """Both sides, the later one under the condition of the earlier."""
        if isinstance(node, ast.IfExp):
            test = self.held(node.test)
            return self._either(node, test, (node.body, node.orelse)).under(test.value)
        found = self.held(node.values[0])
        for value in node.values[1:]:
            found |= self._either(node, found, (value, None))
        return found

    def _either(self, node: ast.expr, test: Held, sides: tuple[ast.expr | None, ...]) -> Held:
        found: list[Held] = []
        runs = [self._side(side, found) for side in sides]
        if any(isinstance(n, ast.Call) for side in sides if side is not None for n in ast.walk(side)):
            fork = self.add(Kind.BRANCH, node)
            fork.flags = test.value
            self.arms(fork, test.value, runs)
        else:
            for run in runs:
                run()
        return joined(found)

    def _side(self, side: ast.expr | None, found: list[Held]) -> Callable[[], None]:
        return lambda: found.append(self.held(side)) if side is not None else None

    def _compared(self, node: ast.Compare) -> Held:
        sides = [self.held(side) for side in (node.left, *node.comparators)]
        if all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            return alike(joined(sides).shape)
        if self._checks_itself(node, sides):
            return SAME
        return alike(joined(sides).value)

    def _checks_itself(self, node: ast.Compare, sides: list[Held]) -> bool:
        """`dist.get_rank() == rank`, `rank < world_size`: what holds on every rank or on none."""
        ranks = [
            held.value == BY_RANK and not isinstance(side, ast.BinOp) for held, side in _sides(node, sides)
        ]
        if all(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
            return all(ranks) or "MAIN_PROCESS_RANK" in self.file.text(
                node
            )  # the parent of torch's test cases
        others = [
            self.file.text(side)
            for (_, side), is_rank in zip(_sides(node, sides), ranks, strict=True)
            if not is_rank
        ]
        worlds = [text for text in others if _WORLD.search(text)]
        ordered = not isinstance(node.ops[0], ast.In | ast.NotIn)
        return ordered and any(ranks) and bool(worlds) and all(text in {*worlds, "0"} for text in others)

    def _comprehension(self, node: Comprehension) -> Held:
        shape = SAME
        for generator in node.generators:
            over = self.held(generator.iter)
            self.bind(generator.target, alike(over.value))
            shape |= joined([alike(over.shape), *(self.held(test) for test in generator.ifs)])
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        found: list[Held] = []
        fork = self.add(Kind.LOOP, node)
        fork.flags = shape.value
        runs = [lambda: found.extend([self.held(part) for part in parts])]
        may_skip = bool(shape.value & Sameness.LOCAL)
        self.arms(fork, shape.value, [*runs, lambda: None] if may_skip else runs)
        return Held(joined(found).value | shape.value, shape.value)

    def _yielded(self, node: ast.Yield) -> Held:
        """What a context manager of the file encloses runs where it yields."""
        found = self.held(node.value) if node.value is not None else SAME
        self.scope.returned |= found
        run, self.scope.on_yield = self.scope.on_yield, None
        if run is not None:
            run()
        return UNKNOWN

    def bind(self, target: ast.expr, held: Held) -> None:
        """Give a target its value; of unpacked ones each gets the whole, and a name that tells more is
        believed.
        """
        match target:
            case ast.Name(id=name):
                self.written.add(name)
                self.scope.names[name] = held | by_name(name) if held.value == Sameness.UNKNOWN else held
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for element in elements:
                    self.bind(element, held)
            case ast.Starred(value=inner):
                self.bind(inner, held)
            case ast.Attribute():
                self.held(target.value)
                key = self._attribute_key(target)
                if key is not None:
                    told = by_name(target.attr) if held.value == Sameness.UNKNOWN else held
                    self.written.add(key)
                    self.attributes[key] = held | told
            case _:
                assert isinstance(target, ast.Subscript)
                place = self.held(target.slice).value
                self.spread(target.value, Held(held.value | place))

    def spread(self, target: ast.expr, held: Held) -> None:
        """Let a value into a container or tensor that goes on holding what it held."""
        root = target
        while isinstance(root, ast.Subscript | ast.Attribute | ast.Starred):
            if isinstance(root, ast.Attribute) and (key := self._attribute_key(root)) is not None:
                self.written.add(key)
                self.attributes[key] = self.attributes.get(key, by_name(root.attr)) | held
                return
            root = root.value
        if isinstance(root, ast.Name):
            self.written.add(root.id)
            self.scope.names[root.id] = self.named(root.id, root) | held

    def settle(self, target: ast.expr, flags: Sameness) -> None:
        """What a collective wrote replaces what was there; what it wrote to a part replaces the whole."""
        match target:
            case ast.Name(id=name):
                self.written.discard(name)
                self.scope.names[name] = alike(flags)
            case ast.Attribute() if (key := self._attribute_key(target)) is not None:
                self.written.discard(key)
                self.attributes[key] = alike(flags)
            case ast.Attribute(value=inner, attr="grad" | "data") | ast.Subscript(value=inner):
                self.settle(inner, flags)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                for element in elements:
                    self.settle(element, flags)


def _sides(node: ast.Compare, held: list[Held]) -> list[tuple[Held, ast.expr]]:
    return list(zip(held, (node.left, *node.comparators), strict=True))
