"""Markdown: hostile text shows as what it is, and does nothing."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rendering import rendered, tags, text_of

from app.domain import markdown
from app.domain.markdown import BREAK, REPLACED, visible

HOSTILE = (
    "](javascript:alert(1))",
    "[click](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "<img src=x onerror=alert(1)>",
    "<!-- flake-triage:pr:o/r:1 -->",
    "</details></summary><h1>",
    "``` ```` ` ``",
    "`code`",
    "@everyone and @org/team",
    "#123 o/r#4 GH-5",
    "https://github.com/o/r/issues/1 www.example.com a@b.example",
    "| pipes | :-- |",
    "**bold** _it_ ~~no~~ snake_case_name __init__",
    "# heading",
    "1. one",
    "12) twelve",
    "- list",
    "+ list",
    "===",
    "&lt; &#64;everyone &amp;",
    "$x^2$ $$y$$",
    ":tada: :white_check_mark:",
    "a\\`b\\",
    "admin\u202egnp.exe",
    "zero\u200bwidth",
    "line\nbreak\r\nand\u2028more",
    "\x00\x07\x1b[31mred\x1b[0m #x1B[1mbold",
    "::error::x ##[error]x",
    "",
)
texts = st.one_of(
    st.text(),
    st.text(alphabet="`*_[]()<>!#@|~$:&;-=+1. \n\\aé\u202e\x1b"),
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from(HOSTILE)).map(" ".join),
)


@given(texts)
@example("")
def test_inline_text_is_text_and_nothing_else(text: str) -> None:
    page = rendered(f"- x {markdown.inline(text)}")
    assert tags(page) <= {"ul", "li", "span"}
    assert text_of(page, "li").strip() == f"x {markdown.one_line(text, 1000)}".replace(BREAK, "").strip()


@pytest.mark.parametrize("text", HOSTILE)
def test_inline_text_may_begin_a_paragraph(text: str) -> None:
    page = rendered(markdown.inline(text))
    assert tags(page) <= {"p", "span"}


@given(texts)
def test_a_code_span_holds_the_whole_text(text: str) -> None:
    page = rendered(f"- a {markdown.code(text)} b")
    assert tags(page) == {"ul", "li", "code"}
    shown = page.css_first("code").text()
    assert shown.replace(BREAK, "") == (markdown.one_line(text) or " ")


@given(texts)
def test_a_fenced_block_cannot_be_left(text: str) -> None:
    page = rendered(f"before\n\n{markdown.block(text, limit_bytes=10_000, lines=1000)}\n\nafter")
    assert tags(page) == {"p", "pre", "code"}
    assert [node.text() for node in page.css("p")] == ["before", "after"]
    shown = "\n".join(markdown.cut_bytes(row, 500) for row in markdown.visible(text).strip("\n").split("\n"))
    assert text_of(page, "pre").strip("\n") == shown.replace(BREAK, "").strip("\n")


@given(texts)
def test_no_text_brings_in_an_html_comment(text: str) -> None:
    shown = markdown.inline(text) + markdown.code(text) + markdown.block(text, limit_bytes=5000)
    assert "<!--" not in shown


@given(texts)
def test_nothing_invisible_is_left_but_line_ends_tabs_and_joiners(text: str) -> None:
    assert not re.search(
        r"[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]", markdown.visible(text)
    )


def test_direction_marks_are_shown_as_replaced_and_colours_dropped() -> None:
    assert markdown.visible("a\u202eb \x1b[1;31mred\x1b[0m #x1B[1mbold") == f"a{REPLACED}b red bold"


def test_joiners_of_emoji_and_scripts_stay() -> None:
    assert markdown.visible("👩\u200d💻") == "👩\u200d💻"


def test_lone_surrogates_can_be_encoded_afterwards() -> None:
    assert markdown.inline("a\ud800b").encode() == f"a{REPLACED}b".encode()


@pytest.mark.parametrize(
    "text",
    ["@everyone", "o/r#12", "#12", "GH-12", "https://x.example/1", "www.x.example", "a@b.example", ":tada:"],
)
def test_what_github_links_in_text_is_parted(text: str) -> None:
    shown = rendered(markdown.inline(text)).css_first("p").text()
    assert BREAK in shown
    assert shown.replace(BREAK, "") == text


def test_words_with_underscores_are_not_littered_with_backslashes() -> None:
    assert markdown.inline("pull_request, job test (3.12)") == "pull_request, job test (3.12)"


def test_a_long_line_keeps_its_end_where_parameters_stand() -> None:
    line = markdown.one_line("tests/" + "a" * 300 + "::test[cpu]", 60)
    assert len(line) == 60
    assert line.startswith("tests/a")
    assert line.endswith("::test[cpu]")


def test_a_workflow_command_at_a_line_start_is_parted() -> None:
    shown = markdown.block("::error::x\n  ##[error]y\na::b", limit_bytes=1000)
    assert shown == f"```text\n{BREAK}::error::x\n  {BREAK}##[error]y\na::b\n```"


def test_a_long_block_says_how_many_lines_are_left_out() -> None:
    text = "\n".join(f"line {n}" for n in range(100))
    shown = markdown.block(text, limit_bytes=10_000, lines=9).split("\n")
    assert shown[1:4] == ["line 0", "line 1", "line 2"]
    assert shown[4] == "[91 lines left out]"
    assert shown[5:-1] == [f"line {n}" for n in range(94, 100)]


def test_a_block_over_its_bytes_loses_its_middle_and_keeps_both_ends() -> None:
    text = "\n".join(f"{n:03}" + "x" * 97 for n in range(30))
    rows = markdown.cut_lines(text, limit_bytes=1000, lines=30).split("\n")
    assert [row[:3] for row in rows] == ["000", "001", "002", "[21", *(f"{n:03}" for n in range(24, 30))]


@given(texts, st.integers(60, 400))
def test_a_block_stays_within_its_bytes(text: str, limit: int) -> None:
    shown = markdown.cut_lines(markdown.visible(text), limit_bytes=limit, lines=12)
    assert len(shown.encode()) <= limit


def test_a_text_of_megabytes_is_looked_at_from_both_ends_only() -> None:
    shown = markdown.block("start\n" + "x" * 2_000_000 + "\nend", limit_bytes=3000)
    assert shown.startswith("```text\nstart\n")
    assert shown.endswith("\nend\n```")
    assert len(shown) < 4000


@given(st.text(), st.integers(0, 40))
def test_bytes_are_cut_between_characters(text: str, limit: int) -> None:
    cut = markdown.cut_bytes(text, limit)
    assert len(cut.encode()) <= limit
    assert cut == text or text.startswith(cut.removesuffix("…"))


def test_a_cut_is_marked_if_there_is_room_for_the_mark() -> None:
    assert markdown.cut_bytes("é" * 4, 6) == "é…"
    assert markdown.cut_bytes("é" * 4, 2) == "é"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "https://x.example/a b",
        "https://x.example/)x",
        "https://x.example/\n",
        None,
        "",
    ],
)
def test_an_address_that_is_no_plain_one_is_left_out(url: str | None) -> None:
    assert markdown.link("label", url) == "label"


def test_a_plain_address_is_linked() -> None:
    page = rendered(markdown.link(markdown.code("](x"), "https://github.com/o/r/actions/runs/1"))
    assert page.css_first("a").attributes["href"] == "https://github.com/o/r/actions/runs/1"
    assert page.css_first("a").text() == "](x"


def test_every_character_shows_alike_however_many_others_were_seen_before() -> None:
    many = "".join(map(chr, range(0x3000, 0x3000 + 5_000)))
    assert visible(many) == many
    assert visible("a\x00b\u202ec\u200dd\ue000") == f"a{REPLACED}b{REPLACED}c\u200dd\ue000"
