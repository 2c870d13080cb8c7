"""A worker joins its group before the `try` that reports what it raises.

Joining is what fails most on a loaded machine: a port is taken, a peer comes late, a store does not answer.
A worker that puts its traceback on a queue in an `except`, but joins before the `try`, then exits non-zero
and says nothing. In the incident behind this rule a rank ended that way or another, and two failed runs of
main held `assert False` and no more: which of the two it was could not be told from them.

A worker that reports nothing anywhere is not this rule's business, nor is one whose caller reports for it.
"""

import ast
import re
from collections.abc import Iterator
from itertools import islice

from app.domain.lint.finding import Rule
from app.domain.lint.mending import mend, name_of, plain, rank_name, telling
from app.domain.lint.program import Program
from app.domain.lint.reporting import Reporting
from app.domain.lint.steps import Part, Step, Within
from app.domain.lint.weakness import Weakness

_JOINS = re.compile(
    r"init_process_group|init_device_mesh|init_distributed(?:_environment|_mode)?|init_rpc|init_dist"
    r"|dist_init|(?:setup|initialize)_(?:dist|distributed|process_group)"
)


def find(program: Program) -> Iterator[Weakness]:
    for worker, tests in program.workers:
        reporting = Reporting(program, worker)
        if reporting.is_recorded or not (reporting.reporting_handlers or reporting.reporting_withs):
            continue
        joined = next((step for step in reporting.steps if _joins(program, step)), None)
        if joined is None or reporting.reporting_try(joined) is not None:
            continue
        covered = ((step, guard) for step in reporting.steps if (guard := reporting.reporting_try(step)))
        for step, guard in islice(covered, 1):
            yield _weakness(program, reporting, _place(joined, step), guard, tests)


def _joins(program: Program, step: Step) -> bool:
    if not isinstance(step.node, ast.Call):
        return False
    name = program.file.dotted(step.node.func).rpartition(".")[2]
    return _JOINS.fullmatch(name) is not None and not program.values.callees(step.node.func, step.frame)


def _place(joined: Step, covered: Step) -> ast.AST:
    """The call that leads to joining, in the function from which the reporting try is reached too."""
    shared = {within.node for within in covered.within if within.part is Part.CALL}
    led_in = [
        within.node for within in joined.within if within.part is Part.CALL and within.node not in shared
    ]
    return led_in[0] if led_in else joined.node


def _weakness(
    program: Program, reporting: Reporting, place: ast.AST, guard: Within, tests: tuple[str, ...]
) -> Weakness:
    function = program.file.function_of(place)
    who = "the script" if function.is_module else f"`{function.name}`"
    report = next(iter(reporting.reporting_handlers.values()), None)
    channel = f"`{name_of(program, report.receiver, 'its report')}`" if report else "its report"
    text = (
        f"{who} calls `{program.file.text(place, longest=60)}` outside the try of line "
        f"{getattr(guard.node, 'lineno', 1)}, so a rank that cannot join exits non-zero and nothing of why "
        f"reaches {channel}"
    )
    return Weakness(Rule.INIT_OUTSIDE_TRY, place, tests, text, _mend(program, reporting, place))


def _mend(program: Program, reporting: Reporting, place: ast.AST) -> str:
    function = program.file.function_of(place)
    report = next(iter(reporting.reporting_handlers.values()), None)
    rank = rank_name(reporting.worker.frame.ranks)
    call = plain(program, place, "dist.init_process_group(backend)")
    name = "main" if function.is_module else function.name
    opened = isinstance(program.file.parent(place), ast.withitem)
    return mend(
        f"def {name}({', '.join(function.parameters)}):",
        "    try:",
        f"        with {call}:" if opened else f"        {call}",
        "            ...  # the work" if opened else "        ...  # the work",
        "    except BaseException:",
        f"        {telling(program, report, rank, 'traceback.format_exc()')}",
        "        raise",
        *(
            ()
            if opened
            else (
                "    finally:",
                "        if dist.is_initialized():  # a group that was never joined cannot be destroyed",
                "            dist.destroy_process_group()",
            )
        ),
    )
