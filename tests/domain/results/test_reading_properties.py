"""Whatever a results file holds, it is read the same way, never raises, and never gains what it has not."""

import io
import random

from hypothesis import example, given, settings
from hypothesis import strategies as st
from reading_checks import check_reading
from reading_damage import ShortReads, damaged, sizes
from reading_inputs import BOMB, results

from app.domain.results.formats import read_results
from app.domain.results.results_file import Reading, ReadStatus


def reading_of(content: bytes) -> Reading:
    return read_results(io.BytesIO(content))


@settings(max_examples=150)
@given(st.binary(max_size=2000))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    check_reading(reading_of(content))


@settings(max_examples=250)
@given(damaged(results()))
@example(BOMB.encode() * 2)
def test_a_damaged_file_is_read_or_refused(content: bytes) -> None:
    check_reading(reading_of(content))


@settings(max_examples=80)
@given(st.one_of(st.sampled_from(results()), damaged(results())), sizes)
def test_reading_in_pieces_is_reading_whole(content: bytes, pieces: list[int]) -> None:
    assert read_results(ShortReads(content, pieces)) == reading_of(content)  # type: ignore[arg-type]


names = st.text("abT[]-:. \u00e9", min_size=1, max_size=6)
case_attributes = st.fixed_dictionaries(
    {"name": names},
    optional={
        "classname": names,
        "file": st.sampled_from(["t/a.py", "b.js"]),
        "line": st.sampled_from(["0", "7", "-1", "x"]),
        "time": st.sampled_from(["0.5", "1,234.5", "NaN", ""]),
        "status": st.sampled_from(["run", "notrun", "disabled", "failed"]),
        "result": st.sampled_from(["completed", "suppressed", "skipped"]),
    },
)
child = st.tuples(
    st.sampled_from(["failure", "error", "skipped", "flakyFailure", "rerunError", "system-out"]),
    st.dictionaries(st.sampled_from(["message", "type", "time"]), names, max_size=3),
    st.sampled_from(["", "text"]),
)
suites = st.lists(
    st.tuples(
        st.fixed_dictionaries(
            {"name": st.sampled_from(["pytest", "s"])},
            optional={"tests": st.just("3"), "failures": st.just("1"), "file": st.just("t/a.py")},
        ),
        st.lists(st.tuples(case_attributes, st.lists(child, max_size=3)), max_size=4),
    ),
    min_size=1,
    max_size=3,
)


def _tag(name: str, attributes: dict[str, str], order: random.Random) -> str:
    pairs = [f"{key}='{value}'" for key, value in attributes.items()]
    order.shuffle(pairs)
    return " ".join([f"<{name}", *pairs])


def _written(document: list, order: random.Random) -> bytes:  # type: ignore[type-arg]
    parts = ["<testsuites>"]
    for suite, cases in document:
        parts.append(f"{_tag('testsuite', suite, order)}>")
        for attributes, children in cases:
            inside = "".join(f"{_tag(name, more, order)}>{text}</{name}>" for name, more, text in children)
            parts.append(f"{_tag('testcase', attributes, order)}>{inside}</testcase>")
        parts.append("</testsuite>")
    return "".join([*parts, "</testsuites>"]).encode()


@settings(max_examples=150)
@given(suites, st.randoms(use_true_random=False), st.randoms(use_true_random=False))
def test_the_order_of_attributes_never_matters(
    document: list,  # type: ignore[type-arg]
    one: random.Random,
    other: random.Random,
) -> None:
    assert reading_of(_written(document, one)) == reading_of(_written(document, other))


@settings(max_examples=80)
@given(suites, st.data())
def test_a_file_that_is_cut_is_never_complete(document: list, data: st.DataObject) -> None:  # type: ignore[type-arg]
    whole = _written(document, random.Random(0))
    reading = reading_of(whole[: data.draw(st.integers(0, len(whole) - 1))])
    assert reading.status is not ReadStatus.COMPLETE
    assert reading.records.cases <= reading_of(whole).records.cases
