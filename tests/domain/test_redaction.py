"""Secrets are found by their shape, by where they stand, and by heart; in comments, alerts and titles too."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain import markdown
from app.domain.redaction import HIDDEN, redact, spellings

TOKENS = [
    "ghp_" + "a1B2" * 9,
    "ghs_1234567_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2ln-bmF_0dXJl",
    "github_pat_11ABCDEFG0_" + "k" * 59,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4",
]
OURS = "0123/abc+def="


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("around", ["{}", "topic/{}", "E  push with {} denied", "\x1b[31m{}\x1b[0m", "({})"])
def test_no_markdown_of_ours_holds_a_token(token: str, around: str) -> None:
    text = around.format(token)
    shown = [
        markdown.one_line(text),
        markdown.inline(text),
        markdown.code(text),
        markdown.block(text, limit_bytes=3000),
    ]
    assert all("[secret" in each.replace("\\", "") for each in shown)
    assert not [each for each in shown if re.search(r"[A-Za-z0-9]{12}", each)]


def test_a_token_is_hidden_before_its_line_is_cut_in_the_middle() -> None:
    shown = markdown.one_line("x" * 100 + " ghp_" + "a1B2" * 200 + " denied", 120)
    assert "a1B2" not in shown
    assert shown.endswith("denied")


def test_a_terminal_colour_inside_a_token_does_not_save_it() -> None:
    assert markdown.one_line("ghp_\x1b[31m" + "a1B2" * 9) == HIDDEN


def test_our_own_secret_is_known_by_heart_as_it_is_and_inside_an_address() -> None:
    known = sorted(spellings([OURS]), key=len, reverse=True)
    assert redact(f"said {OURS} and ?t=0123%2Fabc%2Bdef%3D&x", known) == f"said {HIDDEN} and ?t={HIDDEN}&x"
    assert redact("said 0123 abc", known) == "said 0123 abc"


def test_what_is_too_short_to_be_a_secret_garbles_no_text() -> None:
    assert spellings(["", "a", "tests"]) == set()


@given(st.text(alphabet="ghp_eyJ.:/@ bearerauthorization=\"'1A-"))
def test_hiding_again_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@pytest.mark.parametrize("end", ["", ".", " ", '"', "'", ")", ",", "\n"])
def test_installation_token_of_either_shape_is_hidden_whole(end: str) -> None:
    short = "ghs_" + "a1B2" * 9
    long = f"ghs_1234567_eyJ{'a1B2' * 40}.eyJ{'c-_' * 50}.{'S1-_' * 48}"
    for token in (short, long):
        assert redact(f"token {token}{end}") in {f"token {HIDDEN}{end}", f"token {HIDDEN}"}
