"""TRX files: each outcome, classes that are defined after the results, rows of data, errors of the run."""

import io

import pytest

from app.domain.outcome import Errored, Failed, OutcomeKind, Passed, Skipped, TestId
from app.domain.results.formats import read_results
from app.domain.results.results_file import Declared, Reading, ReadStatus, Records
from app.domain.results.trx import parse_clock

ERROR = (
    "<Output><StdOut>printed</StdOut><ErrorInfo><Message>Expected 1</Message>"
    "<StackTrace>   at N.C.a() in /s/C.cs:line 12</StackTrace></ErrorInfo></Output>"
)


def reading_of(results: str, after: str = "", *, limit: int = 100) -> Reading:
    space = "http://microsoft.com/schemas/VisualStudio/TeamTest/2010"
    text = f'<TestRun xmlns="{space}"><Results>{results}</Results>{after}</TestRun>'
    return read_results(io.BytesIO(text.encode()), limit=limit)


def a_result(told: str, inside: str = "", name: str = "a", test: str = "ID-1") -> str:
    return f'<UnitTestResult testId="{test}" testName="{name}" {told}>{inside}</UnitTestResult>'


def definition(test: str, told: str, storage: str = "c:\\b\\tests.dll") -> str:
    return f'<UnitTest id="{test}" storage="{storage}"><Execution/><TestMethod {told} name="a"/></UnitTest>'


def defined(*definitions: str) -> str:
    return f"<TestDefinitions>{''.join(definitions)}</TestDefinitions>"


def test_a_failure_keeps_message_trace_place_and_the_class_that_is_defined_later() -> None:
    told = 'outcome="Failed" duration="00:01:02.5000000"'
    (result,) = reading_of(a_result(told, ERROR), defined(definition("id-1", 'className="N.C"'))).results
    assert result.test == TestId("", "", "N.C", "a")
    assert result.outcome == Failed("Expected 1", "Expected 1\nat N.C.a() in /s/C.cs:line 12")
    assert (result.path, result.line, result.duration_s) == ("/s/C.cs", 12, 62.5)


def test_the_class_may_be_defined_before_and_carry_its_assembly() -> None:
    definitions = defined(definition("ID-1", 'className="N.C, Tests, Version=1.0"'))
    result = a_result('outcome="Passed"')
    text = f"<TestRun>{definitions}<Results>{result}</Results></TestRun>"
    assert [one.test.classname for one in read_results(io.BytesIO(text.encode())).results] == ["N.C"]


def test_a_test_without_a_class_is_known_by_its_assembly() -> None:
    (result,) = reading_of(a_result('outcome="Passed"'), defined(definition("ID-1", ""))).results
    assert result.test == TestId("", "tests.dll", "", "a")


def test_a_test_that_is_not_defined_has_its_name_alone() -> None:
    lone = '<TestMethod className="N.Other"/>'
    (result,) = reading_of(a_result('outcome="Passed"'), lone).results
    assert result.test == TestId("", "", "", "a")


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("Passed", OutcomeKind.PASSED),
        ("PassedButRunAborted", OutcomeKind.PASSED),
        ("Failed", OutcomeKind.FAILED),
        ("Error", OutcomeKind.ERRORED),
        ("Timeout", OutcomeKind.ERRORED),
        ("Aborted", OutcomeKind.ERRORED),
        ("NotRunnable", OutcomeKind.ERRORED),
        ("Disconnected", OutcomeKind.ERRORED),
        ("InProgress", OutcomeKind.ERRORED),
        ("NotExecuted", OutcomeKind.SKIPPED),
        ("Inconclusive", OutcomeKind.SKIPPED),
        ("Warning", OutcomeKind.SKIPPED),
        ("Completed", OutcomeKind.SKIPPED),
        ("Pending", OutcomeKind.SKIPPED),
    ],
)
def test_each_word(word: str, kind: OutcomeKind) -> None:
    (result,) = reading_of(a_result(f'outcome="{word}"')).results
    assert result.outcome.kind is kind
    if kind.is_red:
        assert result.outcome.message == f'the file says outcome="{word}" and no more'  # type: ignore[union-attr]


def test_a_pass_of_a_run_that_was_aborted_is_told() -> None:
    reading = reading_of(a_result('outcome="PassedButRunAborted"'))
    assert reading.problems == ("1 tests passed in a run that was aborted",)


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ('outcome="NotExecuted"', "NotExecuted: printed"),
        ('outcome="Inconclusive"', "Inconclusive"),
    ],
)
def test_what_a_skipped_test_prints_is_its_reason(told: str, reason: str) -> None:
    (result,) = reading_of(a_result(told, "<Output><StdOut>printed</StdOut></Output>")).results
    assert result.outcome == Skipped(reason)


def test_a_message_is_the_reason_of_a_test_that_was_not_run() -> None:
    assert reading_of(a_result('outcome="Inconclusive"', ERROR)).results[0].outcome == Skipped(
        "Inconclusive: Expected 1"
    )


