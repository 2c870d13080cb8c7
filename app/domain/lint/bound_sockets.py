"""Sockets that a file binds only to learn a number: how long each is open, and what becomes of its number."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from app.domain.lint.program import Program
from app.domain.lint.source import Function, own_nodes

_NUMBER_OF = frozenset({"getsockname", "server_address", "server_port"})
_CLOSES = frozenset({"close", "server_close", "shutdown"})
_PROBES_ONLY = frozenset(
    {"bind", "close", "setsockopt", "getsockname", "settimeout", "listen", "setblocking"}
)
MOST_OF_A_FUNCTION = 20  # sockets that are looked at; each is looked for in the whole function
_PARTS = (ast.Name, ast.Attribute, ast.Subscript)


@dataclass(frozen=True, eq=False)
class BoundSocket:
    """One `bind` (or a server made) of a function. `holder` is the socket's own text, "" where it has no
    name.
    """

    program: Program
    function: Function
    call: ast.Call
    holder: str
    candidate: str
    """The name of the number where the file chose it, "" where the system does."""

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        return list(own_nodes(self.function))

    @property
    def number_name(self) -> str:
        return self.candidate or next(iter(sorted(self._numbers)), "")

    @cached_property
    def _numbers(self) -> set[str]:
        """What the number is called: names and attributes that are given it."""
        found = {self.candidate} - {""}
        for node in self._nodes:
            if isinstance(node, ast.Assign) and self._mentions(node.value, found):
                targets = [e for t in node.targets for e in (t.elts if isinstance(t, ast.Tuple) else [t])]
                found |= {self._text(t) for t in targets if isinstance(t, _PARTS)} - {"_"}
        return found

    def _text(self, node: ast.AST) -> str:
        return self.program.file.text(node)

    def _mentions(self, node: ast.AST, numbers: set[str]) -> bool:
        """Whether the number is part of an expression."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Attribute) and inner.attr in _NUMBER_OF and self._is_holder(inner.value):
                return True
            if isinstance(inner, _PARTS) and self._text(inner) in numbers:
                return True
        return False

    def _is_holder(self, node: ast.AST) -> bool:
        """Whether an expression is the socket, also as one of several in a loop."""
        return self._text(node).partition("[")[0] == self.holder

    def number_used_after_release(self) -> ast.AST | None:
        """Where the number is used, or leaves the function, with its socket closed; None where it is held."""
        if self._is_handed_on() or (self.candidate and not self._only_probes()):
            return None
        released = self._release()
        if released is None:
            return None
        return next((node for node in self._nodes if self._uses(node, released)), None)

    def _only_probes(self) -> bool:
        used = {n.attr for n in self._nodes if isinstance(n, ast.Attribute) and self._is_holder(n.value)}
        return used <= _PROBES_ONLY

    def _is_handed_on(self) -> bool:
        """Whether the socket itself is kept, returned, or given to someone."""
        for node in self._nodes:
            match node:
                case ast.Return(value=ast.expr() as value) | ast.Yield(value=ast.expr() as value):
                    if any(self._is_holder(e) for e in _elements(value)):
                        return True
                case ast.Call(args=args, keywords=keywords):
                    given = [e for a in (*args, *(k.value for k in keywords)) for e in _elements(a)]
                    if any(
                        self._is_holder(e) or self._is_descriptor(e) for e in given
                    ) and not self._is_closing(node):
                        return True
                case ast.Assign(targets=[ast.Attribute() | ast.Subscript()], value=value) if self._is_holder(
                    value
                ):
                    return True
        return "." in self.holder and not self._closes()

    def _is_descriptor(self, node: ast.AST) -> bool:
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr="fileno" | "detach")):
                return self._is_holder(inner)
        return False

    def _is_closing(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self._text(node.func).rpartition(".")[2] in {
            "closing",
            "append",
            "enter_context",
        }

    def _closes(self) -> list[ast.Call]:
        return [
            n
            for n in self._nodes
            if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in _CLOSES
            and self._is_holder(n.func.value)
        ]

    def _with(self) -> ast.With | None:
        """The block at whose end the socket is closed."""
        for node in self.program.file.around(self.call):
            if isinstance(node, ast.With) and any(self._opens(item) for item in node.items):
                return node
        return None

    def _opens(self, item: ast.withitem) -> bool:
        if item.context_expr is self.call:
            return True
        return item.optional_vars is not None and self._is_holder(item.optional_vars)

    def _release(self) -> int | None:
        """The last line on which the socket is open for sure; a huge one where only leaving the function
        closes it.
        """
        block = self._with()
        if block is not None:
            return block.end_lineno or block.lineno
        closes = self._closes()
        if closes:
            behind = [c.lineno for c in closes if c.lineno >= self.call.lineno]
            return min(behind or [c.lineno for c in closes])
        return None if "." in self.holder or self.function.is_module else _NEVER

    @cached_property
    def _another(self) -> int:
        """The line from which on its name means another socket."""
        again = [
            n.lineno
            for n in self._nodes
            if isinstance(n, ast.Assign) and n.lineno > self.call.lineno and self._is_holder(n.targets[0])
        ]
        return min(again, default=_NEVER)

    def _uses(self, node: ast.AST, released: int) -> bool:
        line = int(getattr(node, "lineno", 0))
        if line > self._another:
            return False
        match node:
            case ast.Return(value=ast.expr() as value):
                return self._tells(value)
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()], value=value):
                return self._mentions(value, self._numbers) and released != _NEVER and not self._yields()
            case ast.Yield(value=ast.expr() as value):
                return line > released and self._mentions(value, self._numbers)
            case ast.Call():
                return line > released and self._mentions(node, self._numbers)
        return False

    def _tells(self, value: ast.expr) -> bool:
        """Whether what is returned is the number, or that a candidate is free."""
        if self.candidate and isinstance(value, ast.Constant):
            return value.value is True
        return self._mentions(value, self._numbers)

    def _yields(self) -> bool:
        """Whether the number is in use while the block that holds the socket is open."""
        block = self._with()
        return block is not None and any(isinstance(n, ast.Yield) for n in ast.walk(block))


