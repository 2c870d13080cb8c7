"""What a function does, in order: its statements and calls, also those of the file's functions that it calls.

A step stands within the compound statements around it, also those around the call that led there: an
`all_reduce` in a helper that is called inside a `try` stands within that try.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from app.domain.lint.frames import Callee, Frame
from app.domain.lint.source import SourceFile
from app.domain.lint.values import Values

MOST_STEPS = 6_000  # of one root; a long test of torch's own suite has a few hundred
DEEPEST_CALLS = 8
_DEEPEST_WALK = 400  # nodes on one path, calls included; keeps hostile nesting off the interpreter's stack


class Part(StrEnum):
    """In which part of a compound statement, or of a call, a step stands."""

    BODY = "body"
    HANDLER = "handler"
    ORELSE = "orelse"
    FINALLY = "finally"
    TEST = "test"
    CALL = "call"


@dataclass(frozen=True, slots=True, eq=False)
class Within:
    """One thing around a step: `if`, `for`, `while`, `try`, `with`, comprehension, the call that led in.

    `frame` is the activation in which the thing itself stands; `handler` is the except clause for HANDLER.
    """

    node: ast.AST
    part: Part
    frame: Frame
    handler: ast.ExceptHandler | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A statement (before its parts) or a call (after its arguments). `within` is outermost first."""

    node: ast.stmt | ast.Call
    frame: Frame
    within: tuple[Within, ...]

    def loops(self) -> Iterator[Within]:
        return (w for w in self.within if is_loop(w))

    def tries(self) -> Iterator[Within]:
        """Those whose body it stands in: where what it raises can be caught, innermost last."""
        return (w for w in self.within if isinstance(w.node, ast.Try | ast.TryStar) and w.part is Part.BODY)


def is_loop(within: Within) -> bool:
    """Whether what stands within is done again and again."""
    kinds = ast.For | ast.AsyncFor | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    return isinstance(within.node, kinds) and within.part in {Part.BODY, Part.TEST}


def is_yield(node: ast.AST) -> bool:
    """Whether a statement is where a generator hands over."""
    return isinstance(node, ast.Expr | ast.Assign) and isinstance(node.value, ast.Yield)


def walk(file: SourceFile, values: Values, frame: Frame) -> tuple[Step, ...]:
    """The steps of one activation, in the order in which they would be done; cut at MOST_STEPS."""
    walker = _Walker(file, values)
    walker.function(frame, ())
    return tuple(walker.steps)


