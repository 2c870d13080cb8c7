"""Faults of results files that people met in other tools, each with its smallest input."""

import io
from collections.abc import Iterator

from corpus_musts import text_of
from shown import Case, Shown, check, counts_words, read, tried

from app.domain.job_results import gather_results
from app.domain.outcome import OutcomeKind, Result
from app.domain.results.formats import read_results
from app.domain.run import Conclusion
from worker.commands.read_content import FileRead

PYTEST = '<testsuites><testsuite name="pytest" {claims}>{cases}</testsuite></testsuites>'


def shown() -> Iterator[Shown]:
    return tried(CASES)


def _pytest(cases: str, claims: str = "") -> str:
    return PYTEST.format(cases=cases, claims=claims)


def _suite(cases: str, attributes: str = 'name="s"') -> str:
    return f"<testsuite {attributes}>{cases}</testsuite>"


def _counts(told: FileRead, **wanted: int) -> str:
    found = {name: getattr(told.counts, name) for name in wanted}
    check(holds=found == wanted, wanted=str(wanted), found=found)
    return counts_words(told)


def only(told: FileRead) -> Result:
    check(holds=len(told.results) == 1, wanted="one test", found=[one.test.label for one in told.results])
    return told.results[0]


def _nested_suites() -> str:
    told = read(
        '<testsuites><testsuite name="a"><testsuite name="b"><testcase name="x"/></testsuite>'
        "</testsuite></testsuites>"
    )
    check(holds=only(told).test.name == "x", wanted="x", found=told.results)
    return _counts(told, cases=1, passed=1)


def _one_report_in_two_artifacts() -> str:
    content = _suite('<testcase classname="X" name="t"><failure message="m"/></testcase>').encode()
    readings = [(place, read_results(io.BytesIO(content))) for place in ("one/TEST-X.xml", "two/TEST-X.xml")]
    gathered = gather_results("test", Conclusion.FAILURE, readings, None)
    red = [one for one in gathered.results if one.outcome.kind.is_red]
    check(holds=len(red) == 1, wanted="one failure", found=red)
    return "one failure of two equal files"


def _all_reruns_failed() -> str:
    reruns = '<rerunFailure message="2nd"/><rerunFailure message="3rd"/>'
    told = read(_suite(f'<testcase name="t"><failure message="1st"/>{reruns}</testcase>'))
    one = only(told)
    kinds = [attempt.kind.is_red for attempt in (one.outcome, *one.earlier)]
    check(holds=kinds == [True] * 3, wanted="3 red attempts and no other", found=kinds)
    return _counts(told, failed=1, passed=0)


def _bare_attempts_are_no_passes() -> str:
    bare = '<testcase classname="t" name="f"/>'
    told = read(_pytest(f'{bare}{bare}<testcase classname="t" name="f"><failure/></testcase>', 'tests="1"'))
    one = only(told)
    check(holds=one.outcome.kind is OutcomeKind.FAILED, wanted="failed", found=one.outcome.kind)
    check(
        holds=OutcomeKind.PASSED not in [attempt.kind for attempt in one.earlier],
        wanted="no attempt that passed",
        found=one.earlier,
    )
    return counts_words(told)


def _passed_then_errored_in_teardown() -> str:
    error = '<error message="failed on teardown with &quot;OSError&quot;">E</error>'
    told = read(
        _pytest(f'<testcase classname="m" name="t"/><testcase classname="m" name="t">{error}</testcase>')
    )
    check(holds=only(told).outcome.kind is OutcomeKind.ERRORED, wanted="errored", found=told.results)
    return "one test, errored"


def _failed_in_call_and_teardown() -> str:
    first = '<testcase classname="m" name="t"><failure message="a">A</failure></testcase>'
    error = '<error message="failed on teardown with &quot;b&quot;">B</error>'
    second = f'<testcase classname="m" name="t">{error}</testcase>'
    one = only(read(_pytest(first + second)))
    check(holds=one.outcome.kind.is_red, wanted="red", found=one.outcome.kind)
    check(holds=not one.earlier, wanted="no attempt: two phases of one", found=one.earlier)
    return f"one test, {one.outcome.kind}"


def _claims_more_tests() -> str:
    told = read(_suite('<testcase name="a"/><testcase name="b"/>', 'name="s" tests="4"'))
    check(holds=any("claims 4" in one for one in told.problems), wanted="the claim", found=told.problems)
    return _counts(told, cases=2)


def _claims_more_failures() -> str:
    cases = "".join(f'<testcase name="t{number}"/>' for number in range(19))
    told = read(f'<testsuites tests="1425" failures="23">{_suite(cases)}</testsuites>')
    check(holds=any("23 failures" in one for one in told.problems), wanted="the claim", found=told.problems)
    return _counts(told, cases=19)


