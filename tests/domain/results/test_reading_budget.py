"""However many tests the files of an attempt hold, a bounded number is read, and what is left out is said."""

import io

from app.domain.job_results import gather_results
from app.domain.results.reading_budget import ReadingBudget
from app.domain.results.results_file import Reading, ReadStatus
from app.domain.run import Conclusion


def cases(count: int, name: str = "test_{}") -> io.BytesIO:
    told = "".join(f'<testcase name="{name.format(n)}"/>' for n in range(count))
    return io.BytesIO(f"<testsuite>{told}</testsuite>".encode())


def statuses(readings: list[Reading]) -> list[tuple[ReadStatus, int]]:
    return [(reading.status, reading.records.cases) for reading in readings]


def test_the_files_of_a_job_are_read_until_its_tests_are_too_many() -> None:
    budget = ReadingBudget(of_job=5, of_attempt=100)
    told = statuses([budget.read(cases(3)), budget.read(cases(3)), budget.read(cases(1))])
    assert told == [(ReadStatus.COMPLETE, 3), (ReadStatus.PARTIAL, 2), (ReadStatus.REFUSED, 0)]
    budget.start_job()
    assert statuses([budget.read(cases(5))]) == [(ReadStatus.COMPLETE, 5)]


def test_the_jobs_of_an_attempt_share_a_bound() -> None:
    budget = ReadingBudget(of_job=5, of_attempt=8)
    first = budget.read(cases(5))
    budget.start_job()
    told = statuses([first, budget.read(cases(5)), budget.read(cases(1))])
    assert told == [(ReadStatus.COMPLETE, 5), (ReadStatus.PARTIAL, 3), (ReadStatus.REFUSED, 0)]


def test_records_of_one_test_count_each() -> None:
    assert statuses([ReadingBudget(of_job=5).read(cases(9, "same"))]) == [(ReadStatus.PARTIAL, 5)]


def test_each_file_that_is_left_out_is_a_gap() -> None:
    budget = ReadingBudget(of_job=2)
    readings = ((path, budget.read(cases(3))) for path in ("a.xml", "b.xml"))
    gaps = gather_results("test", Conclusion.SUCCESS, readings, None).gaps
    assert [(gap.subject, gap.detail) for gap in gaps] == [
        ("a.xml", "the tests beyond the first 2 were left out"),
        ("b.xml", "not read: the files before it hold too many tests"),
    ]
