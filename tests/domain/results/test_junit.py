"""JUnit files of many dialects give one honest result a test, and an unreadable file is never green."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.bounded_text import TEXT_LIMIT
from app.domain.outcome import Errored, Failed, Outcome, OutcomeKind, Passed, Result, Skipped, TestId
from app.domain.results.junit import (
    SUITE_ITSELF,
    Declared,
    Reading,
    ReadStatus,
    Records,
    read_junit,
)
from app.domain.results.junit_case import TextBudget
from app.domain.results.junit_words import OUTCOME_ATTRIBUTES, told_outcome
from app.domain.results.repeated_ids import MAX_MERGED
from app.domain.results.results_file import Counted


def read(text: str | bytes) -> Reading:
    return read_junit(io.BytesIO(text if isinstance(text, bytes) else text.encode()))


def read_case(inside: str, attributes: str = "") -> Result:
    reading = read(
        f'<testsuite><testcase classname="c" name="t" {attributes}>{inside}</testcase></testsuite>'
    )
    assert reading.status is ReadStatus.COMPLETE
    (result,) = reading.results
    return result


SOUND = (
    '<?xml version="1.0"?><testsuites><testsuite name="s" tests="3" failures="1" errors="0" skipped="1">'
    '<testcase classname="t.m" name="test_a" time="0.1"/>'
    '<testcase classname="t.m" name="test_b" time="0.2">'
    '<failure message="assert 1 == 2">E  a</failure></testcase>'
    '<testcase classname="t.m" name="test_c"><skipped message="no gpu"/></testcase>'
    "</testsuite></testsuites>"
)


def test_a_sound_file_is_read_completely() -> None:
    assert read(SOUND) == Reading(
        "junit",
        ReadStatus.COMPLETE,
        None,
        (
            Result(TestId("", "", "t.m", "test_a"), Passed(), 0.1),
            Result(TestId("", "", "t.m", "test_b"), Failed("assert 1 == 2", "E  a"), 0.2),
            Result(TestId("", "", "t.m", "test_c"), Skipped("no gpu")),
        ),
        Declared(3, 1, 0, 1),
        (),
        Records(3, 1, 1, 0, 1, 0),
        counted=Counted(red_children=1, of_suites=3),
    )


@pytest.mark.parametrize(
    ("inside", "attributes", "outcome"),
    [
        ("", "", Passed()),
        ("<properties><property name='x'/></properties><system-out>x</system-out>", "", Passed()),
        ("<failure>text only</failure>", "", Failed("", "text only")),
        ('<failure type="ValueError"/>', "", Failed("ValueError", "")),
        ('<error message="m">t</error>', "", Errored("m", "t")),
        ("<skipped>because</skipped>", "", Skipped("because")),
        ("<skip/>", "", Skipped()),
        ("<ignored/>", "", Skipped()),
        ("<disabled/>", "", Skipped()),
        ("", 'status="notrun"', Skipped('not run: status="notrun"')),
        ("", 'status="disabled"', Skipped('not run: status="disabled"')),
        ("", 'result="suppressed"', Skipped('not run: result="suppressed"')),
        ("", 'status="failed"', Failed('the file says status="failed" and no more', "")),
        ("", 'success="False"', Failed('the file says success="False" and no more', "")),
        ("", 'executed="False"', Skipped('not run: executed="False"')),
        ("", 'executed="True" success="True" result="Passed"', Passed()),
        ("<Failure message='m'>t</Failure>", "", Failed("m", "t")),
        ("<SKIPPED>because</SKIPPED>", "", Skipped("because")),
        ("<failures><failure message='m'>t</failure></failures>", "", Failed("m", "t")),
        ("<failures/><failure message='m'/>", "", Failed("m", "")),
        ("<errors count='0'></errors><skipped/>", "", Skipped()),
        ("<skipped/>", 'status="failed"', Failed('the file says status="failed" and no more', "")),
        ("<skipped/>", 'status="odd"', Skipped()),
        ("<failure message='m'/>", 'status="passed"', Failed("m", "")),
        ("", 'status="run" result="completed"', Passed()),
        ("<a><failure/></a>", "", Passed()),
    ],
)
def test_every_spelling_of_an_outcome(inside: str, attributes: str, outcome: Outcome) -> None:
    assert read_case(inside, attributes).outcome == outcome


@pytest.mark.parametrize(
    "attribute",
    [
        *(f'status="{word}"' for word in ("fail", "FAILED", "error", "timeout", "Timed Out", "aborted")),
        *(f'result="{word}"' for word in ("failed", "interrupted", "Failure", "not ok")),
        *('outcome="failed"', 'outcome="timed-out"', 'status="run" result="failed"', 'success="false"'),
    ],
)
def test_a_failure_that_only_an_attribute_tells_is_no_pass(attribute: str) -> None:
    outcome = read_case("", attribute).outcome
    assert isinstance(outcome, Failed | Errored)
    assert outcome.message.startswith("the file says ")


@pytest.mark.parametrize(
    "attribute",
    [
        *(f'status="{word}"' for word in ("untested", "undefined", "pending", "blocked", "Skipped", "other")),
        *('status="NotExecuted"', 'result="Inconclusive"', 'executed="false"', 'result="Ignored"'),
    ],
)
def test_a_word_that_is_not_known_for_a_pass_is_no_pass(attribute: str) -> None:
    outcome = read_case("", attribute).outcome
    assert isinstance(outcome, Skipped)
    assert outcome.reason == f"not run: {attribute}"


@given(st.sampled_from(OUTCOME_ATTRIBUTES), st.text("abcdefgST -_", min_size=1, max_size=12))
def test_no_unknown_word_makes_a_pass(name: str, word: str) -> None:
    told = told_outcome({name: word})
    assert isinstance(told, Passed) is (word.strip().lower().translate({32: "", 45: "", 95: ""}) == "")


@pytest.mark.parametrize("element", ["error", "failure", "Error"])
def test_an_error_beside_the_tests_is_a_result_of_its_own(element: str) -> None:
    reading = read(
        f'<testsuites><testsuite name="db" errors="1"><{element} message="no socket">t</{element}>'
        '<testcase classname="c" name="t"/></testsuite></testsuites>'
    )
    assert reading.status is ReadStatus.COMPLETE
    assert [(one.test, one.outcome) for one in reading.results] == [
        (TestId("", "db", "", SUITE_ITSELF), Errored("no socket", "t")),
        (TestId("", "", "c", "t"), Passed()),
    ]
    assert reading.problems == ("1 errors stand beside the tests of a suite",)
    assert reading.doubts == ()


def test_an_error_elsewhere_is_none_of_a_suite() -> None:
    assert read("<Error><Code>NoSuchKey</Code></Error>").status is ReadStatus.REFUSED
    assert read("<a><error/><testcase name='t'/></a>").results[0].outcome == Passed()
    inside = "<testsuite><properties><error/></properties><testcase name='t'/></testsuite>"
    assert len(read(inside).results) == 1
    assert len(read("<testsuites><error message='m'/></testsuites>").results) == 1


def test_elements_in_another_case_are_the_same() -> None:
    reading = read("<TestSuites><TestSuite><TestCase name='t'><FAILURE/></TestCase></TestSuite></TestSuites>")
    assert [one.outcome.kind.is_red for one in reading.results] == [True]
    assert reading.status is ReadStatus.COMPLETE


def test_claims_of_more_failures_are_problems_and_different_outcomes_are_doubts() -> None:
    claims = "the file claims 3 failures and lists 0"
    reading = read("<testsuite failures='2' errors='1'><testcase name='t'/></testsuite>")
    assert (reading.problems, reading.doubts) == ((claims,), ())
    differs = "c::t is reported 2 times with different outcomes; the worst was kept"
    twice = "<testcase classname='c' name='t'/><testcase classname='c' name='t'><failure/></testcase>"
    assert read(f"<testsuite>{twice}</testsuite>").doubts == (differs,)


def test_tests_beyond_the_limit_are_left_out_and_it_is_said() -> None:
    cases = '<testcase name="a"/>' * 4
    reading = read_junit(io.BytesIO(f"<testsuite>{cases}</testsuite>".encode()), limit=3)
    assert (reading.status, reading.records.cases) == (ReadStatus.PARTIAL, 3)
    assert reading.reason == "the tests beyond the first 3 were left out"
    assert read_junit(io.BytesIO(f"<testsuite>{cases}</testsuite>".encode()), limit=4).reason is None


def test_the_worst_child_wins_and_no_text_is_lost() -> None:
    failures = '<failure message="m1">t1</failure><failure message="m2"/>'
    inside = f'<skipped/>{failures}<error message="m3">has m3</error>'
    assert read_case(inside).outcome == Errored("m3", "m1\nt1\n\nm2\n\nhas m3")


def test_several_failures_in_one_testcase_are_one_failure() -> None:
    assert read_case("<failure>one</failure><failure>two</failure>").outcome == Failed("", "one\n\ntwo")


def test_children_without_end_are_bounded_and_a_late_error_still_counts() -> None:
    outcome = read_case("<skipped/>" * 500 + "<failure>f</failure>" * 500 + '<error message="late"/>').outcome
    assert isinstance(outcome, Errored)
    assert outcome.message == "late"


def test_flaky_children_are_earlier_attempts_of_a_pass() -> None:
    inside = '<flakyFailure message="1st">t</flakyFailure><flakyError type="E"><trace>s</trace></flakyError>'
    result = read_case(inside)
    assert result.outcome == Passed()
    assert result.earlier == (Failed("1st", "t"), Errored("E", "s"))


def test_rerun_children_are_further_failures_not_a_flake() -> None:
    second = "<rerunFailure>2nd<system-out>o</system-out></rerunFailure>"
    inside = f"<failure>1st</failure>{second}<rerunError>3rd</rerunError>"
    result = read_case(inside)
    assert result.outcome == Failed("", "1st")
    assert result.earlier == (Failed("", "2nd"), Errored("", "3rd"))


def test_a_test_with_failed_reruns_only_is_no_pass() -> None:
    reading = read('<testcase name="t"><rerunFailure message="1st"/><rerunError message="2nd"/></testcase>')
    assert reading.results[0].outcome == Errored("2nd", "")
    assert reading.results[0].earlier == (Failed("1st", ""),)
    assert reading.records == Records(cases=1, passed=1, flaky_reruns=2)
    assert "1 tests have failed reruns only, so they count as failed" in reading.problems


def test_output_inside_and_beside_a_failure_is_left_out() -> None:
    inside = "<failure>a<system-err>o<x/><system-out/></system-err>b</failure><system-out>out</system-out>"
    assert read_case(inside).outcome == Failed("", "ab")


def test_a_long_failure_is_cut_with_a_mark() -> None:
    outcome = read_case(f"<failure>{'x' * 400_000}END</failure>").outcome
    assert isinstance(outcome, Failed)
    assert outcome.cut
    assert "characters cut" in outcome.text
    assert outcome.text.endswith("END")
    assert len(outcome.text) < TEXT_LIMIT + 100


def test_a_long_message_is_cut_too() -> None:
    outcome = read_case(f'<failure message="{"x" * 40_000}"/>').outcome
    assert isinstance(outcome, Failed)
    assert outcome.cut
    assert len(outcome.message) < 20_000


def test_past_the_budget_of_a_file_texts_are_kept_short() -> None:
    budget = TextBudget(characters=10)
    budget.spend(11)
    text = budget.start()
    text.add("x" * 100_000)
    assert len(text) < 10_000


def test_suites_name_a_test_only_where_the_class_is_missing() -> None:
    reading = read(
        '<testsuites name="all"><testsuite name="a"><testsuite name="b-20260130123456"><testcase name="x"/>'
        '</testsuite></testsuite><testsuite name="" file="f.js"><testcase name="x"/>'
        '<testcase name="x" classname="c" file="g.js" line="7"/></testsuite></testsuites>'
    )
    assert [(result.test, result.path, result.line) for result in reading.results] == [
        (TestId("", "a > b", "", "x"), None, None),
        (TestId("", "", "", "x"), "f.js", None),
        (TestId("g.js", "", "c", "x"), "g.js", 7),
    ]


@pytest.mark.parametrize("line", ["-1", "x", "٣", "99999999999"])
def test_a_line_that_is_no_number_is_unknown(line: str) -> None:
    assert read_case("", f'line="{line}"').line is None


def test_zero_tests_are_said() -> None:
    reading = read('<testsuites tests="6" failures="1"/>')
    assert reading.status is ReadStatus.COMPLETE
    assert reading.results == ()
    assert reading.problems == (
        "no test in it",
        "the file claims 6 tests and lists 0",
        "the file claims 1 failures and lists 0",
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<!DOCTYPE html><html><body>404</body></html>", "an HTML page, not a results file"),
        ("<HTML><body/></HTML>", "an HTML page, not a results file"),
        (
            '<phpunit><testsuites><testsuite name="x"/></testsuites></phpunit>',
            "PHPUnit's configuration, not a results file",
        ),
        ("<TestRun/>", "a TRX file, not JUnit"),
        ("<b>x</b>", "root element <b>, and no test in it"),
        ('{"message": "gone"}', "no test could be read: JSON, not XML"),
        ("<testsuite><testcase name='a'", "no test could be read: cut off at line 1, inside <testsuite>"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><testsuite><testcase name="a"/></testsuite>', None),
    ],
)
def test_what_holds_no_results_is_refused_with_a_reason(text: str, reason: str | None) -> None:
    reading = read(text)
    assert reading.status is ReadStatus.REFUSED
    assert reading.format is None
    assert reading.results == ()
    assert reading.reason is not None
    if reason is not None:
        assert reading.reason == reason


def test_tests_under_an_unusual_root_are_read_and_it_is_said() -> None:
    reading = read('<nothing><testcase classname="c" name="t"/></nothing>')
    assert len(reading.results) == 1
    assert reading.problems == ("unusual root element <nothing>",)


def test_a_name_that_is_missing_is_said() -> None:
    reading = read("<testcase/>")
    assert reading.results == (Result(TestId("", "", "", ""), Passed()),)
    assert reading.problems == ("1 tests have no name",)


def test_a_testcase_inside_a_testcase_counts_as_well() -> None:
    reading = read('<testcase name="a"><testcase name="b"><failure/></testcase></testcase>')
    assert {result.test.name: result.outcome.kind.value for result in reading.results} == {
        "a": "passed",
        "b": "failed",
    }


def test_a_refused_document_after_a_good_one_keeps_its_results() -> None:
    reading = read('<testsuite><testcase name="a"/></testsuite><html/>')
    assert reading.status is ReadStatus.PARTIAL
    assert len(reading.results) == 1


def test_bad_bytes_are_replaced_and_make_the_file_partial() -> None:
    reading = read(
        b'<testsuite><testcase name="na\xefve"><failure message="na\xefve"/></testcase></testsuite>'
    )
    assert reading.status is ReadStatus.PARTIAL
    assert reading.reason == "bytes that are not utf-8 were replaced"
    assert reading.results[0].outcome.kind.is_red


@given(st.integers(0, len(SOUND)))
def test_a_cut_file_is_never_complete_and_never_invents_a_result(length: int) -> None:
    reading = read(SOUND[:length])
    whole = read(SOUND)
    assert reading.results == whole.results[: len(reading.results)]
    if length < len(SOUND):
        assert reading.status is not ReadStatus.COMPLETE
        assert reading.reason


@given(st.lists(st.tuples(st.integers(0, len(SOUND) - 1), st.integers(0, 255)), max_size=4))
def test_a_mutated_file_never_makes_the_reader_raise(changes: list[tuple[int, int]]) -> None:
    raw = bytearray(SOUND.encode())
    for position, value in changes:
        raw[position] = value
    reading = read(bytes(raw))
    assert (reading.status is ReadStatus.REFUSED) == (reading.format is None)
    if reading.status is not ReadStatus.COMPLETE:
        assert reading.reason


@given(st.binary(max_size=400))
def test_any_bytes_give_a_reading(raw: bytes) -> None:
    reading = read(raw)
    assert reading.status is ReadStatus.REFUSED or reading.results or "no test in it" in reading.problems


GO = '<properties><property name="go.version" value="go1.24 linux/amd64"/></properties>'
RED = '<testcase classname="pkg" name="{}"><failure message="Failed">text {}</failure></testcase>'
GREEN = '<testcase classname="pkg" name="{}"/>'


def go_suite(*cases: str, properties: str = GO) -> Reading:
    return read(f'<testsuites><testsuite name="pkg">{properties}{"".join(cases)}</testsuite></testsuites>')


def test_a_go_test_that_was_run_again_until_it_passed_has_passed() -> None:
    reading = go_suite(
        RED.format("TestA", 1), GREEN.format("TestB"), RED.format("TestA", 2), GREEN.format("TestA")
    )
    first, _ = reading.results
    assert first.outcome.kind is OutcomeKind.PASSED
    assert first.earlier == (Failed("Failed", "text 1"), Failed("Failed", "text 2"))
    assert reading.doubts == ()
    assert (
        "pkg::TestA is reported 3 times: it was run again after it had failed, and passed" in reading.problems
    )


def test_a_go_test_that_failed_in_every_run_has_failed() -> None:
    first, _ = go_suite(RED.format("TestA", 1), GREEN.format("TestB"), RED.format("TestA", 2)).results
    assert first.outcome == Failed("Failed", "text 1\n\ntext 2")


@pytest.mark.parametrize(
    "cases",
    [
        (RED.format("TestA", 1), GREEN.format("TestB"), GREEN.format("TestA"), GREEN.format("TestB")),
        (GREEN.format("TestA"), RED.format("TestA", 1), GREEN.format("TestA")),
    ],
    ids=["all run twice", "failed after a pass"],
)
def test_runs_that_were_counted_are_no_reruns(cases: tuple[str, ...]) -> None:
    reading = go_suite(*cases)
    assert reading.results[0].outcome.kind is OutcomeKind.FAILED
    assert reading.doubts


def test_without_the_mark_of_go_a_repeated_test_is_no_rerun() -> None:
    reading = go_suite(RED.format("TestA", 1), GREEN.format("TestA"), properties="")
    assert reading.results[0].outcome.kind is OutcomeKind.FAILED


def test_attempts_of_a_go_test_are_bounded() -> None:
    reading = go_suite(*[RED.format("TestA", 1)] * (MAX_MERGED + 5), GREEN.format("TestA"))
    assert reading.results[0].outcome.kind is OutcomeKind.FAILED


@pytest.mark.parametrize("beside", ["", "<properties/>"], ids=["by its shape", "by the parser"])
def test_references_in_attributes_are_what_they_stand_for(beside: str) -> None:
    """libxml2 keeps `&amp;` as `&#38;` in attributes where it is told to resolve no entities at all."""
    reading = read(
        f'<testsuite><testcase name="a &amp; b &lt;&gt;&quot;&apos; &amp;#38; &amp;amp;">{beside}'
        f'<failure message="1 &amp;&amp; 2">x &amp; y</failure></testcase></testsuite>'
    )
    (one,) = reading.results
    assert one.test.name == "a & b <>\"' &#38; &amp;"
    assert one.outcome == Failed("1 && 2", "x & y")


@pytest.mark.parametrize(
    ("case", "place"),
    [
        ('<testcase name="n" file="t/a.php" line="7"><failure/></testcase>', ("t/a.php", 7)),
        ('<testcase name="n" file="t/a.rb" lineno="7"><failure/></testcase>', ("t/a.rb", 7)),
        ('<testcase name="n"><failure filename="t/a.cpp" line="9">x</failure></testcase>', ("t/a.cpp", 9)),
        ('<testcase name="n" file="t/a.cpp" line="7"><error line="9"/></testcase>', ("t/a.cpp", 9)),
        ('<testcase name="n"><failure file="t/a.cpp" line="x"/></testcase>', ("t/a.cpp", None)),
        ('<testcase name="n"><failure/></testcase>', ("s.py", None)),
    ],
)
def test_the_place_of_a_failure_is_kept_wherever_it_stands(case: str, place: tuple[str, int | None]) -> None:
    (one,) = read(f'<testsuite file="s.py">{case}</testsuite>').results
    assert (one.path, one.line) == place


@pytest.mark.parametrize(
    "tail",
    [
        '<testsuite name="',
        "<testsuite name='b",
        "<testsuite",
        '<testcase name="',
        "<",
        "</",
        "&am",
        "<testcase ",
    ],
)
def test_a_file_that_breaks_off_in_a_tag_between_documents_is_partial(tail: str) -> None:
    whole = '<testsuite name="a"><testcase name="n"/></testsuite>'
    for cut in (whole + tail, whole + tail + '<testcase name="lost"><failure/></testcase>'):
        reading = read(cut)
        assert reading.status is ReadStatus.PARTIAL
        assert len(reading.results) == 1 + ("lost" in str(reading.results))
