"""`flake-triage explain`: why a job failed, by the line of its log to quote, and what only followed."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from app.domain.wording import counted
from worker import says
from worker.commands.explain_content import FileExplained, explain_given
from worker.commands.explain_records import record
from worker.commands.explain_story import tell_explained
from worker.commands.given_files import given_files
from worker.commands.reading_progress import ReadingProgress
from worker.says import JsonFlag


def explain(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files, folders, zip archives, or - for stdin.")
    ],
    *,
    as_json: JsonFlag = False,
) -> None:
    """Say why a job failed: quote the line of its log that tells the cause, and its number.

    The failed tests that the log names come first, then the step that failed. Lines that only follow from
    something else (a lost connection, an exit code, a termination) are listed as consequences. Where nothing
    in the log tells a cause, that is said. Results files are explained by the texts of their failures.
    Exit 0: something was read; 3: nothing could be read.
    """
    was_read = False
    for one in _explained(files):
        was_read = was_read or one.explanation is not None
        if as_json:
            says.line(record(one))
        else:
            tell_explained(one)
    raise typer.Exit(0 if was_read else says.NOTHING_DONE)


def _explained(files: Sequence[str]) -> Iterator[FileExplained]:
    passed_over = 0
    with ReadingProgress() as progress:
        for given in given_files(files, progress.watch):
            told = explain_given(given)
            progress.file_done()
            if told is None:
                passed_over += 1
            else:
                yield told
    if passed_over:
        says.progress(f"passed over {counted(passed_over, 'more file')}: neither results nor a log")


def register(cli: typer.Typer) -> None:
    cli.command(epilog="Example: gh run view 29538416045 --log-failed | flake-triage explain -")(explain)
