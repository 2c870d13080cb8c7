"""What a call gives to which parameter, as its text and the signature tell."""

import ast

from app.domain.lint.source import Function


def argument(call: ast.Call, place: int, names: tuple[str, ...]) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg in names:
            return keyword.value
    return call.args[place] if 0 <= place < len(call.args) else None


def collecting(function: Function) -> tuple[str, ...]:
    """`args` and `kwargs` of a signature."""
    assert not isinstance(function.node, ast.Module)
    arguments = function.node.args
    return tuple(a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None)


def has_default(function: Function, name: str) -> bool:
    assert not isinstance(function.node, ast.Module)
    arguments = function.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    keyword = [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    return any(a.arg == name for a in (*with_default, *keyword))
