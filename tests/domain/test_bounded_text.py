"""Text within a bound keeps its head and tail and shows where it was cut."""

from hypothesis import given
from hypothesis import strategies as st

from app.domain.bounded_text import BoundedText, bounded


@given(st.lists(st.text()))
def test_text_within_the_bound_is_kept_as_it_is(pieces: list[str]) -> None:
    text = BoundedText(head=1000, tail=100_000)
    for piece in pieces:
        text.add(piece)
    assert str(text) == "".join(pieces)
    assert len(text) == len("".join(pieces))
    assert not text.cut


@given(st.lists(st.text(max_size=30), max_size=30), st.integers(0, 10), st.integers(0, 10))
def test_longer_text_keeps_exactly_its_head_and_its_tail(pieces: list[str], head: int, tail: int) -> None:
    text = BoundedText(head, tail)
    for piece in pieces:
        text.add(piece)
    whole = "".join(pieces)
    assert text.cut == (len(whole) > head + tail)
    assert str(text).startswith(whole[:head])
    assert str(text).endswith(whole[len(whole) - min(tail, max(0, len(whole) - head)) :])
    assert len(text) <= head + tail


def test_a_cut_is_visible_and_says_how_much_is_missing() -> None:
    text, cut = bounded("abcdefghij", head=2, tail=3)
    assert cut
    assert text == "ab\n[... 5 characters cut ...]\nhij"
