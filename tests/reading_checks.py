"""What holds of every reading, whatever was read."""

import io

from app.domain.bounded_text import TEXT_LIMIT
from app.domain.category import Category
from app.domain.explaining.explanation import Explanation
from app.domain.joblog.job_log import JobLog
from app.domain.joblog.log_lines import LogText
from app.domain.outcome import Errored, Failed
from app.domain.results.results_file import Reading, ReadStatus

MARK = 100
"""Characters of the line that marks a cut, at most."""


def check_reading(reading: Reading) -> None:
    records = reading.records
    assert records.cases == records.passed + records.failed + records.errored + records.skipped
    assert min(records.cases, records.passed, records.failed, records.errored, records.skipped) >= 0
    if reading.status is ReadStatus.REFUSED:
        assert not reading.results
    if reading.status is not ReadStatus.COMPLETE:
        assert reading.reason
    assert len({one.test for one in reading.results}) == len(reading.results)
    for one in reading.results:
        for outcome in (one.outcome, *one.earlier):
            if isinstance(outcome, Failed | Errored):
                assert len(outcome.text) <= TEXT_LIMIT + MARK


def check_log(log: JobLog, content: bytes) -> None:
    assert log.lines == content.count(b"\n") + (not content.endswith(b"\n")) - (not content)
    assert all(one.outcome.kind.is_red for one in log.failures)
    assert len({one.test for one in log.failures}) == len(log.failures)
    assert all(1 <= line.number <= log.lines for line in log.errors)


def check_explained(told: Explanation, content: bytes) -> None:
    """Every line that is quoted stands in the log under its number, and nothing is said without ground."""
    lines = {line.number: line.text for line in LogText(io.BytesIO(content))}
    for quoted in [told.key, *told.consequences, *(one.key for one in told.failures)]:
        if quoted is not None:
            assert quoted.line is not None
            assert lines[quoted.line] == quoted.text
    assert told.root_cause
    assert told.key is not None or told.category is Category.UNKNOWN
    assert told.test is None or not told.failures or told.test in [one.test for one in told.failures]