_NEVER = 10**9


def bound_sockets(program: Program) -> Iterator[BoundSocket]:
    """Every socket of the file that is bound to a number that nobody has fixed."""
    for function in program.file.functions:
        calls = (node for node in own_nodes(function) if isinstance(node, ast.Call))
        bound = (_bound(program, function, call) for call in calls)
        yield from islice((one for one in bound if one is not None), MOST_OF_A_FUNCTION)


def _bound(program: Program, function: Function, call: ast.Call) -> BoundSocket | None:
    if not call.args or not isinstance(call.args[0], ast.Tuple) or len(call.args[0].elts) < 2:  # noqa: PLR2004 - host and port
        return None
    port = call.args[0].elts[1]
    if isinstance(call.func, ast.Attribute) and call.func.attr == "bind":
        holder = program.file.text(call.func.value)
        if not _is_socket(program, call.func.value):
            return None
        if isinstance(port, ast.Name) and not _is_zero(program, function, port):
            return BoundSocket(program, function, call, holder, port.id)
    elif program.file.dotted(call.func).rpartition(".")[2].endswith(("create_server", "Server")):
        holder = _holder(program, call)
    else:
        return None
    return BoundSocket(program, function, call, holder, "") if _is_zero(program, function, port) else None


def _is_socket(program: Program, node: ast.expr) -> bool:
    dotted = program.file.dotted(node)
    made = program.values.origin(node, program.values.frame(program.file.function_of(node)))
    text = f"{dotted} {program.file.dotted(made.node)} {program.file.text(made.node)}"
    return "sock" in text.lower() or "sock" in program.file.text(node).lower()


def _is_zero(program: Program, function: Function, node: ast.expr) -> bool:
    origin = program.values.origin(node, program.values.frame(function)).node
    return isinstance(origin, ast.Constant) and origin.value == 0 and origin.value is not False


def _holder(program: Program, call: ast.Call) -> str:
    """What the server that a call makes is called."""
    match next((n for n in program.file.around(call) if isinstance(n, ast.stmt | ast.withitem)), None):
        case ast.Assign(targets=[target]) | ast.withitem(optional_vars=ast.expr() as target):
            return program.file.text(target)
    return ""


def _elements(node: ast.expr) -> list[ast.expr]:
    return (
        [e for inner in node.elts for e in _elements(inner)]
        if isinstance(node, ast.Tuple | ast.List)
        else [node]
    )
