"""What `read` tells people: a table of files, the red tests with their words, the problems, one sentence."""

import sys
from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from app.domain.outcome import Errored, Failed, Result, Skipped
from app.domain.results.results_file import ReadStatus
from app.domain.wording import counted, listed
from app.domain.workflow_command import defused
from app.logs import redact
from worker.commands.file_names import spelled
from worker.commands.read_bar import KINDS, bar, legend
from worker.commands.read_content import LOG, Counts, FileRead
from worker.commands.read_records import test_name
from worker.commands.tables import WIDTH, laid_out
from worker.commands.telling import tell
from worker.replay.bundle.story import Line, Tone

MOST_FILES: Final = 60
MOST_RED: Final = 40
MOST_PROBLEMS: Final = 40
MOST_OF_A_FILE: Final = 3
LONGEST: Final = 300
"""Characters of a message's line and of a problem."""

_COLUMNS: Final = ("status", "format", "tests", "failed", "errored", "skipped", "outcomes", "file")


def tell_reads(reads: Sequence[FileRead], *, with_green: bool) -> None:
    """Print on stdout; names and texts are made harmless."""
    _print_table(reads)
    tell(_red(reads))
    if with_green:
        tell(_green(reads))
    tell(_problems(reads))


def _print_table(reads: Sequence[FileRead]) -> None:
    shown = reads if len(reads) <= MOST_FILES else [one for one in reads if _is_notable(one)][:MOST_FILES]
    is_plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)
    width = console.width if sys.stdout.isatty() else WIDTH
    rows = [_row(one, is_plain=is_plain) for one in shown]
    for line in laid_out(_COLUMNS, rows, name=len(_COLUMNS) - 1, width=width):
        text = Text(defused(line))
        for kind in KINDS:
            text.highlight_regex(f"{kind.sign}+", kind.style)
        console.print(text)
    left = len(reads) - len(shown)
    if left:
        console.print(Text(f"and {counted(left, 'more file')}", style="dim"))
    if any(one.counts.red or one.counts.passed for one in reads):
        console.print(Text(legend(plain=is_plain), style="dim"))


def _is_notable(read: FileRead) -> bool:
    return bool(read.counts.red or read.problems) or read.status is not ReadStatus.COMPLETE


def _row(read: FileRead, *, is_plain: bool) -> tuple[str, ...]:
    counts = read.counts
    numbers = (counts.cases, counts.failed, counts.errored, counts.skipped)
    if read.status is ReadStatus.REFUSED:
        told = ["-"] * len(numbers)
    else:
        told = ["?" if number is None else f"{number:,}" for number in numbers]
    return (read.status.value, read.format or "-", *told, bar(counts, plain=is_plain), _one_line(read.name))


def _red(reads: Sequence[FileRead]) -> Iterator[Line]:
    red = [(read, one) for read in reads for one in read.results if one.outcome.kind.is_red]
    if red:
        yield Line("")
        yield Line("Red tests", Tone.HEAD)
    for read, one in red[:MOST_RED]:
        yield from _red_lines(read, one)
    if len(red) > MOST_RED:
        yield Line(f"  and {len(red) - MOST_RED:,} more; --json --results tells all of them", Tone.SOFT)


def _red_lines(read: FileRead, result: Result) -> Iterator[Line]:
    outcome = result.outcome
    assert isinstance(outcome, Failed | Errored)
    yield Line(
        f"  {outcome.kind.value:<8} {_one_line(test_name(result, is_log=read.format == LOG))}", Tone.BAD
    )
    said = _first_line(outcome.message) or _first_line(outcome.text)
    if said:
        yield Line(f"           {said}")
    place = f"{result.path}:{result.line}" if result.path and result.line else result.path
    where = f"{_one_line(place)}, in " if place else "in "
    again = f"; {counted(len(result.earlier), 'earlier attempt')}" if result.earlier else ""
    yield Line(f"           {where}{_one_line(read.name)}{again}", Tone.SOFT)