def test_an_unknown_word_is_no_pass_but_a_doubt_and_red_where_an_error_is_told() -> None:
    reading = reading_of(a_result('outcome="Fine"') + a_result("", ERROR, name="b"))
    assert reading.records == Records(cases=2, failed=1, skipped=1)
    assert reading.results[0].outcome == Skipped('not run: outcome="Fine"')
    assert reading.doubts == ("1 tests have an outcome that is not known: 'Fine'",)


def rows(*outcomes: str) -> str:
    told = (a_result(f'outcome="{word}" dataRowInfo="{n}"', name="a") for n, word in enumerate(outcomes))
    return f"<InnerResults>{''.join(told)}</InnerResults>"


def test_rows_of_data_are_the_tests_and_what_holds_them_is_none() -> None:
    reading = reading_of(
        a_result('outcome="Failed"', ERROR + rows("Passed", "Failed")),
        defined(definition("ID-1", 'className="C"')),
    )
    assert [result.test for result in reading.results] == [
        TestId("", "", "C", "a (Data Row 0)"),
        TestId("", "", "C", "a (Data Row 1)"),
    ]
    assert reading.records == Records(cases=2, passed=1, failed=1)
    assert not reading.problems


def test_a_row_with_a_name_of_its_own_keeps_it() -> None:
    row = a_result('outcome="Passed" dataRowInfo="0"', name="a (1,2)")
    inner = f"<InnerResults>{row}</InnerResults>"
    (result,) = reading_of(a_result('outcome="Passed"', inner)).results
    assert (result.test.name, result.outcome) == ("a (1,2)", Passed())


def test_a_test_that_failed_though_no_row_did_is_an_error_beside_them() -> None:
    reading = reading_of(a_result('outcome="Failed"', ERROR + rows("Passed")))
    assert [result.outcome.kind for result in reading.results] == [OutcomeKind.PASSED, OutcomeKind.FAILED]
    assert reading.records == Records(cases=1, passed=1)
    assert (reading.counted.red_children, reading.problems) == (1, ("1 errors stand beside the tests",))


def counters(told: str, outcome: str = "Completed") -> str:
    return f'<ResultSummary outcome="{outcome}"><Counters {told}/></ResultSummary>'


@pytest.mark.parametrize("total", [1, 2, 3])
def test_a_total_may_count_rows_or_what_holds_them_or_both(total: int) -> None:
    reading = reading_of(a_result('outcome="Passed"', rows("Passed", "Passed")), counters(f'total="{total}"'))
    assert reading.problems == ()
    assert reading.counted.subtests


def test_counters_are_claims_and_a_difference_is_a_problem() -> None:
    told = 'total="5" executed="4" failed="2" error="1" timeout="1" aborted="0"'
    reading = reading_of(a_result('outcome="Passed"'), counters(told))
    assert reading.declared == Declared(5, 2, 2, 1)
    assert (reading.status, list(reading.problems)) == (
        ReadStatus.COMPLETE,
        ["the file claims 4 failures and lists 0", "the file claims 5 tests and lists 1"],
    )
    assert reading_of("", counters("")).declared == Declared()


def test_a_run_that_failed_without_a_failed_test_is_a_doubt() -> None:
    doubt = 'the file says that the run ended as "Failed", and no test failed'
    reading = reading_of(a_result('outcome="Passed"'), counters("", "Failed"))
    assert (reading.doubts, doubt in reading.problems) == ((doubt,), True)
    assert reading_of(a_result('outcome="Failed"'), counters("", "Failed")).doubts == ()


def run_info(outcome: str, text: str) -> str:
    return f'<RunInfos><RunInfo outcome="{outcome}"><Text>{text}</Text></RunInfo></RunInfos>'


def test_an_error_of_the_run_is_an_error_beside_the_tests() -> None:
    reading = reading_of(a_result('outcome="Passed"'), run_info("Error", "Test host process crashed"))
    crash = reading.results[0]
    assert crash.test == TestId("", "", "", "[suite]")
    assert crash.outcome == Errored("Test host process crashed", "Test host process crashed")


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        ("Warning", "No test is available"),
        ("Error", "[xUnit.net 00:00:01.01]     N.C.a(x: False) [FAIL]"),
        ("", "said"),
    ],
)
def test_a_warning_and_an_echo_of_a_failed_test_are_no_errors_of_the_run(outcome: str, text: str) -> None:
    assert len(reading_of(a_result('outcome="Passed"'), run_info(outcome, text)).results) == 1


def test_definitions_beyond_the_limit_are_left_out_and_said() -> None:
    after = defined(definition("ID-1", 'className="C"'), definition("ID-2", 'className="D"'))
    reading = reading_of(a_result('outcome="Passed"'), after, limit=1)
    assert (reading.status, reading.reason) == (ReadStatus.PARTIAL, "1 definitions of tests were left out")
    assert [result.test.classname for result in reading.results] == ["C"]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("00:00:00.0200000", 0.02),
        ("01:00:02", 3602.0),
        ("1.00:00:01", 86401.0),
        ("0,5", None),
        ("", None),
        (None, None),
    ],
)
def test_durations_are_clock_times(value: str | None, seconds: float | None) -> None:
    assert parse_clock(value) == seconds
