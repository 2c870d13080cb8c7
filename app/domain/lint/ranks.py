"""Which expressions tell a process its own rank, and how many of something there are."""

import ast

from app.domain.lint.frames import Frame, Value
from app.domain.lint.source import SourceFile
from app.domain.lint.values import Values

RANK_NAMES = frozenset({
    "rank", "local_rank", "global_rank", "my_rank", "rank_id", "node_rank", "dist_rank",
    "world_rank", "process_rank", "proc_rank", "worker_rank", "local_rank_id", "proc_id",
    "process_id", "worker_id", "process_index", "process_idx", "rank_index", "rank_idx",
    "worker_idx", "worker_index", "proc_index", "proc_idx",
})  # fmt: skip
# Parameters of these names are a rank only where the start of the worker says so.
_INDEX_NAMES = frozenset({"i", "idx", "index", "r", "pid", "n", "wid"})
_RANK_CALLS = ("get_rank", "get_local_rank", "get_global_rank", "get_node_local_rank", "get_node_rank")
_RANK_VARIABLES = frozenset(
    {"RANK", "LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "GROUP_RANK", "PMI_RANK"}
)


def is_rank(file: SourceFile, values: Values, node: ast.AST, frame: Frame) -> bool:
    """Whether the expression is the number of the process that computes it."""
    return any(_tells_rank(file, value) for value in values.chain(node, frame))


def _tells_rank(file: SourceFile, value: Value) -> bool:  # noqa: PLR0911 - a kind each
    match value.node:
        case ast.Name(id=name):
            return name.lower() in RANK_NAMES or name in value.frame.ranks
        case ast.Attribute(attr=attr):
            return attr in RANK_NAMES
        case ast.Call(func=ast.Name(id="int"), args=[inner]):
            return _tells_rank(file, Value(inner, value.frame))
        case ast.Call(func=ast.Attribute(attr="get" | "getenv"), args=[ast.Constant(value=str(name)), *_]):
            return name in _RANK_VARIABLES
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name in _RANK_VARIABLES
        case ast.Call(func=function):
            last = file.dotted(function).rpartition(".")[2]
            return last in _RANK_CALLS or (last == "rank" and not value.node.args)
    return False


def is_index_name(name: str) -> bool:
    return name in _INDEX_NAMES


def number(values: Values, node: ast.AST, frame: Frame, hops: int = 6) -> int | None:
    """The whole number that an expression is, the largest where a test is parametrized; None if not told."""
    value = values.origin(node, frame)
    match value.node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(told)):
            parametrized = _largest_case(values, node, frame)
            return told if parametrized is None else parametrized
        case ast.Call(func=ast.Name(id="len"), args=[inner]) if hops:
            return element_count(values, inner, value.frame, hops - 1)
        case ast.BinOp(left=left, op=operation, right=right) if hops:
            a, b = number(values, left, value.frame, hops - 1), number(values, right, value.frame, hops - 1)
            return None if a is None or b is None else _computed(operation, a, b)
    return None


def _largest_case(values: Values, node: ast.AST, frame: Frame) -> int | None:
    for value in values.chain(node, frame):
        if isinstance(value.node, ast.Name) and value.node.id not in value.frame.given:
            cases = values.parametrized(value.frame.function, value.node.id)
            told = [c.value for c in cases if isinstance(c, ast.Constant) and isinstance(c.value, int)]
            if told:
                return max(told)
    return None


def _computed(operation: ast.operator, a: int, b: int) -> int | None:
    match operation:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
    return None


def element_count(values: Values, node: ast.AST, frame: Frame, hops: int = 6) -> int | None:  # noqa: PLR0911 - a kind each
    """How many elements a loop over the expression sees; None if the file does not tell."""
    value = values.origin(node, frame)
    match value.node:
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            spread = any(isinstance(e, ast.Starred) for e in elements)
            return None if spread or not elements or value.place else len(elements)
        case ast.Call(func=ast.Name(id="range"), args=[stop]) if hops:
            return number(values, stop, value.frame, hops - 1)
        case ast.Call(func=ast.Name(id="range"), args=[start, stop]) if hops:
            low, high = (
                number(values, start, value.frame, hops - 1),
                number(values, stop, value.frame, hops - 1),
            )
            return None if low is None or high is None else high - low
        case ast.Call(
            func=ast.Name(id="enumerate" | "list" | "tuple" | "reversed" | "sorted"), args=[inner, *_]
        ) if hops:
            return element_count(values, inner, value.frame, hops - 1)
        case ast.Call(func=ast.Name(id="zip"), args=inner) if hops:
            counts = [element_count(values, one, value.frame, hops - 1) for one in inner]
            return min((c for c in counts if c is not None), default=None)
        case ast.ListComp(generators=[one]) | ast.GeneratorExp(generators=[one]) if hops and not one.ifs:
            return element_count(values, one.iter, value.frame, hops - 1)
    return None
