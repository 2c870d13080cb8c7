"""xUnit.net files, v1 to v3: what each result is, errors of an assembly, and the claims."""

import io

import pytest

from app.domain.outcome import Errored, Failed, OutcomeKind, Passed, Skipped, TestId
from app.domain.results.formats import read_results
from app.domain.results.results_file import Declared, Reading, ReadStatus

FAILURE = (
    '<failure exception-type="Xunit.Sdk.EqualException"><message>Expected: 1</message>'
    "<stack-trace>   at N.C.a() in C:\\src\\C.cs:line 12</stack-trace></failure>"
)


def reading_of(inside: str, told: str = "") -> Reading:
    text = f'<assemblies><assembly name="C:\\b\\Tests.dll" {told}>{inside}</assembly></assemblies>'
    return read_results(io.BytesIO(text.encode()))


def a_test(told: str, inside: str = "") -> str:
    return f'<test name="N.C.a(x: 1)" type="N.C" method="a" time="0.25" {told}>{inside}</test>'


def outcome_of(told: str, inside: str = "") -> object:
    (result,) = reading_of(f"<collection>{a_test(told, inside)}</collection>").results
    return result.outcome


def test_a_failure_keeps_type_message_trace_and_place() -> None:
    (result,) = reading_of(a_test('result="Fail"', FAILURE)).results
    assert result.test == TestId("", "", "N.C", "N.C.a(x: 1)")
    text = "Xunit.Sdk.EqualException : Expected: 1\nat N.C.a() in C:\\src\\C.cs:line 12"
    assert result.outcome == Failed("Expected: 1", text)
    assert (result.path, result.line, result.duration_s) == ("C:\\src\\C.cs", 12, 0.25)


@pytest.mark.parametrize(
    ("told", "inside", "outcome"),
    [
        ('result="Pass"', "<output>x</output>", Passed()),
        ('result="Skip"', "<reason>not today</reason>", Skipped("not today")),
        ('result="Skip"', "<reason><message>v1</message></reason>", Skipped("v1")),
        ('result="NotRun"', "", Skipped("not run")),
        ('result="Fail"', "", Failed('the file says result="Fail" and no more', "")),
        ('result="Pass"', '<failure exception-type="E"/>', Failed("E", "E")),
        ('result="Odd"', "", Skipped('not run: result="Odd"')),
        ("", "", Skipped('not run: result=""')),
    ],
)
def test_each_word(told: str, inside: str, outcome: object) -> None:
    assert outcome_of(told, inside) == outcome


def test_an_unknown_word_is_a_doubt() -> None:
    assert reading_of(a_test('result="Odd"')).doubts == ("1 tests have an outcome that is not known: 'Odd'",)


def test_a_source_file_is_kept_where_no_trace_names_a_place() -> None:
    source = 'source-file="/s/C.cs" source-line="7"'
    (passed,) = reading_of(a_test(f'result="Pass" {source}')).results
    (failed,) = reading_of(a_test(f'result="Fail" {source}', FAILURE)).results
    assert (passed.path, passed.line, failed.line) == ("/s/C.cs", 7, 12)


def test_errors_of_an_assembly_are_errors_beside_the_tests() -> None:
    error = f'<errors><error type="assembly-cleanup" name="Tests">{FAILURE}</error><error/></errors>'
    reading = reading_of(error + a_test('result="Pass"'), 'errors="2" failed="0" total="1"')
    assert [result.test for result in reading.results] == [
        TestId("", "Tests.dll", "", "[suite]"),
        TestId("", "", "N.C", "N.C.a(x: 1)"),
    ]
    first = reading.results[0].outcome
    assert isinstance(first, Errored)
    assert first.text.startswith("assembly-cleanup Tests\nXunit.Sdk.EqualException : Expected: 1\n")
    assert reading.counted.red_children == 2
    assert "2 errors stand beside the tests" in reading.problems
    assert not any("claims" in line for line in reading.problems)


def test_a_test_without_a_type_is_known_by_its_assembly() -> None:
    (result,) = reading_of('<test name="a" result="Pass"/>').results
    assert result.test == TestId("", "Tests.dll", "", "a")


def test_tests_of_v1_lie_in_classes() -> None:
    test = a_test('result="Fail"', FAILURE)
    text = f'<assembly name="a.dll" total="1"><class name="N.C">{test}</class></assembly>'
    reading = read_results(io.BytesIO(text.encode()))
    assert (reading.format, reading.results[0].outcome.kind) == ("xunit.net", OutcomeKind.FAILED)


@pytest.mark.parametrize("total", [1, 2])
def test_a_test_that_was_not_run_may_be_counted_or_not(total: int) -> None:
    tests = a_test('result="Pass"') + '<test name="b" type="C" result="NotRun"/>'
    reading = reading_of(tests, f'total="{total}" failed="0" skipped="0" not-run="1"')
    assert (reading.problems, reading.declared) == ((), Declared(total, 0, None, 1))


def test_claims_of_all_assemblies_are_added_up_and_compared() -> None:
    one = '<assembly total="2" failed="1" skipped="x"/>'
    reading = read_results(io.BytesIO(f"<assemblies>{one}{one}</assemblies>".encode()))
    assert reading.declared == Declared(4, 2, None, None)
    assert (reading.status, list(reading.problems)) == (
        ReadStatus.COMPLETE,
        ["no test in it", "the file claims 2 failures and lists 0", "the file claims 4 tests and lists 0"],
    )


def test_a_lone_assembly_that_claims_no_tests_or_has_an_error_is_still_a_results_file() -> None:
    for inside in ('<assembly total="0"/>', "<assembly><errors><error/></errors></assembly>"):
        assert read_results(io.BytesIO(inside.encode())).status is ReadStatus.COMPLETE


def test_what_stands_outside_any_assembly_is_left_alone() -> None:
    assert read_results(io.BytesIO(b"<assemblies><other/></assemblies>")).problems == ("no test in it",)
