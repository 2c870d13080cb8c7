"""What a given file holds, decided by its content: results, or a log for whoever reads logs; else refused."""

from collections.abc import Callable
from typing import BinaryIO, TypeVar

from app.domain.content_kind import HEAD_BYTES, has_signs_of_a_log, is_job_log, why_binary
from app.domain.errors import Rejected
from app.domain.results.formats import read_results
from app.domain.results.results_file import Reading, ReadStatus
from worker.commands.given_files import Given

Told = TypeVar("Told")


def read_content(given: Given, read_log: Callable[[BinaryIO], Told]) -> Reading | Told:
    """Read the file; its stream stands at the start. Raises Rejected for what is neither, else as its stream.

    A refused reading comes back where nothing in the file looks like a log either: it says what the file is.
    """
    stream = given.stream
    head = stream.read(HEAD_BYTES)
    reason = why_binary(head) if head else "an empty file"
    if reason is not None:
        raise Rejected(given.name, reason)
    stream.seek(0)
    if is_job_log(head):
        return read_log(stream)
    reading = read_results(stream)
    if reading.status is ReadStatus.REFUSED and has_signs_of_a_log(head):
        stream.seek(0)
        return read_log(stream)
    return reading
