"""Only one rank reports, so what another rank raised is told by nobody.

In the incident behind this rule the parent took the success of rank 0, while the traceback of rank 1 was
what everyone looked for. Where rank 1 does not even have a way to tell it, the log ends with an exit code.

Workers whose exceptions reach the parent by other means (spawn, a pool, a program's stderr) are named only
where they swallow what they catch.
"""

import ast
from collections.abc import Iterator

from app.domain.lint.channels import Medium, Told, is_same, taken
from app.domain.lint.draining import ONE_OF_EACH, Alone, drain, put_of_each, result_of_one
from app.domain.lint.finding import Rule
from app.domain.lint.mending import mend, name_of, rank_name, telling
from app.domain.lint.program import Program
from app.domain.lint.rank_guards import rank_guard
from app.domain.lint.reporting import Reporting
from app.domain.lint.weakness import Weakness
from app.domain.lint.workers import How, Worker


def find(program: Program) -> Iterator[Weakness]:
    for worker, tests in program.workers:
        reporting = Reporting(program, worker)
        silent = worker.start.how is How.PROCESS or reporting.swallows
        if not silent or not worker.start.several or worker.start.how is How.CASE:
            continue
        said = _reports(reporting)
        written = [one for one in reporting.telling_handlers.values() if one not in said]
        guards = [rank_guard(program, one.step) for one in (*written, *said)]
        if said and all(guard is not None for guard in guards):
            yield _weakness(program, reporting, said[-1], guards[-1], tests)


def _reports(reporting: Reporting) -> list[Told]:
    """What counts as a report: words over a channel; files only of a worker that has no other way."""
    spoken = [one for one in reporting.told if one.medium is not Medium.FILE]
    return spoken or (list(reporting.told) if reporting.swallows else [])


def _weakness(
    program: Program, reporting: Reporting, report: Told, guard: ast.AST | None, tests: tuple[str, ...]
) -> Weakness:
    function = reporting.worker.function
    who = "the script" if function.is_module else f"`{function.name}`"
    channel = name_of(program, report.receiver, "its report")
    line = getattr(guard, "lineno", 1)
    text = (
        f"{who} tells `{channel}` something on one rank only (the condition of line {line}), "
        "so what any other rank raises reaches nobody"
    )
    return Weakness(Rule.RANK_0_ONLY_REPORT, report.step.node, tests, text, _mend(program, reporting, report))


def _mend(program: Program, reporting: Reporting, report: Told) -> str:
    """Both sides, where the file shows the parent: who reads one item of one rank is to read one of each."""
    worker = reporting.worker
    result = result_of_one(program, worker)
    told = "    ...  # the work, the report of its result included"
    if result is not None and result.told.medium in {Medium.QUEUE, Medium.SHARED}:
        told = f"    {put_of_each(program, result)}  # {ONE_OF_EACH}"
    unknown = "" if "traceback" in program.file.imported else "; import traceback"
    return mend(
        "try:",
        *(("    ...  # the work", told) if "..." not in told else (told,)),
        f"except BaseException:  # on every rank{unknown}",
        f"    {telling(program, report, rank_name(worker.frame.ranks), 'traceback.format_exc()')}",
        "    raise",
        *_parent(program, worker, report, result),
    )


def _parent(program: Program, worker: Worker, report: Told, result: Alone | None) -> list[str]:
    for root in program.roots if report.medium is Medium.QUEUE else ():
        for read in taken(program, root.steps) if worker in root.workers else ():
            if is_same(read.channel, report.channel):
                return [
                    "# in the parent, before it asserts how they ended:",
                    *drain(program, root, read, result),
                ]
    return []
