"""One failure a test, whatever the log tells of it and however often."""

import pytest

from app.domain.joblog import told_failures
from app.domain.joblog.told_failures import ToldFailures
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

X = TestId("", "", "t", "x")


def joined(*outcomes: Outcome) -> Outcome:
    told = ToldFailures()
    for outcome in outcomes:
        told.add(Result(X, outcome), "x", 1)
    (failure,) = told.in_order()
    return failure.result.outcome


def test_what_is_told_first_stands_and_more_is_added_to_it() -> None:
    assert joined(Failed("", ""), Failed("m", "text")) == Failed("m", "text")
    assert joined(Failed("m", "text"), Failed("", "")) == Failed("m", "text")
    assert joined(Failed("m", "text"), Failed("m", "text")) == Failed("m", "text")
    assert joined(Failed("m", "one"), Failed("n", "two", cut=True)) == Failed("m", "one\n\ntwo", cut=True)


def test_an_error_is_worse_than_a_failure() -> None:
    assert joined(Failed("m", "one"), Errored("n", "two")) == Errored("m", "one\n\ntwo")
    assert joined(Errored("m", "one"), Failed("n", "two")) == Errored("m", "one\n\ntwo")


def test_texts_beyond_a_number_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_failures, "MAX_JOINED", 2)
    assert joined(Failed("", "1"), Failed("", "2"), Errored("", "3")) == Errored("", "1\n\n2")


def test_the_first_line_and_the_first_known_place_are_kept() -> None:
    told = ToldFailures()
    told.add(Result(X, Failed("", "")), "x", 7)
    told.add(Result(X, Failed("", ""), path="a.c", line=3, earlier=(Failed("e", ""),)), "x (again)", 5)
    told.add(Result(X, Failed("", ""), path="b.c", line=4), "x", 9)
    told.add(Result(X._replace(name="y"), Failed("", "")), "y", 6)
    first, second = told.in_order()
    assert first.result == Result(X, Failed("", ""), path="a.c", line=3, earlier=(Failed("e", ""),))
    assert (first.printed, first.line, second.line) == ("x", 5, 6)
    assert X in told
