"""A finding survives the way into JSON and back, and is cut before it is kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.finding_record import MOST_CHARACTERS, MOST_FINDINGS, bounded, from_record, to_record
from app.domain.lint.finding import LintFinding, Rule, Window

TEXT = st.text(max_size=30)
WINDOWS = st.none() | st.builds(
    Window, after_line=st.integers(1, 99), after=TEXT, before_line=st.integers(1, 99), before=TEXT
)
FINDINGS = st.builds(
    LintFinding,
    rule=st.sampled_from(Rule),
    path=TEXT,
    line=st.integers(1, 10**6),
    column=st.integers(1, 999),
    end_line=st.integers(1, 10**6),
    test=st.none() | TEXT,
    text=TEXT,
    mend=TEXT,
    sisters=st.lists(TEXT, max_size=3).map(tuple),
    window=WINDOWS,
)


@given(FINDINGS)
def test_a_finding_comes_back_as_it_was(finding: LintFinding) -> None:
    assert from_record(json.loads(json.dumps(to_record(finding)))) == finding
    assert bounded([finding]) == (finding,)


@pytest.mark.parametrize("plain", [{}, {"window": None, "rule": "no-such-rule", "sisters": []}])
def test_what_is_no_record_is_none(plain: dict[str, object]) -> None:
    with pytest.raises((KeyError, ValueError)):
        from_record(plain)


def huge(number: int) -> LintFinding:
    long = "x" * 100_000
    window = Window(1, long, 2, long)
    return LintFinding(
        Rule.ONE_ITEM_DRAINED, "a.py", number, 1, number, long, long, long, (long,) * 99, window
    )


def test_what_many_long_findings_fill_is_bounded() -> None:
    kept = bounded([huge(number) for number in range(1, 500)])
    assert [one.line for one in kept] == list(range(1, len(kept) + 1))
    assert 3 < len(kept) < MOST_FINDINGS
    assert len(json.dumps([to_record(one) for one in kept])) < 2 * MOST_CHARACTERS


def test_so_many_short_ones_are_kept_and_no_more() -> None:
    short = LintFinding(Rule.ONE_ITEM_DRAINED, "a.py", 1, 1, 1, None, "t", "m")
    assert len(bounded([short] * 999)) == MOST_FINDINGS
