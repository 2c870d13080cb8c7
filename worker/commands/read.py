"""`flake-triage read`: what results files and job logs say, counted, with all that is wrong with them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated

import typer

from app.domain.outcome import Errored, Failed, Result
from app.domain.results.results_file import ReadStatus
from worker import says
from worker.commands.given_files import given_files
from worker.commands.read_content import LOG, Counts, FileRead, read_given
from worker.commands.read_records import file_record, result_records
from worker.commands.read_story import summary, tell_reads
from worker.commands.reading_progress import ReadingProgress
from worker.says import JsonFlag

Keeps = Callable[[Sequence[Result]], Iterator[Result]]
SHOWN = 2000
"""Characters in which the first line of a message is looked for."""


def read(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files, folders, zip archives, or - for stdin.")
    ],
    *,
    results: Annotated[
        bool, typer.Option("--results", help="Tell of every test, not only of the red ones.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Read results files (JUnit, NUnit 3, xUnit.net, TRX) and job logs, known by their content.

    Says of each file how many of its test records passed, failed, errored and were skipped, and what is
    wrong with it: cut off, broken, claiming other totals than it lists. A file that holds no results is
    refused with a reason. Folders are looked through without hidden files and links. Exit 0: something was
    read; 3: nothing could be read.
    """
    session = _Session()
    for one in session.run(files, keeps=_nothing if as_json else _slim if results else _red):
        if as_json and results:
            says.long_line(file_record(one), "results", result_records(one))
        elif as_json:
            says.line(file_record(one))
    if not as_json:
        tell_reads(session.reads, with_green=results)
        says.text("")
    for sentence in summary(session.reads, session.totals, passed_over=session.passed_over):
        (says.progress if as_json else says.text)(sentence)
    raise typer.Exit(0 if session.has_read else says.NOTHING_DONE)


@dataclass(slots=True)
class _Session:
    """Files in turn. `reads` keep of the results what people are shown: there may be millions."""

    reads: list[FileRead] = field(default_factory=list)
    totals: Counts = field(default_factory=Counts)
    passed_over: int = 0
    _known: dict[bytes, str] = field(default_factory=dict)

    @property
    def has_read(self) -> bool:
        return any(one.status is not ReadStatus.REFUSED for one in self.reads)

    def run(self, names: Sequence[str], *, keeps: Keeps) -> Iterator[FileRead]:
        with ReadingProgress() as progress:
            for given in given_files(names, progress.watch):
                told = read_given(given)
                progress.file_done()
                if told is None:
                    self.passed_over += 1
                    continue
                told = self._add(told)
                yield told
                self.reads.append(replace(told, results=tuple(keeps(told.results))))

    def _add(self, told: FileRead) -> FileRead:
        """Files of equal content, such as one report in two artifacts, count once."""
        twin = None if told.digest is None else self._known.setdefault(told.digest, told.name)
        if twin is not None and twin != told.name and told.status is not ReadStatus.REFUSED:
            again = f"the same content as {twin}, so it counts once"
            return replace(told, problems=(*told.problems, again))
        if told.format != LOG:
            self.totals = _sum(self.totals, told.counts)
        return told


def _nothing(_: Sequence[Result]) -> Iterator[Result]:
    return iter(())


def _red(results: Sequence[Result]) -> Iterator[Result]:
    return _slim([one for one in results if one.outcome.kind.is_red])


def _slim(results: Sequence[Result]) -> Iterator[Result]:
    """Without the most of their texts, of which one line is shown."""
    for one in results:
        outcome = one.outcome
        if isinstance(outcome, Failed | Errored):
            cut = replace(outcome, message=outcome.message[:SHOWN], text=outcome.text[:SHOWN])
            yield one._replace(outcome=cut)
        else:
            yield one


def _sum(one: Counts, other: Counts) -> Counts:
    names = [field.name for field in fields(Counts)]
    return Counts(**{name: (getattr(one, name) or 0) + (getattr(other, name) or 0) for name in names})


def register(cli: typer.Typer) -> None:
    cli.command(epilog="Example: flake-triage read build/test-results job.log --json")(read)
