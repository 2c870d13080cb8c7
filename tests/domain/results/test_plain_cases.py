"""Runs of testcases without children are read by their shape just as the parser would read them."""

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reading_damage import damaged
from reading_inputs import results

from app.domain.results import plain_cases
from app.domain.results.junit import JunitSink, read_junit
from app.domain.results.marked_cases import Marked
from app.domain.results.plain_cases import LEAST, MAX_SHAPES, RUN, PlainRuns, Run
from app.domain.results.results_file import MAX_TESTS, Reading
from app.domain.results.xml_stream import read_xml


def by_parser(content: bytes, limit: int = MAX_TESTS) -> Reading:
    """What the parser alone gives, which sees every element."""
    sink = JunitSink(limit)
    return sink.reading(read_xml(io.BytesIO(content), sink))


def by_shape(content: bytes, limit: int = MAX_TESTS) -> Reading:
    return read_junit(io.BytesIO(content), limit=limit)


def found(reading: Reading) -> tuple[object, ...]:
    """All of a reading but the words for where it broke: a tag without end is found out soon or late."""
    broken = ("broken at ", "cut off at ")
    problems = [one for one in reading.problems if not one.startswith(broken)]
    is_broken = len(problems) < len(reading.problems) or (reading.reason or "").partition(": ")[2].startswith(
        broken
    )
    return (is_broken, problems, replace(reading, problems=(), reason=None))


def taken(markup: str) -> tuple[list[Run | Marked], str]:
    """The runs of a piece of markup, and what is left for the parser."""
    plain = PlainRuns("testcase")
    left = b"".join(plain.take(markup.encode())).decode()
    return list(plain.runs), left


def told(runs: list[Run | Marked]) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    return [(run.names, run.rows) for run in runs if isinstance(run, Run)]


def cases(
    number: int, shape: str = '<testcase classname="c" name="n{}" time="0.1"/>', between: str = ""
) -> str:
    return between.join(shape.format(one, one) for one in range(number))


def rows(number: int) -> list[tuple[str, ...]]:
    return [("c", f"n{one}", "0.1") for one in range(number)]


@pytest.mark.parametrize(
    "markup",
    [
        cases(5),
        cases(5, between="\n   "),
        cases(5, '<testcase classname="c" name="n{}" time="0.1" />', between=" "),
        cases(5, "<testcase classname='c' name='n{}' time=\"0.1\"/>"),
        cases(5, '<testcase  classname="c"\n name="n{}" time="0.1"></testcase>', between="\t"),
        cases(3) + cases(5, between=" ")[len(cases(3)) + 3 :],
    ],
)
def test_a_run_is_taken_whatever_its_white_space_and_quotes(markup: str) -> None:
    runs, left = taken(f"<testsuite>{markup}</testsuite>")
    assert told(runs) == [(("classname", "name", "time"), rows(5))]
    assert left.replace("\n", "") == f"<testsuite><{RUN}/></testsuite>"
    assert left.count("\n") == markup.count("\n")


def test_one_attribute_is_a_run_as_well() -> None:
    runs, _ = taken(cases(4, '<testcase name="n{}"/>'))
    assert told(runs) == [(("name",), [("n0",), ("n1",), ("n2",), ("n3",)])]


@pytest.mark.parametrize(
    "one",
    [
        '<testcase name="a &amp; b"/>',
        '<testcase name="a\tb"/>',
        '<testcase name="a\nb"/>',
        '<testcase name="n"><failure/><failure/></testcase>',
        '<testcase name="n"><failure>text</error></testcase>',
        '<testcase name="n"><failure><b/></failure></testcase>',
        '<testcase name="n"><failure><![CDATA[text]]></failure></testcase>',
        '<testcase name="n"><failure>&#10;</failure></testcase>',
        '<testcase name="n"><failure>&bogus;</failure></testcase>',
        '<testcase name="n"><failure>a\r\nb</failure></testcase>',
        '<testcase name="n"><failure>a]]>b</failure></testcase>',
        '<testcase name="n"><failure type="a" type="b"/></testcase>',
        '<testcase name="n" name="m"><failure/></testcase>',
        '<testcase name="n"><system-out>a]]>b</system-out></testcase>',
        '<testcase name="n"><system-out>&bogus;</system-out></testcase>',
        '<testcase name="n"><system-out>a</system-err></testcase>',
        '<testcase name="n"><flakyFailure/></testcase>',
        '<testcase xsi:name="n"/>',
        '<testcase name="n" name="m"/>',
        '<testcase name="n">text</testcase>',
        "<testcase/>",
        "<testcases name='n'/>",
        '<testcase name="n"',
        "<testcase name=n/>",
    ],
)
def test_what_needs_the_parser_is_left_to_it(one: str) -> None:
    assert taken(one * 6) == ([], one * 6)


def test_a_short_run_is_left_to_the_parser() -> None:
    markup = cases(LEAST - 1)
    assert taken(markup) == ([], markup)


