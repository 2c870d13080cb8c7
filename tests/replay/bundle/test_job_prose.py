"""Sentences of a summary: quoted code is code, the rest is escaped, and a cell is cut once."""

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from worker.commands.in_job.prose import cut_at_word, prose


def page_of(markdown: str) -> LexborHTMLParser:
    return LexborHTMLParser(cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("`/usr/bin/python -m pip install pytest` installs it", ["/usr/bin/python -m pip install pytest"]),
        ("either (`a_b`) or `*c*`.", ["a_b", "*c*"]),
        ("an odd ` and one in a`word` and ` spaced `", []),
        ("``two``", []),
        ("`<script>alert(1)</script>` @octocat", ["<script>alert(1)</script>"]),
    ],
)
def test_what_stands_in_backticks_is_code(text: str, codes: list[str]) -> None:
    page = page_of(prose(text))
    assert [one.text() for one in page.css("code")] == codes
    assert not page.css("em, strong, script")


def test_a_bar_in_code_does_not_end_a_cell() -> None:
    table = f"| a | b |\n| --- | --- |\n| x | {prose('run `a | b` or `c`', in_table=True)} |"
    cells = [one.text() for one in page_of(table).css("td")]
    assert cells == ["x", "run `a | b` or c"]


@given(st.text(alphabet="`a |\\*<(. \n", max_size=60))
def test_no_text_leaves_its_paragraph_or_its_cell(text: str) -> None:
    assert len(page_of(f"x {prose(text)}").css("p, em, strong, h1, pre")) == 1
    table = f"| a |\n| --- |\n| {prose(text, in_table=True)} |"
    assert len(page_of(table).css("td")) == 1


@pytest.mark.parametrize(
    ("text", "limit", "told"),
    [
        ("short", 10, "short"),
        ("Connection closed by peer, check the remote w ...", 30, "Connection closed by peer, …"),
        ("AssertionError: assert False ...", 60, "AssertionError: assert False …"),
        ("x" * 50, 10, "x" * 10 + " …"),
        ("one two three", 7, "one two …"),
        ("a\nb", 10, "a b"),
    ],
)
def test_a_cell_is_cut_once_and_between_words(text: str, limit: int, told: str) -> None:
    assert cut_at_word(text, limit) == told
