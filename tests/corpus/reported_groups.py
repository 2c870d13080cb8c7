"""Faults of grouping that people met in other tools, as far as reading and signatures decide them."""

import io
from collections.abc import Iterator

from shown import Case, Shown, check, read, tried

from app.domain.job_results import gather_results
from app.domain.outcome import TestId
from app.domain.results.formats import read_results
from app.domain.run import Conclusion
from app.domain.signature import sign

PASS = '<testcase classname="{}" name="{}"/>'
FAIL = '<testcase classname="{}" name="{}"><failure message="m">text</failure></testcase>'


def shown() -> Iterator[Shown]:
    return tried(CASES)


def _suite(*cases: str, name: str = "s") -> str:
    return f'<testsuite name="{name}" timestamp="2026-05-11T09:14:02">{"".join(cases)}</testsuite>'


def _outcomes(content: str) -> dict[str, str]:
    told = read(content)
    attempts = [one.test.label for one in told.results if one.earlier]
    check(holds=not attempts, wanted="no retry", found=attempts)
    return {one.test.label: one.outcome.kind.value for one in told.results}


def _one_name_in_two_classes() -> str:
    found = _outcomes(_suite(FAIL.format("TestFoo", "test_get"), PASS.format("TestBar", "test_get")))
    wanted = {"TestFoo::test_get": "failed", "TestBar::test_get": "passed"}
    check(holds=found == wanted, wanted="two tests, one failed", found=found)
    return f"{found}"


def _one_method_in_two_packages() -> str:
    found = _outcomes(_suite(PASS.format("p1.A", "test"), PASS.format("p2.A", "test")))
    check(holds=len(found) == 2, wanted="two tests", found=found)
    return f"{sorted(found)}"


def _shards_of_one_name_and_time() -> str:
    files = [_suite(PASS.format("c", name), name="pytest").encode() for name in ("test_a", "test_b")]
    readings = [(f"{number}.xml", read_results(io.BytesIO(one))) for number, one in enumerate(files)]
    found = gather_results("test", Conclusion.SUCCESS, readings, None).results
    check(holds=len(found) == 2, wanted="the tests of both files", found=found)
    return "both files' tests"


def _two_methods_of_one_display_name() -> str:
    case = FAIL.format("C", "[1] value = &quot;plain&quot;")
    told = read(_suite(PASS.format("C", "[1] value = &quot;plain&quot;"), case))
    check(holds=bool(told.problems), wanted="a flag on the ambiguous id", found="no problem")
    check(holds=not any(one.earlier for one in told.results), wanted="no retry", found=told.results)
    check(holds=any(one.outcome.kind.is_red for one in told.results), wanted="red", found=told.results)
    return f"flagged: {told.problems[0]}"


def _two_parameters() -> str:
    found = _outcomes(_suite(FAIL.format("C", "p(String)[1]"), PASS.format("C", "p(String)[2]")))
    check(holds=sorted(found.values()) == ["failed", "passed"], wanted="two tests", found=found)
    return f"{found}"


def _an_exit_code_is_no_signature() -> str:
    line = "##[error]Process completed with exit code 1."
    group = sign(test=None, message=line, text=line).group
    check(holds=group is None, wanted="no key of a group", found=group)
    return "no key of a group"


def _one_message_in_fifty_tests() -> str:
    text = "E   RuntimeError: CUDA driver version is insufficient for CUDA runtime version"
    tests = [TestId("", "", "m.TestX", f"test_{number}") for number in range(50)]
    keys = {sign(test=test, message=text[4:], text=text).cluster for test in tests}
    check(holds=len(keys) == 1 and None not in keys, wanted="one cluster", found=keys)
    return "one cluster of 50 tests"


CASES: list[Case] = [
    ("BR-03 one name in two classes", _one_name_in_two_classes),
    ("BR-32 shards of one suite name and time", _shards_of_one_name_and_time),
    ("BR-34 one method in two packages", _one_method_in_two_packages),
    ("BR-36 two methods of one display name", _two_methods_of_one_display_name),
    ("BR-37 two parameters of one method", _two_parameters),
    ("BR-66 an exit code is no signature", _an_exit_code_is_no_signature),
    ("BR-67 one message in fifty tests", _one_message_in_fifty_tests),
]