def test_a_run_ends_at_what_is_not_alike() -> None:
    red = '<testcase classname="c" name="r" time="0.1"><failure>a /> b</failure></testcase>'
    runs, left = taken(cases(5) + red + cases(4))
    assert [run if isinstance(run, Marked) else len(run.rows) for run in runs] == [
        5,
        Marked({"classname": "c", "name": "r", "time": "0.1"}, "failure", {}, "a /> b"),
        4,
    ]
    assert left == f"<{RUN}/>" * 3


def test_what_tests_printed_does_not_end_a_run() -> None:
    printing = cases(
        5, '<testcase classname="c" name="n{}" time="0.1"><system-out>a &amp; b</system-out></testcase>'
    )
    runs, left = taken(printing)
    assert told(runs) == [(("classname", "name", "time"), rows(5))]
    assert left == f"<{RUN}/>"


@pytest.mark.parametrize(
    ("markup", "marked"),
    [
        (
            (
                "<testcase name='a &lt; b'>\n "
                "<failure message=\"1 &gt; 2 &amp;&amp; x\" type='T'>E &quot;t&quot;"
                "\n"
                "</failure>\n</testcase>"
            ),
            Marked({"name": "a < b"}, "failure", {"message": "1 > 2 && x", "type": "T"}, 'E "t"\n'),
        ),
        ('<testcase name="n"><skipped/></testcase>', Marked({"name": "n"}, "skipped", {}, "")),
        (
            (
                '<testcase name="n"><system-out>o</system-out><error>&amp;lt;</error>'
                "<system-err>e</system-err></testcase>"
            ),
            Marked({"name": "n"}, "error", {}, "&lt;"),
        ),
        ('<testcase name="n"><system-out>o</system-out></testcase>', Marked({"name": "n"}, "", {}, "")),
        ('<testcase name="n"></testcase>', Marked({"name": "n"}, "", {}, "")),
    ],
)
def test_a_test_with_one_verdict_is_read_whole(markup: str, marked: Marked) -> None:
    runs, left = taken(markup)
    assert (runs, left.rstrip("\n")) == ([marked], f"<{RUN}/>")


def test_a_file_with_our_own_element_in_it_is_left_to_the_parser() -> None:
    plain = PlainRuns("testcase")
    for markup in (f"<{RUN}/>{cases(9)}", cases(9)):
        assert b"".join(plain.take(markup.encode())).decode() == markup
    assert not plain.runs
    text = f"<testsuite>{cases(9)}<{RUN}/><{RUN}><testcase name='x'/></{RUN}></testsuite>"
    assert by_shape(text.encode()) == by_parser(text.encode())


def test_a_file_of_many_shapes_is_learnt_in_part() -> None:
    shapes = [cases(5, f'<testcase name="n{{}}" a{number}="1"/>') for number in range(MAX_SHAPES + 1)]
    runs, left = taken("".join(shapes))
    assert len(runs) == MAX_SHAPES
    assert left == f"<{RUN}/>" * MAX_SHAPES + shapes[-1]