def _jest_file_that_cannot_load() -> str:
    name = "src\\app.test.ts"
    case = (
        f'<testcase classname="Test suite failed to run" name="{name}"><error>SyntaxError</error></testcase>'
    )
    told = read(
        f'<testsuites name="jest tests">{_suite(case, f"""name="{name}" errors="1" """)}</testsuites>'
    )
    one = only(told)
    check(holds=one.outcome.kind is OutcomeKind.ERRORED, wanted="errored", found=one.outcome.kind)
    check(holds="app.test.ts" in one.test.label, wanted="the file's name", found=one.test.label)
    return _counts(told, errored=1, passed=0)


def _failure_of_text_alone() -> str:
    one = only(read(_suite('<testcase name="t"><failure>text only</failure></testcase>')))
    check(holds="text only" in text_of(one.outcome), wanted="its text", found=one.outcome)
    return f"{one.outcome.kind}, text kept"


def _control_characters() -> str:
    case = (
        '<testcase name="a"><failure message="\x01\x02\x03\x04bad">x</failure></testcase><testcase name="b"/>'
    )
    return _counts(read(_suite(case)), cases=2, failed=1, passed=1)


def _one_bad_byte_in_a_long_report() -> str:
    green = "".join(f'<testcase classname="c" name="t{number}" time="0.1"/>\n' for number in range(800))
    told = read(_suite(f'{green}<testcase name="bad"><failure>bad token \x12 in body</failure></testcase>'))
    return _counts(told, cases=801, failed=1)


def _large_output() -> str:
    output = "x" * 15_000_000
    told = read(_suite(f'<testcase name="t"><system-out><![CDATA[{output}]]></system-out></testcase>'))
    return _counts(told, cases=1, passed=1)


def _thousands_in_a_time() -> str:
    told = read(_suite('<testcase name="t" time="2,503.1"/><testcase name="u" time="0,25"/>'))
    times = [one.duration_s for one in told.results]
    check(holds=times == [2503.1, None], wanted="2503.1 s and an unknown time", found=times)
    return f"times {times}"


def _flakes_are_no_failures() -> str:
    told = read(_suite('<testcase name="t"><flakyFailure message="m">F</flakyFailure></testcase>'))
    one = only(told)
    kinds = [attempt.kind.value for attempt in (*one.earlier, one.outcome)]
    check(holds=kinds == ["failed", "passed"], wanted="failed, then passed", found=kinds)
    return _counts(told, failed=0, errored=0, flaky_reruns=1)


def _passed_on_rerun_of_gotestsum() -> str:
    failed = (
        '<testcase classname="pkg" name="TestA"><failure message="Failed">=== RUN TestA</failure></testcase>'
    )
    go = '<properties><property name="go.version" value="go1.24 linux/amd64"></property></properties>'
    suite = _suite(
        f'{go}{failed}<testcase classname="pkg" name="TestA"/>', 'name="pkg" tests="2" failures="1"'
    )
    one = only(read(f"<testsuites>{suite}</testsuites>"))
    kinds = [attempt.kind.value for attempt in (*one.earlier, one.outcome)]
    check(holds=kinds == ["failed", "passed"], wanted="failed, then passed", found=kinds)
    return f"one test: {', then '.join(kinds)}"


CASES: list[Case] = [
    ("BR-01 nested suites", _nested_suites),
    ("BR-05 one report in two artifacts", _one_report_in_two_artifacts),
    ("BR-07 every rerun failed", _all_reruns_failed),
    ("BR-09 bare records of reruns", _bare_attempts_are_no_passes),
    ("BR-11 passed, then errored in teardown", _passed_then_errored_in_teardown),
    ("BR-12 failed in call and in teardown", _failed_in_call_and_teardown),
    ("BR-13 more tests claimed than listed", _claims_more_tests),
    ("BR-16 more failures claimed than listed", _claims_more_failures),
    ("BR-18 a jest file that cannot load", _jest_file_that_cannot_load),
    ("BR-20 a failure of text alone", _failure_of_text_alone),
    ("BR-24 raw control characters", _control_characters),
    ("BR-26 one bad byte in a long report", _one_bad_byte_in_a_long_report),
    ("BR-29 15 MB of output in one section", _large_output),
    ("BR-31 a time with a thousands comma", _thousands_in_a_time),
    ("BR-41 flakes are no failures", _flakes_are_no_failures),
    ("BR-43 passed on the rerun of gotestsum", _passed_on_rerun_of_gotestsum),
]
