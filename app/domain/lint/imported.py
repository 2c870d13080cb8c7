"""What the imports of a file make its names mean."""

import ast

# Where torch defines a name, and the spelling that its documentation gives.
_SPELLINGS = (
    ("torch.distributed.distributed_c10d.", "torch.distributed."),
    ("torch.distributed.device_mesh.", "torch.distributed."),
    ("torch.multiprocessing.spawn.", "torch.multiprocessing."),
    ("multiprocessing.context.", "multiprocessing."),
    ("multiprocessing.process.", "multiprocessing."),
    ("multiprocessing.queues.", "multiprocessing."),
)


def imported_names(tree: ast.Module) -> dict[str, str]:
    """Local name to full dotted name, of all imports wherever they stand in the file."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            front = _module(node)
            for alias in node.names:
                found[alias.asname or alias.name] = f"{front}.{alias.name}"
    return found


def star_modules(tree: ast.Module) -> tuple[str, ...]:
    """The modules that `from ... import *` names."""
    return tuple(
        _module(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
    )


def usual_spelling(dotted: str) -> str:
    """The name that documentation uses for what has several addresses."""
    for inner, usual in _SPELLINGS:
        if dotted.startswith(inner):
            return usual + dotted.removeprefix(inner)
    return dotted


def _module(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")
