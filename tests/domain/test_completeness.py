"""A report that lists less than happened is a gap; what its producer is known to count otherwise is none."""

import io

import pytest

from app.domain.completeness import Report, gaps_of_file, gaps_of_job, shortfall
from app.domain.gap import Gap, GapKind
from app.domain.joblog.job_log import JobLog, read_job_log
from app.domain.results.junit import read_junit
from app.domain.results.results_file import Reading, ReadStatus
from app.domain.run import Conclusion

PASS = '<testcase classname="c" name="t"/>'
FAIL = '<testcase classname="c" name="u"><failure message="m"/></testcase>'


def read(text: str) -> Reading:
    return read_junit(io.BytesIO(text.encode()))


def log(*lines: str) -> JobLog:
    return read_job_log(io.BytesIO("".join(f"{line}\n" for line in lines).encode()))


def job_gaps(conclusion: Conclusion | None, report: Report, *lines: str) -> list[Gap]:
    return list(gaps_of_job("test (3.12)", conclusion, report, log(*lines) if lines else None))


PYTEST = (
    "============================= test session starts ==============================",
    "=========================== short test summary info ============================",
    "============================== {} in 0.10s ===============================",
)


def pytest_log(summary: str, *more: str) -> tuple[str, ...]:
    return (*(line.format(summary) for line in PYTEST), *more)


def test_tests_that_are_claimed_and_not_listed_are_told_with_both_numbers() -> None:
    text = f'<testsuite tests="5" failures="3">{PASS}{FAIL}</testsuite>'
    assert shortfall(read(text)) == (
        "the file claims 3 failures and lists 1; the file claims 5 tests and lists 2"
    )
    assert list(gaps_of_file("a.xml", read(text))) == [
        Gap(GapKind.RESULTS_INCOMPLETE, "a.xml", str(shortfall(read(text))))
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f'<testsuite tests="2" failures="1">{PASS}{FAIL}</testsuite>', id="as claimed"),
        pytest.param(f'<testsuite tests="1">{PASS}{FAIL}</testsuite>', id="fewer claimed than listed"),
        pytest.param(f"<testsuite>{PASS}</testsuite>", id="nothing claimed"),
        pytest.param(
            '<testsuite tests="1" failures="1" errors="2"><testcase name="t"><error/><error/><failure/>'
            "</testcase></testsuite>",
            id="several failures in one test",
        ),
        pytest.param(
            '<testsuite tests="1" errors="1"><error message="no socket"/><testcase name="t"/></testsuite>',
            id="an error beside the tests",
        ),
        pytest.param(
            '<testsuite tests="3" failures="3"><testcase name="t"><failure/><rerunFailure/><rerunFailure/>'
            "</testcase></testsuite>",
            id="surefire counts reruns",
        ),
        pytest.param(
            '<testsuite tests="3" skipped="2"><testcase name="t"/></testsuite>', id="skipped, not listed"
        ),
        pytest.param(
            f'<testsuites name="Mocha Tests" tests="2"><testsuite tests="1">{PASS}</testsuite></testsuites>',
            id="mocha's reporter counts twice",
        ),
        pytest.param(
            '<testsuites><testsuite name="pytest" tests="5" failures="2"><testcase name="t">'
            '<failure message="assert 1 != 1"/><failure message="contains 1 failed subtest"/></testcase>'
            "</testsuite></testsuites>",
            id="pytest counts subtests",
        ),
        pytest.param(
            '<testsuite name="pytest" tests="1" failures="1"><testcase classname="c" name="t"/>'
            '<testcase classname="c" name="t"><failure/></testcase></testsuite>',
            id="bare earlier records of pytest-rerunfailures",
        ),
    ],
)
def test_what_a_producer_counts_otherwise_is_no_gap(text: str) -> None:
    assert shortfall(read(text)) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f'<testsuite tests="2">{PASS}</testsuite>', "the file claims 2 tests and lists 1"),
        (
            f'<testsuites tests="2"><testsuite tests="2">{PASS}</testsuite></testsuites>',
            "the file claims 2 tests and lists 1",
        ),
        (
            '<testsuite name="pytest" tests="2" failures="1"><testcase name="t"/></testsuite>',
            "the file claims 1 failures and lists 0",
        ),
        ('<testsuite tests="9" skipped="2"><testcase name="t"/></testsuite>', "claims 9 tests and lists 1"),
    ],
    ids=["a suite that is short itself", "a root and its suite", "a failed subtest alone", "more than skips"],
)
def test_no_excuse_covers_more_than_its_own_number(text: str, told: str) -> None:
    assert told in str(shortfall(read(text)))


