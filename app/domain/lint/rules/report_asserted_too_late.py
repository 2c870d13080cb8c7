"""The exit codes are asserted first, so the assertion that would show the traceback never runs.

In the incident behind this rule a worker's traceback would have been looked at one line below `assert
all(process.exitcode == 0 for process in processes)`. That line failed first, and says nothing.
"""

import ast
from collections.abc import Iterator

from app.domain.lint.channels import Medium, Told, is_same, taken
from app.domain.lint.derived import Derived
from app.domain.lint.exit_checks import Check, ExitCodes, checks, decided_at
from app.domain.lint.finding import Rule
from app.domain.lint.frames import Frame
from app.domain.lint.mending import mend, name_of
from app.domain.lint.program import Program, Root
from app.domain.lint.reporting import Reporting
from app.domain.lint.steps import Part
from app.domain.lint.weakness import Weakness
from app.domain.lint.workers import How

_READS = {"read_text", "read", "readlines", "communicate", "read_bytes"}


def find(program: Program) -> Iterator[Weakness]:
    codes = ExitCodes(program)
    for root in program.roots:
        told = _failures_told(program, root)
        programs = any(start.how is How.PROGRAM for start in root.starts)
        if not told and not programs:
            continue
        reports = Derived(program.values, _Reports(program, root, told, programs=programs).is_report)
        late = _too_late(codes, reports, root)
        if late is not None:
            yield _weakness(program, root, late, told)


def _failures_told(program: Program, root: Root) -> list[Told]:
    """What the workers tell where something was raised."""
    return [one for worker in root.workers for one in Reporting(program, worker).telling_handlers.values()]


class _Reports:
    """Which expressions of the parent are what a worker has told of a failure."""

    def __init__(self, program: Program, root: Root, told: list[Told], *, programs: bool) -> None:
        self._program = program
        self._shared = [one.channel for one in told if one.medium is Medium.SHARED]
        queues = [one.channel for one in told if one.medium is Medium.QUEUE]
        self._takes = {
            read.call
            for read in taken(program, root.steps)
            if any(is_same(read.channel, queue) for queue in queues)
        }
        self._files = programs or any(one.medium is Medium.FILE for one in told)

    def is_report(self, node: ast.AST, frame: Frame) -> bool:
        if node in self._takes:
            return True
        if isinstance(node, ast.Name | ast.Attribute) and self._shared:
            origin = self._program.values.origin(node, frame)
            return any(is_same(origin, shared) for shared in self._shared)
        match node:
            case ast.Call(func=ast.Attribute(attr=attr)):
                return self._files and attr in _READS
            case ast.Attribute(attr="stderr"):
                return self._files
        return False


def _too_late(codes: ExitCodes, reports: Derived, root: Root) -> Check | None:
    """The check on exit codes before which nothing shows what was reported, and something after it would."""
    waiting = {w.node for step in root.steps if reports.is_source(step.node, step.frame) for w in step.within}
    after_all = (check for check in codes.zero_checks(root.steps) if not _is_watch(check, waiting))
    zero = next(after_all, None)
    if zero is None or any(reports.holds(part, zero.frame) for part in (*zero.message, zero.test)):
        return None
    looks = [c for c in checks(root.steps) if c.step is not zero.step and _shows(reports, c)]
    at = decided_at(root.steps, zero)
    places = [decided_at(root.steps, look) for look in looks]
    if any(place < at for place in places):
        return None
    later = any(place > at for place in places)
    return zero if later or _takes_after(reports, root, at) else None


def _is_watch(check: Check, waiting: set[ast.AST]) -> bool:
    """Whether it stands in a loop that waits for reports, or where an attempt to read one has failed."""
    return any(
        within.node in waiting and (isinstance(within.node, ast.While) or within.part is Part.HANDLER)
        for within in check.step.within
    )


def _shows(reports: Derived, check: Check) -> bool:
    """Whether a check looks into a report, rather than at whether there is one."""
    if any(reports.holds(part, check.frame) for part in check.message):
        return True
    match check.test:
        case ast.Compare(comparators=[ast.Constant(value=None)]):
            return False
        case ast.Compare(left=ast.Call(func=ast.Name(id="len"))):
            return False
    return reports.holds(check.test, check.frame)


def _takes_after(reports: Derived, root: Root, at: int) -> bool:
    return any(
        isinstance(step.node, ast.Call) and reports.is_source(step.node, step.frame)
        for step in root.steps[at + 1 :]
    )


def _weakness(program: Program, root: Root, late: Check, told: list[Told]) -> Weakness:
    written = program.file.text(
        late.step.node if isinstance(late.step.node, ast.Assert) else late.test, longest=70
    )
    channel = f"`{name_of(program, told[0].receiver, 'reports')}`" if told else "the programs' own output"
    text = (
        f"`{written}` stands before the look at {channel}: where a worker fails it fails first, "
        "and the traceback that was reported is never shown"
    )
    return Weakness(
        Rule.REPORT_ASSERTED_TOO_LATE,
        late.step.node,
        root.test_ids,
        text,
        mend(
            'failed = [report for report in reports if "Traceback" in str(report)]',
            'assert not failed, "\\n".join(map(str, failed))  # first what was reported',
            f"{written}  # then how they ended"
            if isinstance(late.step.node, ast.Assert) and "..." not in written
            else "...  # then how they ended",
        ),
    )
