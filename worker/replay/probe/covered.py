"""Whether a `try` of the project covers the call that a frame is making now: would anyone there see it fail?

From the exception table of the code object on 3.11 and later, from the source before that, where code
objects hold no such table. A `with` block is no `try`, and neither is what the compiler adds by itself.
"""

from __future__ import annotations

import ast
import dis
from types import CodeType, FrameType
from typing import Any, List, Optional, Tuple

from . import sites

_MOST_FRAMES = 200
_MOST_SOURCE = 2 * 1024 * 1024
_OF_WITH = {"WITH_EXCEPT_START"}
_OF_CLEANUP = {"COPY", "RERAISE", "CALL_INTRINSIC_1", "CLEANUP_THROW", "POP_EXCEPT", "SWAP"}


def by_project(depth: int = 1) -> Optional[bool]:
    """Of any project frame among the callers; None without one, or where its code cannot be told.

    A helper that initialises is covered when its caller covers it: the failure is met all the same.
    """
    import sys  # noqa: PLC0415 -- kept out of the module's names, which tests look through

    frame: Optional[FrameType] = sys._getframe(depth)  # noqa: SLF001 -- the documented way
    answer: Optional[bool] = None
    for _ in range(_MOST_FRAMES):
        if frame is None or sites.begins_process(frame.f_code):
            break
        if sites.is_project(frame.f_code):
            found = is_covered(frame)
            if found:
                return True
            answer = found if answer is None else answer
        frame = frame.f_back
    return answer


def is_covered(frame: FrameType) -> Optional[bool]:
    parse = getattr(dis, "_parse_exception_table", None)
    if parse is not None and hasattr(frame.f_code, "co_exceptiontable"):
        return _by_table(frame.f_code, frame.f_lasti, parse(frame.f_code))
    return _by_source(frame.f_code.co_filename, frame.f_lineno)


def _by_table(code: CodeType, at: int, entries: List[Any]) -> bool:
    """Follows handlers outwards: a `with`, and the tidying at the end of a handler, are passed over."""
    opcodes = {one.offset: one.opname for one in dis.get_instructions(code)}
    offsets = sorted(opcodes)
    for _ in range(len(entries) + 1):
        entry = next((one for one in entries if one.start <= at < one.end), None)
        if entry is None:
            return False
        begins = [opcodes[one] for one in offsets if one >= entry.target][:2]
        if begins[:1] == ["PUSH_EXC_INFO"] and begins[1:] and begins[1] not in _OF_WITH:
            return True
        at = entry.target
    return False


def _by_source(file: str, line: int) -> Optional[bool]:
    try:
        with open(file, "rb") as source:
            tree = ast.parse(source.read(_MOST_SOURCE))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
    holder = _innermost_function(tree, line)
    return any(_covers(one, line) for one in ast.walk(holder) if isinstance(one, ast.Try))


def _innermost_function(tree: ast.AST, line: int) -> ast.AST:
    holder, size = tree, float("inf")
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first, last = _lines(node)
            if first <= line <= last and last - first < size:
                holder, size = node, last - first
    return holder


def _covers(block: ast.Try, line: int) -> bool:
    return bool(block.body) and block.body[0].lineno <= line <= _lines(block.body[-1])[1]


def _lines(node: ast.stmt) -> Tuple[int, int]:
    return node.lineno, getattr(node, "end_lineno", None) or node.lineno
