"""NUnit 3 files: what each result, label and site is, and which suites failed by themselves."""

import io

import pytest

from app.domain.outcome import Errored, Failed, OutcomeKind, Passed, Skipped, TestId
from app.domain.results.formats import read_results
from app.domain.results.results_file import Declared, Reading, ReadStatus, Records

TRACE = "   at N.C.a() in /src/C.cs:line 12\r\n   at N.D.b() in /src/D.cs:line 3\r\n"
FAILURE = (
    f"<failure><message><![CDATA[  Expected: 1]]></message><stack-trace>{TRACE}</stack-trace>"
    "<message>a second one</message></failure>"
)


def reading_of(inside: str, root: str = "") -> Reading:
    return read_results(io.BytesIO(f"<test-run {root}>{inside}</test-run>".encode()))


def a_case(told: str, inside: str = "") -> str:
    names = 'name="a(1)" fullname="N.C.a(1)" classname="N.C"'
    return f'<test-case {names} duration="0.5" {told}>{inside}</test-case>'


PASSED_CASE = a_case('result="Passed"')


def outcome_of(told: str, inside: str = "") -> object:
    (result,) = reading_of(a_case(told, inside)).results
    return result.outcome


def test_a_failure_keeps_its_message_its_trace_and_the_place_where_it_was_thrown() -> None:
    (result,) = reading_of(a_case('result="Failed"', FAILURE)).results
    text = "Expected: 1\nat N.C.a() in /src/C.cs:line 12\n   at N.D.b() in /src/D.cs:line 3"
    assert result.test == TestId("", "", "N.C", "a(1)")
    assert result.outcome == Failed("Expected: 1", text)
    assert (result.path, result.line, result.duration_s) == ("/src/C.cs", 12, 0.5)


@pytest.mark.parametrize(
    ("told", "outcome"),
    [
        ('result="Passed"', Passed()),
        ('result="passed"', Passed()),
        ('result="Skipped"', Skipped("Skipped: why")),
        ('result="Skipped" label="Ignored"', Skipped("Ignored: why")),
        ('result="Skipped" label="Explicit"', Skipped("Explicit: why")),
        ('result="Inconclusive"', Skipped("Inconclusive: why")),
        ('result="Warning"', Skipped("Warning: why")),
    ],
)
def test_what_is_no_failure(told: str, outcome: object) -> None:
    reason = (
        "<reason><message>why</message></reason><output>text</output><properties><property/></properties>"
    )
    assert outcome_of(told, reason) == outcome


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ('result="Failed"', OutcomeKind.FAILED),
        ('result="Failed" label="Error"', OutcomeKind.FAILED),
        ('result="Failed" site="Test"', OutcomeKind.FAILED),
        ('result="Failed" label="Invalid"', OutcomeKind.ERRORED),
        ('result="Failed" label="Cancelled"', OutcomeKind.ERRORED),
        ('result="Failed" site="SetUp"', OutcomeKind.ERRORED),
        ('result="Failed" label="Error" site="TearDown"', OutcomeKind.ERRORED),
        ('result="Failed" site="Parent"', OutcomeKind.ERRORED),
        ('result="Passed"', OutcomeKind.FAILED),
        ("", OutcomeKind.FAILED),
    ],
)
def test_a_failure_is_an_error_where_it_was_outside_the_test_s_own_code(told: str, kind: OutcomeKind) -> None:
    (result,) = reading_of(a_case(told, FAILURE)).results
    assert result.outcome.kind is kind


def test_a_failure_that_says_nothing_is_one() -> None:
    assert outcome_of('result="Failed"') == Failed('the file says result="Failed" and no more', "")
    assert outcome_of('result="Failed" site="SetUp"') == Errored(
        'the file says result="Failed" and no more', ""
    )


def test_an_unknown_word_is_no_pass_and_a_doubt() -> None:
    reading = reading_of(a_case('result="Fine"') + a_case(""))
    assert reading.records == Records(cases=2, skipped=2)
    assert reading.results[0].outcome == Skipped('not run: result="Fine"')
    doubts = [f"1 tests have an outcome that is not known: '{word}'" for word in ("Fine", "")]
    assert list(reading.doubts[:2]) == doubts
    assert set(doubts) < set(reading.problems)


