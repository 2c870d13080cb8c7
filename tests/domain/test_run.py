"""An attempt is as bad as its worst job."""

import pytest

from app.domain.run import Conclusion, attempt_conclusion


@pytest.mark.parametrize(
    ("jobs", "expected"),
    [
        ("success success", "success"),
        ("success skipped", "success"),
        ("", "success"),
        ("success cancelled", "cancelled"),
        ("cancelled failure", "failure"),
        ("success timed_out", "failure"),
    ],
)
def test_attempt_is_as_bad_as_its_worst_job(jobs: str, expected: str) -> None:
    assert attempt_conclusion(Conclusion(job) for job in jobs.split()) is Conclusion(expected)
