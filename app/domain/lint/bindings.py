"""Where the names of one function get their values, and what is put into its containers."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_FILLS = {"append", "add", "extend", "update", "insert", "appendleft", "setdefault", "put", "write"}


@dataclass(frozen=True, slots=True)
class Binding:
    """One place where a name gets its value: `how` is assigned, each (of a loop) or entered (by with).

    `places` is the way into an unpacked value: `a, (b, c) = x` binds c to x at (1, 1). `node` is the
    statement, with-item or comprehension clause that does it.
    """

    value: ast.expr
    places: tuple[int, ...]
    how: str
    node: ast.AST


def bindings_of(nodes: tuple[ast.AST, ...]) -> dict[str, list[Binding]]:
    found: dict[str, list[Binding]] = {}
    for node in nodes:
        for target, value, how in _targets(node):
            for name, places in _unpacked(target):
                found.setdefault(name, []).append(Binding(value, places, how, node))
    return found


def _targets(node: ast.AST) -> list[tuple[ast.expr, ast.expr, str]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            return [(target, value, "assigned") for target in targets]
        case (
            ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.NamedExpr(target=target, value=value)
        ):
            return [(target, value, "assigned")]
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            return [(node.target, node.iter, "each")]
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            return [(target, value, "entered")]
    return []


def _unpacked(target: ast.expr) -> Iterator[tuple[str, tuple[int, ...]]]:
    waiting: list[tuple[ast.expr, tuple[int, ...]]] = [(target, ())]
    while waiting:
        node, places = waiting.pop()
        if isinstance(node, ast.Tuple | ast.List):
            waiting += [(child, (*places, i)) for i, child in enumerate(node.elts)]
        elif isinstance(node, ast.Name):
            yield node.id, places
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}", places


def filled(nodes: tuple[ast.AST, ...]) -> Iterator[tuple[str, ast.expr]]:
    """Names of containers and what is put into them."""
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=target, attr=attr), args=args) if attr in _FILLS:
                yield from ((name, value) for name in _spelled(target) for value in args)
            case ast.Assign(targets=[ast.Subscript(value=target)], value=value):
                yield from ((name, value) for name in _spelled(target))
            case ast.AugAssign(target=target, value=value):
                yield from ((name, value) for name in _spelled(target))


def _spelled(target: ast.expr) -> tuple[str, ...]:
    while isinstance(target, ast.Subscript):
        target = target.value
    match target:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=ast.Name(id=owner), attr=attr):
            return (f"{owner}.{attr}",)
    return ()


def default_of(node: ast.AST, name: str) -> ast.expr | None:
    """What a parameter of a function is where no one gives it."""
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    last = positional[len(positional) - len(arguments.defaults) :]
    defaults: dict[str, ast.expr | None] = dict(zip((a.arg for a in last), arguments.defaults, strict=True))
    defaults |= zip((a.arg for a in arguments.kwonlyargs), arguments.kw_defaults, strict=True)
    return defaults.get(name)
