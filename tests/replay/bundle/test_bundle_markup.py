"""Whatever a test wrote, it stands in a page as text."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from worker.replay.bundle.markup import joined, tag, verbatim, void, words


def test_text_is_escaped_and_markup_is_not() -> None:
    assert tag("p", "<b>&\"'", tag("i", "x")) == "<p>&lt;b&gt;&amp;&quot;&#x27;<i>x</i></p>"
    assert joined("<", verbatim("<br>")) == "&lt;<br>"


def test_attributes_cannot_be_left_by_their_values() -> None:
    assert tag("a", title='"><script>', x=1.5, y=None, class_="k") == (
        '<a title="&quot;&gt;&lt;script&gt;" x="1.5" class="k"></a>'
    )
    assert void("meta", charset="utf-8") == '<meta charset="utf-8">'


def test_characters_that_steer_a_terminal_or_a_line_are_spelled_out() -> None:
    assert words("a\x1b[31m\u202eb\x00") == "a\\u001b[31m\\u202eb\\u0000"


@given(st.text(max_size=300))
def test_any_text_is_well_formed_xml_and_comes_back_as_one_text(text: str) -> None:
    element = etree.fromstring(tag("p", text, title=text))
    assert len(element) == 0
    assert element.get("title") is not None

    class Reader(HTMLParser):
        tags = 0

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.tags += tag == "p"
            assert [name for name, _ in attrs] == ["title"]

    reader = Reader()
    reader.feed(tag("p", text, title=text))
    assert reader.tags == 1
