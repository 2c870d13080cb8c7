"""One job's results from its files and its log, held against its conclusion."""

import io

import pytest

from app.domain.explaining.log_explanation import explain
from app.domain.explaining.log_scan import LogScan
from app.domain.gap import Gap, GapKind
from app.domain.job_results import JobResults, gather_results
from app.domain.joblog.job_log import JobLog, read_job_log
from app.domain.outcome import Errored, Failed, Outcome, OutcomeKind, Passed, Result, Skipped, TestId
from app.domain.results.results_file import Reading, ReadStatus, Records
from app.domain.run import Conclusion

FAILED = Failed("assert 1 == 2", "E  assert 1 == 2")


def result(name: str, outcome: Outcome, *, file: str = "") -> Result:
    return Result(TestId(file=file, suite="", classname="tests.test_a", name=name), outcome)


def reading(*results: Result, status: ReadStatus = ReadStatus.COMPLETE, reason: str | None = None) -> Reading:
    return Reading("junit", status, reason, results, records=Records(cases=len(results)))


def log(*lines: str) -> JobLog:
    text = "".join(f"2026-11-30T12:00:00.0000000Z {line}\n" for line in lines)
    return read_job_log(io.BytesIO(text.encode()))


def gathered(
    conclusion: Conclusion | None, readings: dict[str, Reading], job_log: JobLog | None = None
) -> JobResults:
    return gather_results("test (3.12)", conclusion, sorted(readings.items()), job_log)


def kinds(found: JobResults) -> list[GapKind]:
    return [gap.kind for gap in found.gaps]


PYTEST_LOG = (
    "============================= test session starts ==============================",
    "tests/test_a.py F                                                        [100%]",
    "=================================== FAILURES ===================================",
    "___________________________________ test_one ___________________________________",
    "",
    "    def test_one():",
    ">       assert 1 == 2",
    "E       assert 1 == 2",
    "",
    "tests/test_a.py:2: AssertionError",
    "=========================== short test summary info ============================",
    "FAILED tests/test_a.py::test_one - assert 1 == 2",
    "============================== 1 failed in 0.10s ===============================",
    "##[error]Process completed with exit code 1.",
)


def test_results_of_all_files_come_in_the_order_of_tests() -> None:
    found = gathered(
        Conclusion.SUCCESS,
        {"b.xml": reading(result("test_b", Passed())), "a.xml": reading(result("test_c", Skipped()))},
    )
    assert [one.test.name for one in found.results] == ["test_b", "test_c"]
    assert found.gaps == ()
    assert found.untold is None


@pytest.mark.parametrize(
    ("first", "second"), [(Passed(), FAILED), (FAILED, Passed()), (Skipped(), Errored("", ""))]
)
def test_a_test_that_two_files_tell_differently_counts_red_with_a_gap(
    first: Outcome, second: Outcome
) -> None:
    files = {"1.xml": reading(result("test_one", first)), "2.xml": reading(result("test_one", second))}
    found = gathered(Conclusion.FAILURE, files)
    assert [one.outcome.kind.is_red for one in found.results] == [True]
    assert kinds(found) == [GapKind.TEST_COLLISION]


def test_a_pass_outweighs_a_skip_without_a_gap() -> None:
    files = {"1.xml": reading(result("test_one", Skipped())), "2.xml": reading(result("test_one", Passed()))}
    found = gathered(Conclusion.SUCCESS, files)
    assert found.results[0].outcome.kind is OutcomeKind.PASSED
    assert found.gaps == ()


@pytest.mark.parametrize(
    ("status", "kind"),
    [(ReadStatus.REFUSED, GapKind.FILE_REFUSED), (ReadStatus.PARTIAL, GapKind.FILE_PARTIAL)],
)
def test_a_file_that_is_not_wholly_read_is_a_gap(status: ReadStatus, kind: GapKind) -> None:
    found = gathered(Conclusion.SUCCESS, {"a.xml": reading(status=status, reason="cut at byte 7")})
    assert [(gap.kind, gap.subject, gap.detail) for gap in found.gaps] == [(kind, "a.xml", "cut at byte 7")]


def test_a_file_without_a_reason_tells_its_problems() -> None:
    broken = Reading("junit", ReadStatus.PARTIAL, problems=("one", "two", "three", "four"))
    assert gathered(Conclusion.SUCCESS, {"a.xml": broken}).gaps[0].detail == "one; two; three"


def test_the_log_of_a_red_job_without_files_gives_its_failures_and_a_gap() -> None:
    found = gathered(Conclusion.FAILURE, {}, log(*PYTEST_LOG))
    assert [(one.test.name, one.outcome.kind) for one in found.results] == [("test_one", OutcomeKind.FAILED)]
    assert found.untold is None
    assert kinds(found) == [GapKind.NO_RESULTS_FILE]


