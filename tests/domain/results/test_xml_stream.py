"""XML becomes bounded events; what a strict parser would refuse is repaired or ends the reading."""

import io
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.bounded_text import BoundedText
from app.domain.results.xml_markup import MarkupFilter
from app.domain.results.xml_stream import MAX_DEPTH, PIECES_HELD, read_xml
from app.domain.results.xml_text import Repairs


class Events:
    """A sink that writes down what it is told."""

    listener: BoundedText | None

    def __init__(self) -> None:
        self.listener = BoundedText()
        self.opened_names: list[tuple[str, int]] = []
        self.closed_names: list[str] = []

    def opened(self, name: str, _attributes: Mapping[str, str], depth: int) -> None:
        self.opened_names.append((name, depth))

    def closed(self, name: str, _depth: int) -> None:
        self.closed_names.append(name)


def read(text: str | bytes) -> tuple[Events, list[str]]:
    events = Events()
    raw = text if isinstance(text, bytes) else text.encode()
    return events, read_xml(io.BytesIO(raw), events)


def test_a_sound_document_has_no_problems() -> None:
    events, problems = read(
        '<?xml version="1.0"?>\n<!-- c --><a xmlns="urn:x"><b>t&amp;u</b></a>\n<!-- end -->'
    )
    assert problems == []
    assert events.opened_names == [("a", 1), ("b", 2)]
    assert events.closed_names == ["b", "a"]
    assert str(events.listener) == "t&u"


def test_cdata_is_text_even_where_it_looks_like_markup() -> None:
    events, problems = read("<a><![CDATA[<?xml?> <!-- &#27; ]]]]><![CDATA[> b]]></a>")
    assert problems == []
    assert str(events.listener) == "<?xml?> <!-- &#27; ]]> b"


@pytest.mark.parametrize("size", [64 * 1024 - 20, 64 * 1024 - 2, 200_000])
def test_long_sections_are_whole_across_chunks(size: int) -> None:
    inside = "]" * size
    events, problems = read(f"<a><![CDATA[{inside}]]><!--{'-' * size}--></a>")
    assert problems == []
    assert str(events.listener) == inside


def test_several_documents_in_one_file_are_all_read_and_noted() -> None:
    events, problems = read('<?xml version="1.0"?><a/>\n=====\n<?xml version="1.0"?><b/>')
    assert [name for name, _ in events.opened_names] == ["a", "b"]
    assert problems == ["2 documents in one file", "text outside the document was left out"]


def test_text_before_the_document_is_passed_over() -> None:
    events, problems = read("INFO <main> done\n<testsuites></testsuites>")
    assert events.opened_names == [("testsuites", 1)]
    assert problems == ["text outside the document was left out"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "an empty file"),
        (" \n", "an empty file"),
        ('{"message": "gone"}', "JSON, not XML"),
        ("[]", "JSON, not XML"),
        ("PK\x03\x04....", "a zip archive, not XML"),
        ("no tests ran", "no XML in it"),
    ],
)
def test_what_is_no_xml_is_refused_with_a_reason(text: str, reason: str) -> None:
    events, problems = read(text)
    assert problems[0] == reason
    assert events.opened_names == []


def test_long_text_without_markup_is_given_up_early() -> None:
    stream = io.BytesIO(b"x" * 3_000_000)
    assert read_xml(stream, Events()) == ["no XML in it"]
    assert stream.tell() < 2_000_000


def test_a_cut_says_where_and_closes_nothing() -> None:
    events, problems = read("<a>\n<b>\n<c/>")
    assert events.closed_names == ["c"]
    assert problems == ["cut off at line 3, inside <b>"]


def test_a_cut_comment_is_said() -> None:
    assert read("<a/><!-- and so")[1] == ["cut off at line 1, inside a comment or a declaration"]


def test_a_fault_names_its_line_in_the_file() -> None:
    _, problems = read('<?xml version="1.0"?>\n<!-- two\nlines -->\n<a>\n<b x="<"/></a>')
    assert len(problems) == 1
    assert problems[0].startswith("broken at line 5: ")


def test_a_document_type_that_could_define_entities_ends_the_reading() -> None:
    events, problems = read('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
    assert events.opened_names == []
    assert problems == ["an internal document type could define entities, so the file is not read"]


def test_a_document_type_of_another_place_is_never_fetched() -> None:
    events, problems = read('<!doctype a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>')
    assert events.opened_names == [("a", 1)]
    assert problems == []


def test_depth_is_bounded() -> None:
    events, problems = read("<a>" * 5000)
    assert len(events.opened_names) == MAX_DEPTH
    assert problems == [f"elements nested deeper than {MAX_DEPTH}"]


@given(st.binary(max_size=300))
def test_reading_is_total_on_any_bytes(raw: bytes) -> None:
    read(raw)
    read(b"<a>" + raw)


PIECES = st.sampled_from(
    [
        "<a>",
        "</a>",
        "<![CDATA[",
        "]]>",
        "]",
        "-->",
        "<!--",
        "<?",
        "?>",
        ">",
        "&#27;",
        "x",
        "\n",
        "<!DOCTYPE a>",
    ]
)


@given(st.lists(PIECES, max_size=40))
def test_sections_come_out_the_same_however_the_file_is_cut_into_chunks(pieces: list[str]) -> None:
    whole = list(MarkupFilter(Repairs()).feed("".join(pieces).encode()))
    one_by_one = MarkupFilter(Repairs())
    parts = [part for piece in pieces for part in one_by_one.feed(piece.encode())]
    assert _joined(parts) == _joined(whole)


def _joined(parts: list[bytes]) -> bytes:
    return b"".join(parts).replace(b"]]><![CDATA[", b"").replace(b"<![CDATA[]]>", b"")


def test_a_text_of_many_references_is_heard_whole() -> None:
    events, problems = read(f"<r>{'&gt;a' * PIECES_HELD}<b/>end</r>")
    assert problems == []
    assert str(events.listener) == ">a" * PIECES_HELD + "end"