def _green(reads: Sequence[FileRead]) -> Iterator[Line]:
    """All of them, since a person asked for it: what passed and what was skipped."""
    for read in reads:
        others = [one for one in read.results if not one.outcome.kind.is_red]
        if others:
            yield Line("")
            yield Line(f"Other tests of {_one_line(read.name)}", Tone.HEAD)
        for one in others:
            took = "" if one.duration_s is None else f", {one.duration_s:g} s"
            why = f": {_first_line(one.outcome.reason)}" if isinstance(one.outcome, Skipped) else ""
            flaky = f", after {counted(len(one.earlier), 'other attempt')}" if one.earlier else ""
            name = _one_line(test_name(one, is_log=read.format == LOG))
            yield Line(f"  {one.outcome.kind.value:<8} {name}{took}{flaky}{why}")


def _problems(reads: Sequence[FileRead]) -> Iterator[Line]:
    told = [line for read in reads for line in _problems_of(read)]
    if told:
        yield Line("")
        yield Line("Problems", Tone.HEAD)
    yield from (Line(one) for one in told[:MOST_PROBLEMS])
    if len(told) > MOST_PROBLEMS:
        yield Line(f"  and {len(told) - MOST_PROBLEMS:,} more; --json tells all of them", Tone.SOFT)


def _problems_of(read: FileRead) -> Iterator[str]:
    problems = read.problems
    if read.status is ReadStatus.REFUSED:
        problems = (f"refused: {read.reason}",)
    for problem in problems[:MOST_OF_A_FILE]:
        yield f"  {_one_line(read.name)}: {_one_line(problem)}"
    if len(problems) > MOST_OF_A_FILE:
        yield f"  {_one_line(read.name)}: and {len(problems) - MOST_OF_A_FILE:,} more"


def _first_line(text: str) -> str:
    return next((_one_line(line.strip()) for line in text.split("\n") if line.strip()), "")


def _one_line(text: str) -> str:
    """Secrets hidden before the cut, and everything that moves a terminal spelled out."""
    told = spelled(redact(text))
    return told if len(told) <= LONGEST else f"{told[:LONGEST]} ..."


def summary(reads: Sequence[FileRead], totals: Counts, *, passed_over: int) -> Iterator[str]:
    """What it comes to, in sentences; no word of it takes what was not read for green."""
    statuses = [one.status for one in reads]
    files = [f"{statuses.count(status)} {status.value}" for status in ReadStatus if status in statuses]
    yield f"{counted(len(reads), 'file')}: {', '.join(files)}." if reads else "No file was read."
    is_results = any(one.format not in {None, LOG} for one in reads)
    if is_results:
        kinds = [f"{getattr(totals, kind):,} {kind}" for kind in ("passed", "failed", "errored", "skipped")]
        records = "test record" if totals.cases == 1 else "test records"
        yield f"{totals.cases or 0:,} {records}: {', '.join(kinds)}."
    logs = [one for one in reads if one.format == LOG]
    if logs:
        named = sum(one.counts.red for one in logs)
        verb = "names" if len(logs) == 1 else "name"
        yield f"{counted(len(logs), 'log')} {verb} {counted(named, 'red test')}."
    doubts = list(_doubts(reads, statuses))
    if reads and not totals.red and not any(one.counts.red for one in logs) and doubts:
        yield f"Nothing red was read, which proves nothing: {listed(doubts)}."
    if passed_over:
        were = "was" if passed_over == 1 else "were"
        yield f"{counted(passed_over, 'more file')} {were} passed over: neither results nor a log."


def _doubts(reads: Sequence[FileRead], statuses: Sequence[ReadStatus]) -> Iterator[str]:
    for status, words in ((ReadStatus.REFUSED, "refused"), (ReadStatus.PARTIAL, "read in part")):
        count = statuses.count(status)
        if count:
            yield f"{counted(count, 'file')} {'was' if count == 1 else 'were'} {words}"
    unclear = sum(1 for one in reads if one.status is ReadStatus.COMPLETE and one.problems)
    if unclear:
        yield f"{counted(unclear, 'file')} {'has' if unclear == 1 else 'have'} problems"
    if all(not one.counts.cases and one.counts.passed is None for one in reads):
        yield "no test was read"
