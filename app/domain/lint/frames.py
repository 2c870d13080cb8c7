"""Activations of functions with what their parameters hold, and values that mean something in them.

So the `queue` of a worker and the `result_queue` of the test that starts it resolve to one `ctx.Queue()`.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.lint.source import Function


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One activation of a function. `outer` is the activation of the function around it, for its closures.

    `ranks` are the parameters that hold the rank, where it is the first function of a process; `made` is the
    call that made the instance, where it is a method's and that is known.
    """

    function: Function
    given: Mapping[str, "Value"] = field(default_factory=dict)
    outer: "Frame | None" = None
    ranks: frozenset[str] = frozenset()
    made: "Value | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """An expression and the frame in which its names mean something; `place` leads into it."""

    node: ast.AST
    frame: Frame
    place: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Callee:
    """A function of the file with the arguments that a partial or an instance has given it already."""

    function: Function
    outer: Frame | None
    given: tuple[Value, ...] = ()
    named: Mapping[str, Value] = field(default_factory=dict)
    made: Value | None = None

    def called_with(self, positional: tuple[Value, ...], named: Mapping[str, Value]) -> Frame:
        """The activation that a call with these further arguments makes."""
        names = self.function.parameters[1:] if self.function.is_bound_method else self.function.parameters
        handed = (*self.given, *positional)
        held = dict(zip(names, handed, strict=False))
        rest = handed[len(names) :]
        if self.function.spread is not None and rest:
            nodes = [value.node for value in rest if isinstance(value.node, ast.expr)]
            held[self.function.spread] = Value(ast.Tuple(elts=nodes, ctx=ast.Load()), rest[0].frame)
        return Frame(self.function, held | dict(self.named) | dict(named), self.outer, made=self.made)


def outward(frame: Frame | None) -> "list[Frame]":
    found = []
    while frame is not None:
        found.append(frame)
        frame = frame.outer
    return found
