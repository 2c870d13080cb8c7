"""How many tests are read of one attempt: more than any suite has, and no more than fit into memory."""

from typing import BinaryIO, Final

from app.domain.results.formats import read_results
from app.domain.results.results_file import MAX_TESTS, Reading, ReadStatus

MAX_TESTS_OF_ATTEMPT: Final = 300_000
"""Of all jobs of an attempt; their results are in memory together, about 1 KB each."""


class ReadingBudget:
    """Reads files until the tests of a job or of the attempt are too many; what is left out is said."""

    def __init__(self, *, of_job: int = MAX_TESTS, of_attempt: int = MAX_TESTS_OF_ATTEMPT) -> None:
        self._of_job, self._left_of_attempt = of_job, of_attempt
        self._left_of_job = of_job

    def start_job(self) -> None:
        self._left_of_job = self._of_job

    def read(self, stream: BinaryIO) -> Reading:
        """The file up to what is left, then partial; refused where nothing is left."""
        limit = min(self._left_of_job, self._left_of_attempt)
        if limit <= 0:
            return Reading(None, ReadStatus.REFUSED, "not read: the files before it hold too many tests")
        reading = read_results(stream, limit=limit)
        self._left_of_job -= reading.records.cases
        self._left_of_attempt -= reading.records.cases
        return reading