class _Walker:
    def __init__(self, file: SourceFile, values: Values) -> None:
        self._file = file
        self._values = values
        self.steps: list[Step] = []
        self._active: list[Frame] = []
        self._depth = 0

    def function(self, frame: Frame, within: tuple[Within, ...]) -> None:
        if len(self._active) >= DEEPEST_CALLS or any(a.function is frame.function for a in self._active):
            return
        self._active.append(frame)
        self._all(frame.function.body, frame, within)
        self._active.pop()

    def _all(
        self, nodes: "tuple[ast.AST, ...] | list[ast.stmt]", frame: Frame, within: tuple[Within, ...]
    ) -> None:
        for node in nodes:
            self._visit(node, frame, within)

    def _visit(self, node: ast.AST, frame: Frame, within: tuple[Within, ...]) -> None:
        if self._depth >= _DEEPEST_WALK or len(self.steps) >= MOST_STEPS:
            return
        self._depth += 1
        if isinstance(node, ast.stmt):
            self.steps.append(Step(node, frame, within))
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            self._parts(node, frame, within)
        if isinstance(node, ast.Call):
            self.steps.append(Step(node, frame, within))
            self._into(node, frame, within)
        self._depth -= 1

    def _parts(self, node: ast.AST, frame: Frame, within: tuple[Within, ...]) -> None:
        match node:
            case ast.Try() | ast.TryStar():
                self._try(node, frame, within)
            case ast.If() | ast.IfExp() | ast.While():
                self._branch(node, frame, within)
            case ast.For() | ast.AsyncFor():
                self._visit(node.iter, frame, within)
                self._all(node.body, frame, (*within, Within(node, Part.BODY, frame)))
                self._all(node.orelse, frame, (*within, Within(node, Part.ORELSE, frame)))
            case ast.With() | ast.AsyncWith():
                self._with(node, frame, within)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self._comprehension(node, frame, within)
            case _:
                self._all(tuple(ast.iter_child_nodes(node)), frame, within)

    def _try(self, node: "ast.Try | ast.TryStar", frame: Frame, within: tuple[Within, ...]) -> None:
        self._all(node.body, frame, (*within, Within(node, Part.BODY, frame)))
        for handler in node.handlers:
            self._all(handler.body, frame, (*within, Within(node, Part.HANDLER, frame, handler)))
        self._all(node.orelse, frame, (*within, Within(node, Part.ORELSE, frame)))
        self._all(node.finalbody, frame, (*within, Within(node, Part.FINALLY, frame)))

    def _with(self, node: "ast.With | ast.AsyncWith", frame: Frame, within: tuple[Within, ...]) -> None:
        """What a context manager of the file does on leaving stands after the body."""
        leaving: list[Step] = []
        for item in node.items:
            before = len(self.steps)
            self._visit(item.context_expr, frame, within)
            leaving = [*self._cut_at_yield(before), *leaving]
            self._method(item.context_expr, "__enter__", frame, within)
        self._all(node.body, frame, (*within, Within(node, Part.BODY, frame)))
        for item in reversed(node.items):
            self._method(item.context_expr, "__exit__", frame, within)
        self.steps += leaving

    def _cut_at_yield(self, before: int) -> list[Step]:
        """Take away what a generator does after its yield."""
        for place in range(before, len(self.steps)):
            if is_yield(self.steps[place].node):
                leaving = self.steps[place + 1 :]
                del self.steps[place + 1 :]
                return leaving
        return []

    def _method(self, made: ast.expr, name: str, frame: Frame, within: tuple[Within, ...]) -> None:
        origin = self._values.origin(made, frame)
        if isinstance(origin.node, ast.Call) and isinstance(origin.node.func, ast.Name):
            owner = self._file.class_named(origin.node.func.id)
            method = self._file.method(owner, name) if owner is not None else None
            if method is not None:
                callee = Callee(method, self._values.module)
                self.function(callee.called_with((), {}), (*within, Within(made, Part.CALL, frame)))

    def _branch(
        self, node: "ast.If | ast.IfExp | ast.While", frame: Frame, within: tuple[Within, ...]
    ) -> None:
        test = (*within, Within(node, Part.TEST, frame)) if isinstance(node, ast.While) else within
        self._visit(node.test, frame, test)
        body = (node.body,) if isinstance(node, ast.IfExp) else tuple(node.body)
        orelse = (node.orelse,) if isinstance(node, ast.IfExp) else tuple(node.orelse)
        self._all(body, frame, (*within, Within(node, Part.BODY, frame)))
        self._all(orelse, frame, (*within, Within(node, Part.ORELSE, frame)))

    def _comprehension(
        self,
        node: "ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp",
        frame: Frame,
        within: tuple[Within, ...],
    ) -> None:
        self._visit(node.generators[0].iter, frame, within)
        inside = (*within, Within(node, Part.BODY, frame))
        for generator in node.generators:
            self._all(tuple(generator.ifs), frame, inside)
        for generator in node.generators[1:]:
            self._visit(generator.iter, frame, inside)
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        self._all(parts, frame, inside)

    def _into(self, call: ast.Call, frame: Frame, within: tuple[Within, ...]) -> None:
        inside = (*within, Within(call, Part.CALL, frame))
        for callee in self._called(call, frame):
            self.function(self._values.activation(callee, call, frame), inside)
        if self._file.dotted(call.func).rpartition(".")[2] == "Thread":
            for keyword in call.keywords:
                if keyword.arg == "target":
                    for callee in self._values.callees(keyword.value, frame):
                        self.function(callee.called_with((), {}), inside)

    def _called(self, call: ast.Call, frame: Frame) -> tuple[Callee, ...]:
        if isinstance(call.func, ast.Name):
            owner = self._file.class_named(call.func.id)
            made = self._file.method(owner, "__init__") if owner is not None else None
            if made is not None:
                return (Callee(made, self._values.module),)
        return self._values.callees(call.func, frame)