def test_a_failure_that_only_the_log_tells_contradicts_the_files() -> None:
    told = log(*PYTEST_LOG)
    test = told.failures[0].test
    passed = Result(TestId("tests/test_a.py", "", test.classname, test.name), Passed())
    found = gathered(Conclusion.FAILURE, {"a.xml": reading(passed)}, told)
    assert [(one.test.file, one.outcome.kind) for one in found.results] == [
        ("tests/test_a.py", OutcomeKind.FAILED)
    ]
    assert kinds(found) == [GapKind.RESULTS_CONTRADICT_JOB]


def test_a_failure_that_files_and_log_tell_is_taken_from_the_file() -> None:
    told = log(*PYTEST_LOG)
    test = told.failures[0].test
    failed = Result(TestId("tests/test_a.py", "", test.classname, test.name), FAILED)
    found = gathered(Conclusion.FAILURE, {"a.xml": reading(failed)}, told)
    assert found.results == (failed,)
    assert found.gaps == ()


def test_the_log_of_a_green_job_tells_no_failures() -> None:
    found = gathered(Conclusion.SUCCESS, {"a.xml": reading(result("test_b", Passed()))}, log(*PYTEST_LOG))
    assert [one.test.name for one in found.results] == ["test_b"]


def test_a_red_job_without_anything_is_a_failure_of_its_own() -> None:
    found = gathered(Conclusion.FAILURE, {})
    assert found.untold == Failed("the job failed, and neither results nor a log say why", "")
    assert kinds(found) == [GapKind.NO_RESULTS_FILE]


def test_a_red_job_whose_tests_all_passed_is_a_failure_and_a_gap() -> None:
    told = log("##[error]Process completed with exit code 2.")
    found = gathered(Conclusion.FAILURE, {"a.xml": reading(result("test_b", Passed()))}, told)
    assert found.untold is not None
    assert found.untold.message == "##[error]Process completed with exit code 2."
    assert kinds(found) == [GapKind.RESULTS_CONTRADICT_JOB]


def test_a_log_without_error_lines_still_makes_a_failure() -> None:
    found = gathered(Conclusion.TIMED_OUT, {}, log("nothing of note"))
    assert found.untold is not None
    assert found.untold.message == "the job failed without naming a test"


def test_a_runners_cause_is_the_message_of_an_untold_failure() -> None:
    found = gathered(Conclusion.FAILURE, {}, log("##[error]The operation was canceled."))
    assert found.untold is not None
    assert "The operation was canceled" in found.untold.message


def test_a_green_job_with_red_tests_is_a_gap() -> None:
    found = gathered(Conclusion.SUCCESS, {"a.xml": reading(result("test_one", FAILED))})
    assert kinds(found) == [GapKind.RESULTS_CONTRADICT_JOB]
    assert found.untold is None


@pytest.mark.parametrize("conclusion", [Conclusion.SUCCESS, Conclusion.SKIPPED])
def test_a_job_that_passed_without_tests_is_no_gap(conclusion: Conclusion) -> None:
    assert gathered(conclusion, {}) == JobResults((), None, ())


@pytest.mark.parametrize("conclusion", [None, Conclusion.CANCELLED])
def test_a_job_that_did_not_end_well_and_left_nothing_is_a_gap(conclusion: Conclusion | None) -> None:
    found = gathered(conclusion, {})
    assert kinds(found) == [GapKind.NO_RESULTS_FILE]
    assert found.untold is None


def test_a_cancelled_job_with_red_results_contradicts_nothing() -> None:
    assert gathered(Conclusion.CANCELLED, {"a.xml": reading(result("test_one", FAILED))}).gaps == ()


def test_doubts_about_a_complete_file_are_a_gap() -> None:
    doubtful = Reading(
        "junit", ReadStatus.COMPLETE, None, (result("test_one", Passed()),), doubts=("claims",)
    )
    found = gathered(Conclusion.SUCCESS, {"a.xml": doubtful})
    assert found.gaps == (Gap(GapKind.FILE_PARTIAL, "a.xml", "claims"),)


EXIT = "##[error]Process completed with exit code 1."


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ("fetching", "RuntimeError: no weights there", EXIT),
            "RuntimeError: no weights there",
        ),
        (("nothing telling", EXIT), EXIT),
        (("ValueError: x", "##[error]The operation was canceled."), "##[error]The operation was canceled."),
    ],
    ids=["a cause", "an exit code", "a word of the runner"],
)
def test_the_line_to_quote_is_the_message_where_no_test_failed(lines: tuple[str, ...], message: str) -> None:
    text = "".join(f"2026-11-30T12:00:00.0000000Z {line}\n" for line in ("##[group]Run x", *lines))
    scan = LogScan()
    told = read_job_log(io.BytesIO(text.encode()), also=scan.feed)
    found = gather_results("build", Conclusion.FAILURE, [], told, why=explain(told, scan.scan()))
    assert found.untold is not None
    assert found.untold.message == message
    assert message in found.untold.text
