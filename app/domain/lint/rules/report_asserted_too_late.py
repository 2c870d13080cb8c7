"""The exit codes are asserted first, so the assertion that would show the traceback never runs.

In the incident behind this rule a worker's traceback would have been looked at one line below `assert
all(process.exitcode == 0 for process in processes)`. That line failed first, and says nothing.
"""

import ast
import re
from collections.abc import Iterator

from app.domain.lint.channels import Medium, Taken, Told, is_same, taken
from app.domain.lint.derived import Derived
from app.domain.lint.draining import Alone, drain, result_of_one
from app.domain.lint.exit_checks import Check, ExitCodes, checks, decided_at
from app.domain.lint.finding import Rule
from app.domain.lint.frames import Frame
from app.domain.lint.mending import mend, name_of, of_processes, processes_name
from app.domain.lint.program import Program, Root
from app.domain.lint.reporting import Reporting
from app.domain.lint.steps import Part, Step
from app.domain.lint.weakness import Weakness
from app.domain.lint.workers import How, runs_python

_READS = {"read_text", "read", "readlines", "communicate", "read_bytes"}
_SHOWS = {"print", "write", "info", "warning", "error"}
_OUTPUT = {"stdout", "output"}
_LONGEST_WORD = 2_000
_LONGEST_LINE = 100
_OF_FAILURE = re.compile(
    r"(?:^|[^a-z])(?:errors?|err|stderr|exceptions?|exc|tracebacks?|tb|fail(?:ed|ures?)?)(?![a-z])",
    re.IGNORECASE,
)


def find(program: Program) -> Iterator[Weakness]:
    codes, codes_of_programs = ExitCodes(program), ExitCodes(program, of_programs=True)
    for root in program.roots:
        told = _failures_told(program, root)
        ranks = any(start.how is How.PROGRAM for start in root.starts)
        programs = ranks or _runs_python(program, root)
        if not told and not programs:
            continue
        source = _Reports(program, root, told, programs=programs)
        look = _Look(Derived(program.values, source.is_report), may_be_values=bool(told))
        late = _too_late(codes if told or ranks else codes_of_programs, look, root)
        if late is not None:
            yield _weakness(program, root, *late, told)


def _runs_python(program: Program, root: Root) -> bool:
    return any(
        isinstance(step.node, ast.Call) and runs_python(program.file, program.values, step.node, step.frame)
        for step in root.steps
    )


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
            case ast.Call(func=ast.Attribute(attr="load")):
                return self._files and self._program.file.dotted(node.func) in {"json.load", "pickle.load"}
            case ast.Call(func=ast.Attribute(attr=attr)):
                return self._files and attr in _READS
            case ast.Attribute(attr="stderr"):
                return self._files
        return False


class _Look:
    """Which steps of the parent look into what was reported.

    A file that a program leaves holds its results too, so there only words of failure make a look; where the
    file shows what a worker tells, all that it tells counts (`may_be_values`).
    """

    def __init__(self, reports: Derived, *, may_be_values: bool) -> None:
        self.reports = reports
        self._may_be_values = may_be_values

    def shows(self, check: Check) -> bool:
        """Whether a check looks into a report, rather than at whether there is one."""
        if not self._is_of_failure(check.test, *check.message):
            return False
        if any(self.reports.holds(part, check.frame) for part in check.message):
            return True
        match check.test:
            case ast.Compare(comparators=[ast.Constant(value=None)]):
                return False
            case ast.Compare(left=ast.Call(func=ast.Name(id="len"))):
                return False
        return self.reports.holds(check.test, check.frame)

    def prints(self, step: Step) -> bool:
        """Whether it writes a report where a reader of the failure finds it."""
        match step.node:
            case ast.Call(func=ast.Name(id=attr) | ast.Attribute(attr=attr), args=arguments) if (
                attr in _SHOWS
            ):
                return any(self.reports.holds(argument, step.frame) for argument in arguments)
        return False

    def takes(self, step: Step) -> bool:
        """Whether a call takes or reads a report."""
        return (
            isinstance(step.node, ast.Call)
            and self.reports.is_source(step.node, step.frame)
            and self._is_of_failure(step.node)
        )

    def _is_of_failure(self, *parts: ast.expr) -> bool:
        return self._may_be_values or any(
            _OF_FAILURE.search(word) for part in parts for node in ast.walk(part) for word in _words(node)
        )


