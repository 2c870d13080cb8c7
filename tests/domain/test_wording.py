"""Wording: counts, lists and sentences."""

from evidence_builders import seen

from app.domain.wording import counted, listed, run_ids, run_name, sentence


def test_one_is_singular_and_none_is_plural() -> None:
    assert [counted(n, "failure") for n in (0, 1, 2)] == ["0 failures", "1 failure", "2 failures"]
    assert counted(2, "branch", "branches") == "2 branches"


def test_a_list_counts_what_it_does_not_name() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed("abcdefg", most=3) == "a, b, c and 4 more"


def test_a_sentence_has_one_full_stop() -> None:
    assert sentence(" it is so. ") == "It is so."


def test_a_later_attempt_is_named() -> None:
    assert run_name(seen(run=7)) == "run 7 (push, job test (3.12))"
    assert run_name(seen(run=7, attempt=2)) == "attempt 2 of run 7 (push, job test (3.12))"


def test_runs_are_told_once_and_oldest_first() -> None:
    assert run_ids([seen(run=9), seen(run=3), seen(run=9, attempt=2)]) == (3, 9)