@pytest.mark.parametrize("learnt", [1, 4])
def test_alternating_shapes_are_not_compared_with_all_that_follows_each_time(
    learnt: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[int] = []
    read_exactly = plain_cases._Shape.read_exactly

    def counting(shape: plain_cases._Shape, piece: bytes, at: int, end: int) -> Run | None:
        compared.append(end - at)
        return read_exactly(shape, piece, at, end)

    monkeypatch.setattr(plain_cases._Shape, "read_exactly", counting)
    shapes = [f'<testcase name="n{{}}" a{number}="1"/>' for number in range(4)]
    known = "".join(cases(5, one) + "<a></a>" for one in shapes[:learnt])
    piece = known + "".join(shapes[number % 4].format(number) for number in range(1_000))
    _, left = taken(piece)
    assert left == f"<{RUN}/><a></a>" * learnt + piece[len(known) :]
    assert sum(compared) <= 2 * learnt * len(piece)


def test_no_expression_is_made_for_less_than_a_run() -> None:
    before = plain_cases._shape.cache_info().misses
    markup = "".join(f'<testcase name="n" b{number}="1"/>' for number in range(50))
    assert taken(markup) == ([], markup)
    assert plain_cases._shape.cache_info().misses == before


def test_what_tests_printed_makes_no_expression() -> None:
    def told_by(text: str) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        return told(taken(f"<testcase c='1'><system-out>{text}</system-out></testcase>" * 4)[0])

    assert told_by("first") == [(("c",), [("1",)] * 4)]
    before = plain_cases._shape.cache_info().misses
    assert told_by("other" * 1_000) == told_by("first")
    assert plain_cases._shape.cache_info().misses == before


def test_runs_in_white_space_without_end_are_read() -> None:
    gap = " " * 2_000
    runs, left = taken(cases(5, f'<testcase classname="c"{gap}name="n{{}}" time="0.1"/>'))
    assert told(runs) == [(("classname", "name", "time"), rows(5))]
    assert left == f"<{RUN}/>"


def test_a_piece_with_a_forbidden_end_of_cdata_is_left_to_the_parser() -> None:
    markup = cases(5) + "]]>"
    assert taken(markup) == ([], markup)


def test_an_error_beside_the_tests_that_holds_one_is_read_alike() -> None:
    inside = '<testcase name="n"><failure>text</failure></testcase>'
    content = f"<testsuite><error>before {inside}after</error></testsuite>".encode()
    assert by_shape(content) == by_parser(content)


_PRINTED = re.compile("<system-...>o</system-...>")


def _suite(inside: str) -> str:
    return f'<testsuites><testsuite name="pytest" tests="3" file="t/a.py">{inside}</testsuite></testsuites>'


WAYS: list[Callable[[str], str]] = [
    _suite,
    lambda inside: inside,
    lambda inside: f"<testsuite xmlns='urn:x'>{inside}</testsuite>",
    lambda inside: f"<testsuite><failure message='m'>{inside}</failure></testsuite>",
    lambda inside: f"<testsuite><testcase name='outer'>{inside}</testcase></testsuite>",
    lambda inside: f"<testsuite><testcase name='outer'><failure/>{inside}</testcase></testsuite>",
    lambda inside: "<a>" * 98 + inside + "</a>" * 98,
    lambda inside: (
        "<a>" * 99 + _PRINTED.sub("", inside) + "</a>" * 99
    ),  # output at the bottom is not looked at
    lambda inside: "<a>" * 100 + inside + "</a>" * 100,
    lambda inside: f"<testsuite><![CDATA[{inside}]]><!-- {inside} --></testsuite>",
    lambda inside: f"<testsuite name='{inside}'/>",
    lambda inside: f"<testsuite>{inside}</testsuites>",
    lambda inside: f"before {inside}",
]
SHAPES = [
    '<testcase classname="c" name="n{}" time="0.1"/>',
    '<testcase classname="c" name="n{}" time="0,5"/>',
    '<testcase name="same" classname="c"/>',
    '<testcase name="n{}" file="t/b.py" line="7"/>',
    '<testcase name="n{}" file="" />',
    '<testcase classname="" name="" />',
    '<testcase classname="c" name="n{}" status="notrun"/>',
    '<testcase classname="c{}" />',
    '<testcase classname="c" name="n{}"><failure message="m">text &lt;{}&gt;</failure></testcase>',
    '<testcase classname="c" name="n{}"><system-out>o</system-out></testcase>',
    '<testcase classname="c" name="n{}"><skipped/><system-err>o</system-err></testcase>',
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("way", range(len(WAYS)))
def test_runs_are_read_as_the_parser_reads_them(way: int, shape: str) -> None:
    content = WAYS[way](cases(9, shape) + "\n" + cases(6, SHAPES[0]) + cases(6, shape)).encode()
    assert by_shape(content) == by_parser(content)
    assert by_shape(content, limit=12) == by_parser(content, limit=12)


pieces = st.lists(st.tuples(st.sampled_from([*SHAPES, "<testcase><failure/></testcase>"]), st.integers(1, 9)))


@settings(max_examples=150)
@example(f'uites><testsuite><testcase name="a><testsuite name="b">{cases(5)}<testcase name="> "/>'.encode())
@given(damaged([_suite(cases(40) + cases(9, one)).encode() for one in SHAPES] + list(results())))
def test_damaged_files_are_read_as_the_parser_reads_them(content: bytes) -> None:
    assert found(by_shape(content)) == found(by_parser(content))


@settings(max_examples=100)
@given(pieces, st.sampled_from(["", "\n", " \r\n  "]))
def test_mixed_files_are_read_as_the_parser_reads_them(parts: list[tuple[str, int]], between: str) -> None:
    content = _suite(between.join(cases(number, shape, between) for shape, number in parts)).encode()
    assert by_shape(content) == by_parser(content)


def test_a_long_file_is_read_alike_where_runs_meet_the_ends_of_pieces() -> None:
    content = _suite(cases(5_000, between="\n")).encode()
    assert len(content) > 2 * 64 * 1024
    assert by_shape(content) == by_parser(content)
    assert len(by_shape(content).results) == 5_000


@pytest.mark.parametrize("inside", ["", "<system-out>o</system-out>", "<failure>f</failure>", "<skipped/>"])
def test_a_testcase_alone_is_a_document_of_its_own(inside: str) -> None:
    content = f'<testcase name="n">{inside}</testcase>'.encode() * 2
    assert by_shape(content) == by_parser(content)
    assert by_shape(content).records.cases == 2


def test_a_test_beyond_the_limit_is_left_out_with_its_verdict() -> None:
    content = _suite(cases(3, '<testcase name="n{}"><failure>f</failure></testcase>')).encode()
    assert by_shape(content, limit=2) == by_parser(content, limit=2)
    assert by_shape(content, limit=2).records.failed == 2
