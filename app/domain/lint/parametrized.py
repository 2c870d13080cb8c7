"""What `pytest.mark.parametrize` lets a parameter be."""

import ast


def parametrized(node: ast.AST, name: str) -> list[ast.expr]:
    """The expressions of all cases, in order, for one parameter of a decorated function."""
    found: list[ast.expr] = []
    for decorator in getattr(node, "decorator_list", ()):
        match decorator:
            case ast.Call(
                func=ast.Attribute(attr="parametrize"), args=[names, ast.List() | ast.Tuple() as cases, *_]
            ):
                found += _cases(names, cases, name)
    return found


def _cases(names: ast.expr, cases: ast.List | ast.Tuple, wanted: str) -> list[ast.expr]:
    match names:
        case ast.Constant(value=str(text)):
            known = [name.strip() for name in text.split(",")]
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            known = [str(e.value) for e in elements if isinstance(e, ast.Constant)]
        case _:
            known = []
    if wanted not in known:
        return []
    place, found = known.index(wanted), []
    for case in cases.elts:
        held: ast.expr = case
        if isinstance(held, ast.Call) and isinstance(held.func, ast.Attribute) and held.func.attr == "param":
            values = held.args
        else:
            values = list(held.elts) if len(known) > 1 and isinstance(held, ast.Tuple | ast.List) else [held]
        if place < len(values):
            found.append(values[place])
    return found
