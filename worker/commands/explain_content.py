"""One file explained as what it is, a log or results; or refused with a reason."""

from dataclasses import dataclass, field
from typing import BinaryIO, Final

from app.domain.errors import Rejected
from app.domain.explaining.explanation import Explanation
from app.domain.explaining.log_explanation import explain_log
from app.domain.explaining.results_explanation import explain_results
from app.domain.results.results_file import ReadStatus
from worker.commands.given_content import read_content
from worker.commands.given_files import Given, Unreadable
from worker.commands.no_file import system_words
from worker.commands.quoted_lines import Around, lines_around

QUOTED_AROUND: Final = 3


@dataclass(frozen=True, slots=True)
class FileExplained:
    """`explanation` is None where nothing could be read, and `reason` says why. `around` are the lines of the
    log that stand around the one to quote.
    """

    name: str
    explanation: Explanation | None
    reason: str | None = None
    around: tuple[Around, ...] = field(default=())


def explain_given(given: Given | Unreadable) -> FileExplained | None:
    """Explain one file; None for one that nobody meant and that holds neither results nor a log."""
    if isinstance(given, Unreadable):
        return FileExplained(given.name, None, given.reason)
    try:
        told = _explain(given)
    except Rejected as error:
        told = FileExplained(given.name, None, error.reason)
    except OSError as error:
        told = FileExplained(given.name, None, system_words(error))
    return told if given.is_meant or told.explanation is not None else None


def _explain(given: Given) -> FileExplained:
    content = read_content(given, explain_log)
    if isinstance(content, Explanation):
        return FileExplained(given.name, content, around=_around(given.stream, content))
    if content.status is ReadStatus.REFUSED:
        return FileExplained(given.name, None, content.reason)
    return FileExplained(given.name, explain_results(content.results))


def _around(stream: BinaryIO, told: Explanation) -> tuple[Around, ...]:
    if told.key is None or told.key.line is None:
        return ()
    stream.seek(0)
    return lines_around(stream, told.key.line, QUOTED_AROUND)
