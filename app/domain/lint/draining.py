"""The mend of reports that are not all read, for both sides: each rank puts one item, the parent reads each.

Several rules find the same parent; they all show this, so that following one is following the others.
"""

import ast
from dataclasses import dataclass

from app.domain.lint.channels import Taken, Told, is_same
from app.domain.lint.mending import (
    WHY_KILLED,
    clock_of,
    codes_by_number,
    empty_name,
    name_of,
    one_name,
    processes_name,
    rank_name,
    telling,
)
from app.domain.lint.program import Program, Root
from app.domain.lint.rank_guards import rank_guard
from app.domain.lint.reporting import Reporting
from app.domain.lint.steps import Part, is_loop
from app.domain.lint.workers import Worker

ONE_OF_EACH = "every rank puts exactly one item, this or its traceback"
_USUAL_S = 60
_LONGEST = 100
_FAILED = r'failed = [str(report).replace("\\n", "\n") for report in told if "Traceback" in str(report)]'


@dataclass(frozen=True, slots=True, eq=False)
class Alone:
    """What a worker tells on one rank only where all went well."""

    worker: Worker
    told: Told

    @property
    def content(self) -> ast.expr:
        return self.told.content[0]


def result_of_one(program: Program, worker: Worker, read: Taken | None = None) -> Alone | None:
    """The worker's result, if only one rank comes to tell it; of all that it tells, or on what is read."""
    told = [
        one
        for one in Reporting(program, worker).told
        if not any(within.part is Part.HANDLER for within in one.step.within)
        and (read is None or is_same(one.channel, read.channel))
    ]
    guarded = [one for one in told if rank_guard(program, one.step) is not None]
    return Alone(worker, guarded[-1]) if guarded and len(guarded) == len(told) else None


def put_of_each(program: Program, result: Alone) -> str:
    """The worker's line that tells the result, with the rank, on whichever rank."""
    rank = rank_name(result.worker.frame.ranks)
    text = program.file.text(_beside_rank(result) or result.content, longest=_LONGEST + 1)
    return telling(program, result.told, rank, text if len(text) <= _LONGEST else "result")


def _beside_rank(result: Alone) -> ast.expr | None:
    """The value of `(0, value)` or `(rank, value)`; None of what does not hold the rank."""
    match result.content:
        case ast.Tuple(elts=[ast.Constant(value=0), value]):
            return value
        case ast.Tuple(elts=[ast.Name(id=name), value]) if name in result.worker.frame.ranks:
            return value
    return None


def drain(program: Program, root: Root, read: Taken, result: Alone | None) -> list[str]:
    """The parent's lines in place of the read; `result` is what one rank alone told so far."""
    receiver, processes = name_of(program, read.receiver, "reports"), processes_name(program, root)
    used = _as_before(program, read, result)
    if isinstance(read.call.func, ast.Attribute) and read.call.func.attr.startswith("recv"):
        return [
            f"told = [reader.recv() for reader in readers]  # one of each of {processes}",
            _FAILED,
            'assert not failed, "\\n".join(failed)',
            *used,
        ]
    one, seconds, empty = one_name(processes), _seconds(read.call), empty_name(program)
    clock, unknown = clock_of(program)
    return [
        f"told, dead, end = [], {{}}, {clock}() + {seconds}{unknown}",
        f"while len(told) < len({processes}) and not dead and {clock}() < end:  # one of each {one}",
        "    try:",
        f"        told.append({receiver}.get(timeout=0.5))",
        f"    except {empty}:" + ("" if "." in empty else "  # from queue import Empty"),
        f"        dead = {codes_by_number(processes, only_bad=True)}",
        f"for {one} in {processes} if len(told) < len({processes}) else []:",
        f"    {one}.kill()  # {WHY_KILLED}",
        *_judged(processes, is_numbered=result is not None),
        *used,
    ]


def _judged(processes: str, *, is_numbered: bool) -> list[str]:
    """One assertion on all that was told; `is_numbered` where each item is known to begin with its rank."""
    if is_numbered:
        return [
            'failed = [f"rank {rank}: {text}" for rank, text in told if "Traceback" in str(text)]',
            f"silent = sorted(set(range(len({processes}))) - {{rank for rank, _ in told}})",
            'said = [f"no report of ranks {silent}, exit codes {dead}"] if silent else []',
            'assert not failed and not silent, "\\n".join([*said, *failed])',
        ]
    return [
        _FAILED,
        f'said = [f"{{len(told)}} of {{len({processes})}} reported, exit codes {{dead}}"]',
        f'assert not failed and len(told) == len({processes}), "\\n".join([*said, *failed])',
    ]


def _seconds(call: ast.Call) -> str:
    """The read's own limit, as far as it leaves time for all that the processes do."""
    given = next((k.value for k in call.keywords if k.arg == "timeout"), None)
    match given:
        case ast.Constant(value=int() | float() as seconds) if seconds > _USUAL_S:
            return f"{seconds:g}"
        case ast.Name(id=name):
            return name
    return str(_USUAL_S)


def _as_before(program: Program, read: Taken, result: Alone | None) -> list[str]:
    """The statement that used the item, finding it among those read; none where it stood in a loop."""
    around = list(program.file.around(read.call))
    statement = next((node for node in around if isinstance(node, ast.stmt)), None)
    looped = any(is_loop(within) for within in read.step.within)
    if looped or not isinstance(statement, ast.Assign | ast.AnnAssign | ast.Assert | ast.Return):
        return []
    text, call = (program.file.text(node, longest=_LONGEST) for node in (statement, read.call))
    if text.endswith("...") or text.count(call) != 1:
        return []
    return [text.replace(call, _item(result))]


def _item(result: Alone | None) -> str:
    if result is None:
        return "told[0]"
    return "dict(told)[0]" if _beside_rank(result) is None else "next(one for one in told if one[0] == 0)"