def test_a_file_that_was_cut_tells_why_and_how_much_is_missing() -> None:
    gaps = list(gaps_of_file("a.xml", read(f'<testsuite tests="3">{PASS}<testcase')))
    assert [gap.kind for gap in gaps] == [GapKind.FILE_PARTIAL, GapKind.RESULTS_INCOMPLETE]
    assert list(gaps_of_file("b", Reading(None, ReadStatus.REFUSED, "JSON, not XML"))) == [
        Gap(GapKind.FILE_REFUSED, "b", "JSON, not XML")
    ]


def test_an_exit_code_without_a_failure_is_a_contradiction() -> None:
    exit_code = "##[error]Process completed with exit code 1."
    found = job_gaps(Conclusion.FAILURE, Report(1, 3, 0), *pytest_log("3 passed", exit_code))
    assert found == [
        Gap(
            GapKind.RESULTS_CONTRADICT_JOB,
            "test (3.12)",
            "the job failed, and its results files name no failed test; "
            "a step ended with exit code 1, and no failed test is named",
        )
    ]


def test_tests_that_the_log_counts_and_no_file_lists_are_a_gap() -> None:
    found = job_gaps(Conclusion.FAILURE, Report(2, 9, 1), *pytest_log("2 failed, 10 passed, 4 skipped"))
    assert found == [
        Gap(
            GapKind.RESULTS_INCOMPLETE,
            "test (3.12)",
            "the log claims 2 failures, and 1 is named; "
            "the log counts 12 tests that ran, and the results files list 9",
        )
    ]
    assert not job_gaps(Conclusion.FAILURE, Report(2, 12, 2), *pytest_log("2 failed, 10 passed, 4 skipped"))


def test_what_ended_a_job_early_is_a_gap_beside_its_files() -> None:
    told = "##[error]The runner has received a shutdown signal."
    found = job_gaps(Conclusion.FAILURE, Report(1, 3, 1), told)
    assert found == [Gap(GapKind.RESULTS_INCOMPLETE, "test (3.12)", f"the runner says: {told}")]


def test_a_job_without_files_tells_what_its_log_lacks() -> None:
    [gap] = job_gaps(
        Conclusion.FAILURE, Report(0, 0, 0), "hello", "##[error]Process completed with exit code 2."
    )
    assert gap == Gap(
        GapKind.NO_RESULTS_FILE,
        "test (3.12)",
        "no results file came from this job; a step ended with exit code 2, and no failed test is named; "
        "no summary of a test run is in it, so what its tests did is not known",
    )
    assert job_gaps(Conclusion.CANCELLED, Report(0, 0, 0)) == [
        Gap(GapKind.NO_RESULTS_FILE, "test (3.12)", "no results file came from this job")
    ]


def test_a_cut_log_is_a_gap_with_and_without_files() -> None:
    long = read_job_log(io.BytesIO(b"a line of the log\n" * 200), limit_bytes=1000)
    cut = Gap(GapKind.LOG_CUT, "j", "the middle of the log was left out")
    for files in (0, 1):
        assert cut in list(gaps_of_job("j", Conclusion.FAILURE, Report(files, 3, 1), long))


@pytest.mark.parametrize("conclusion", [Conclusion.SUCCESS, Conclusion.SKIPPED])
def test_a_job_that_passed_without_files_is_no_gap(conclusion: Conclusion) -> None:
    assert job_gaps(conclusion, Report(0, 0, 0)) == []


@pytest.mark.parametrize("conclusion", [None, Conclusion.CANCELLED, Conclusion.SUCCESS])
def test_files_that_agree_with_the_job_are_no_gap(conclusion: Conclusion | None) -> None:
    assert job_gaps(conclusion, Report(1, 3, 0)) == []


def test_a_green_job_with_failed_tests_is_a_gap() -> None:
    [gap] = job_gaps(Conclusion.SUCCESS, Report(1, 3, 2))
    assert gap.kind is GapKind.RESULTS_CONTRADICT_JOB
    assert "2 of its tests failed" in gap.detail