def test_many_unknown_words_are_counted_together() -> None:
    reading = reading_of("".join(a_case(f'result="w{n}"') for n in range(7)))
    assert "2 tests have an outcome that is not known: 'and others'" in reading.doubts


def a_suite(told: str, inside: str = "") -> str:
    return f'<test-suite type="TestFixture" name="C" fullname="N.C" {told}>{inside}{PASSED_CASE}</test-suite>'


@pytest.mark.parametrize(
    "told",
    [
        'result="Failed" site="SetUp"',
        'result="failed" site="TearDown"',
        'result="Failed" label="Invalid"',
        'result="Failed" site="Test"',
    ],
)
def test_a_suite_that_failed_by_itself_is_an_error_beside_the_tests(told: str) -> None:
    reading = reading_of(a_suite(told, FAILURE))
    suite = reading.results[-1]
    assert suite.test == TestId("", "N.C", "", "[suite]")
    assert suite.outcome.kind is OutcomeKind.ERRORED
    assert (suite.path, suite.line) == ("/src/C.cs", 12)
    assert (reading.records.cases, reading.records.passed, reading.counted.red_children) == (1, 1, 1)
    assert "1 errors stand beside the tests" in reading.problems


def test_a_suite_that_says_nothing_of_its_failure_is_named_by_its_path() -> None:
    inner = '<test-suite result="Failed" site="SetUp"/>'
    reading = reading_of(f'<test-suite name="A.dll" result="Failed" site="Child">{inner}</test-suite>')
    (suite,) = reading.results
    assert suite.test == TestId("", "A.dll", "", "[suite]")
    assert suite.outcome == Errored("the file says that this suite failed and no more", "")


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ('result="Failed" site="Child"', "One or more child tests had errors"),
        ('result="Failed" site="Parent"', "OneTimeSetUp: no"),
        ('result="Failed"', "One or more child tests had errors"),
        ('result="Passed"', "odd"),
        ("", "odd"),
    ],
)
def test_a_suite_that_failed_through_others_is_no_failure_of_its_own(told: str, message: str) -> None:
    reading = reading_of(a_suite(told, f"<failure><message>{message}</message></failure>"))
    assert [result.outcome for result in reading.results] == [Passed()]
    assert reading_of(a_suite('result="Failed"')).records.failed == 0


def test_a_test_without_a_class_is_known_by_its_suites() -> None:
    inside = '<test-case fullname="a" result="Passed"/>'
    reading = reading_of(f'<test-suite name="A.dll"><test-suite name="N">{inside}</test-suite></test-suite>')
    assert [result.test for result in reading.results] == [TestId("", "A.dll > N", "", "a")]


def test_claims_are_told_and_a_difference_is_a_problem() -> None:
    root = 'total="3" failed="2" skipped="1" inconclusive="1" warnings="1"'
    reading = reading_of(a_case('result="Passed"'), root)
    assert reading.declared == Declared(3, 2, None, 3)
    assert reading.status is ReadStatus.COMPLETE
    assert list(reading.problems) == [
        "the file claims 2 failures and lists 0",
        "the file claims 3 tests and lists 1",
    ]
    assert reading_of(a_case('result="Passed"'), 'total="1" failed="0"').problems == ()


def test_a_run_without_tests_says_so() -> None:
    reading = reading_of("<command-line>nunit3-console</command-line>", 'total="x"')
    assert (reading.status, reading.problems, reading.declared) == (
        ReadStatus.COMPLETE,
        ("no test in it",),
        Declared(),
    )


def test_a_file_that_is_cut_keeps_what_was_whole() -> None:
    reading = read_results(io.BytesIO(f"<test-run>{PASSED_CASE}<test-case ".encode()))
    assert (reading.status, reading.records) == (ReadStatus.PARTIAL, Records(cases=1, passed=1))


def test_a_nameless_test_is_counted_and_said() -> None:
    assert "1 tests have no name" in reading_of('<test-case result="Passed"/>').problems


def test_many_long_texts_are_cut_and_marked() -> None:
    (result,) = reading_of(
        a_case('result="Failed"', f"<failure><message>{'x' * 900_000}</message></failure>")
    ).results
    assert isinstance(result.outcome, Failed)
    assert result.outcome.cut
    assert len(result.outcome.text) < 400_000
