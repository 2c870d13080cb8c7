"""JUnit files of pytest: all outcomes, both families, crashed workers, hidden reruns, collection errors."""

import io

import pytest

from app.domain.outcome import Errored, Failed, OutcomeKind, Passed, Skipped, TestId
from app.domain.results.junit import Reading, ReadStatus, read_junit


def read(*cases: str, claims: str = "") -> Reading:
    text = (
        '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">'
        f'<testsuite name="pytest" {claims}>{"".join(cases)}</testsuite></testsuites>'
    )
    reading = read_junit(io.BytesIO(text.encode()))
    assert reading.status is ReadStatus.COMPLETE
    return reading


def case(name: str, inside: str = "", attributes: str = "") -> str:
    return f'<testcase classname="tests.test_a" name="{name}" time="0.001" {attributes}>{inside}</testcase>'


def test_expected_failures_are_skipped_and_strict_passes_are_failures() -> None:
    reading = read(
        case("test_xfail", '<skipped type="pytest.xfail" message="known">reason</skipped>'),
        case("test_xpass", '<failure message="[XPASS(strict)] known">[XPASS(strict)] known</failure>'),
    )
    assert [result.outcome for result in reading.results] == [
        Skipped("known"),
        Failed("[XPASS(strict)] known", "[XPASS(strict)] known"),
    ]


@pytest.mark.parametrize("phase", ["setup", "teardown"])
def test_a_failing_fixture_is_an_error(phase: str) -> None:
    reading = read(
        case("test_x", f'<error message="failed on {phase} with &quot;OSError: x&quot;">E   OSError</error>')
    )
    assert reading.results[0].outcome == Errored(f'failed on {phase} with "OSError: x"', "E   OSError")


def test_a_failing_call_and_teardown_are_one_test() -> None:
    reading = read(
        case("test_x", '<failure message="call failed">the call</failure>'),
        case("test_x", '<error message="failed on teardown with &quot;x&quot;">the teardown</error>'),
    )
    assert [result.outcome for result in reading.results] == [
        Errored("call failed", "the call\n\nthe teardown")
    ]
    assert reading.records.cases == 2
    assert reading.problems == ()


def test_a_crashed_worker_is_an_error_of_its_test() -> None:
    message = "worker 'gw1' crashed while running 'tests/test_a.py::test_segv'"
    reading = read(
        case("test_segv", f'<error message="failed on setup with &quot;{message}&quot;">{message}</error>')
    )
    assert reading.results[0].test == TestId("", "", "tests.test_a", "test_segv")
    assert reading.results[0].outcome.kind is OutcomeKind.ERRORED


def test_a_file_that_cannot_be_collected_is_an_error_of_the_file() -> None:
    reading = read(
        '<testcase classname="" name="tests.test_b">'
        '<error message="collection failure">E   ImportError</error></testcase>'
    )
    assert reading.results[0].test == TestId("", "pytest", "", "tests.test_b")
    assert reading.results[0].outcome == Errored("collection failure", "E   ImportError")


def test_line_numbers_of_the_older_family_count_from_one() -> None:
    reading = read(case("test_x", attributes='file="tests/test_a.py" line="9"'))
    assert (reading.results[0].path, reading.results[0].line) == ("tests/test_a.py", 10)


def test_silent_reruns_keep_the_last_record_and_are_said() -> None:
    reading = read(
        case("test_passes_third_try") * 3,
        case("test_always_fails") * 3,
        case("test_always_fails", '<failure message="never">E   assert False</failure>'),
        claims='tests="2" failures="1"',
    )
    assert {result.test.name: result.outcome for result in reading.results} == {
        "test_passes_third_try": Passed(),
        "test_always_fails": Failed("never", "E   assert False"),
    }
    assert reading.results[1].earlier == ()
    assert reading.problems == (
        "tests.test_a::test_passes_third_try is reported 3 times; the outcome of earlier attempts is unknown",
        "tests.test_a::test_always_fails is reported 4 times; the outcome of earlier attempts is unknown",
        "the file claims 2 tests and lists 7",
    )


def test_claims_larger_than_the_list_are_said() -> None:
    reading = read(case("test_x", "<failure/>"), claims='tests="4" failures="2" errors="1"')
    assert reading.problems == (
        "the file claims 4 tests and lists 1",
        "the file claims 3 failures and lists 1",
    )