def _words(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(word)) | ast.Name(id=word) | ast.Attribute(attr=word):
            yield word[:_LONGEST_WORD]


def _too_late(codes: ExitCodes, look: _Look, root: Root) -> tuple[Check, Check | None] | None:
    """The check on exit codes before which nothing shows what was reported, and something after it would: the
    check on the report, where one stands in the same function.
    """
    reports = look.reports
    waiting = {w.node for step in root.steps if reports.is_source(step.node, step.frame) for w in step.within}
    after_all = (check for check in codes.zero_checks(root.steps) if not _is_watch(check, waiting))
    zero = next(after_all, None)
    if zero is None or any(reports.holds(part, zero.frame) for part in (*zero.message, zero.test)):
        return None
    looks = [c for c in checks(root.steps) if c.step is not zero.step and look.shows(c)]
    at = decided_at(root.steps, zero)
    places = [decided_at(root.steps, one) for one in looks]
    if any(place < at for place in places) or _shows_output(zero):
        return None
    if any(look.prints(step) for step in root.steps[:at]):
        return None
    later = [one for one, place in zip(looks, places, strict=True) if place > at]
    if not later and not any(look.takes(step) for step in root.steps[at + 1 :]):
        return None
    return zero, next((one for one in later if one.frame is zero.frame), None)


def _shows_output(check: Check) -> bool:
    """Whether the message holds what a program wrote, its traceback with it."""
    nodes = (node for part in check.message for node in ast.walk(part))
    return any(isinstance(node, ast.Attribute) and node.attr in _OUTPUT for node in nodes)


def _is_watch(check: Check, waiting: set[ast.AST]) -> bool:
    """Whether it stands in a loop that waits for reports, or where an attempt to read one has failed."""
    return any(
        within.node in waiting and (isinstance(within.node, ast.While) or within.part is Part.HANDLER)
        for within in check.step.within
    )


def _weakness(program: Program, root: Root, late: Check, later: Check | None, told: list[Told]) -> Weakness:
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
        mend(*_shown(program, root, later), *_ended(program, root, late, written)),
    )


def _shown(program: Program, root: Root, later: Check | None) -> list[str]:
    """The file's own look at the report; where that takes what was told only then, all of it is taken."""
    if later is not None and isinstance(later.step.node, ast.Assert):
        text = program.file.text(later.step.node, longest=_LONGEST_LINE)
        reads = [read for read in taken(program, root.steps) if read.call in ast.walk(later.step.node)]
        if reads:
            return drain(program, root, reads[0], _result(program, root, reads[0]))
        if not text.endswith("..."):
            return [f"{text}  # first what was reported"]
    return [
        'failed = [report for report in reports if "Traceback" in str(report)]',
        'assert not failed, "\\n".join(map(str, failed))  # first what was reported',
    ]


def _result(program: Program, root: Root, read: Taken) -> Alone | None:
    found = (result_of_one(program, worker, read) for worker in root.workers)
    return next((result for result in found if result is not None), None)


def _ended(program: Program, root: Root, late: Check, written: str) -> list[str]:
    """The assertion on exit codes, with the codes in its message."""
    if any(start.how is How.PROCESS for start in root.starts) and not late.message:
        return of_processes(processes_name(program, root))
    if isinstance(late.step.node, ast.Assert) and "..." not in written:
        return [f"{written}  # then how they ended"]
    return ["...  # then how they ended"]
