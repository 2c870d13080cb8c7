"""Files of NUnit, xUnit.net and TRX say the same in any order of attributes, and never more when cut."""

import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_checks import check_reading
from reading_damage import damaged
from reading_inputs import NUNIT, TRX, XUNIT_NET

from app.domain.results.formats import read_results
from app.domain.results.results_file import Reading, ReadStatus

Element = tuple[str, dict[str, str], list["Element"] | str]

FORMATS = (NUNIT, XUNIT_NET, TRX)
words = st.sampled_from(
    ["Passed", "Failed", "Pass", "Fail", "Skip", "Skipped", "NotExecuted", "Timeout", "Inconclusive", "odd"]
)
names = st.text("abC(1). \u00e9", min_size=1, max_size=6)
attributes = st.fixed_dictionaries(
    {"name": names, "result": words, "outcome": words},
    optional={
        "testName": names,
        "testId": st.sampled_from(["1", "2"]),
        "dataRowInfo": st.just("0"),
        "label": st.sampled_from(["Error", "Invalid"]),
        "site": st.sampled_from(["SetUp", "Child"]),
        "classname": names,
        "type": names,
        "total": st.just("2"),
        "time": st.just("0.5"),
        "exception-type": names,
    },
)
WITHIN = {
    "test-run": ["test-suite", "test-case"],
    "test-suite": ["test-suite", "test-case", "failure"],
    "test-case": ["failure", "reason"],
    "assemblies": ["assembly"],
    "assembly": ["collection", "test", "errors"],
    "collection": ["test"],
    "errors": ["error"],
    "error": ["failure"],
    "test": ["failure", "reason"],
    "failure": ["message", "stack-trace"],
    "reason": ["message"],
    "TestRun": ["UnitTestResult", "UnitTest", "RunInfo", "Counters"],
    "UnitTestResult": ["UnitTestResult", "Output"],
    "Output": ["ErrorInfo", "StdOut"],
    "ErrorInfo": ["Message", "StackTrace"],
    "UnitTest": ["TestMethod"],
    "RunInfo": ["Text"],
}


@st.composite
def elements(draw: st.DrawFn, name: str, depth: int = 5) -> Element:
    if name not in WITHIN or not depth:
        return name, {}, draw(names)
    inner = draw(st.lists(st.sampled_from(WITHIN[name]), max_size=3))
    return name, draw(attributes), [draw(elements(one, depth - 1)) for one in inner]


documents = st.sampled_from(["test-run", "assemblies", "TestRun"]).flatmap(elements)


def _written(element: Element, order: random.Random) -> str:
    name, told, inside = element
    pairs = [f" {key}='{value}'" for key, value in told.items()]
    order.shuffle(pairs)
    text = inside if isinstance(inside, str) else "".join(_written(one, order) for one in inside)
    return f"<{name}{''.join(pairs)}>{text}</{name}>"


def reading_of(text: str | bytes) -> Reading:
    return read_results(io.BytesIO(text.encode() if isinstance(text, str) else text))


@settings(max_examples=150)
@given(documents, st.randoms(use_true_random=False), st.randoms(use_true_random=False))
def test_the_order_of_attributes_says_nothing(
    document: Element, one: random.Random, other: random.Random
) -> None:
    reading = reading_of(_written(document, one))
    check_reading(reading)
    assert reading == reading_of(_written(document, other))


@settings(max_examples=80)
@given(documents, st.data())
def test_a_cut_file_is_never_complete_and_lists_no_more(document: Element, data: st.DataObject) -> None:
    whole = _written(document, random.Random(0))
    reading = reading_of(whole[: data.draw(st.integers(0, len(whole) - 1))])
    assert reading.status is not ReadStatus.COMPLETE
    assert reading.records.cases <= reading_of(whole).records.cases


@pytest.mark.parametrize("text", FORMATS, ids=["nunit", "xunit.net", "trx"])
@settings(max_examples=120)
@given(data=st.data())
def test_a_damaged_file_of_each_is_read_or_refused(text: str, data: st.DataObject) -> None:
    check_reading(reading_of(data.draw(damaged([text.encode()]))))
