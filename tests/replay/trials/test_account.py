"""What the supervisor reports is taken for what it could be, no more: the suspect might have written it."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.replay_words import Outcome
from worker.replay.limits import Usage
from worker.replay.observed import Naming, code_of
from worker.replay.outside.account import MOST_PLACES, MOST_SURVIVORS, Account


@pytest.fixture
def account() -> Account:
    account = Account("/p")
    account.hear({"said": "began", "pid": 3, "supervisor": 2, "t": 1})
    return account


def test_end_of_pytests_process_is_that_of_the_first_that_began(account: Account) -> None:
    account.hear({"said": "began", "pid": 9, "supervisor": 8, "t": 1})
    account.hear({"said": "exit", "pid": 9, "status": 0, "t": 2})
    assert account.main_status is None
    account.hear({"said": "exit", "pid": 3, "status": 256, "t": 3})
    assert (account.main, account.main_status) == (3, 256)


def test_survivors_are_bounded_in_number_and_size(account: Account) -> None:
    argv = ["x" * 10**6] * 1000
    report = {"said": "survivor", "pid": 7, "argv": argv, "state": "S" * 99, "ports": [1, "2", None]}
    for _ in range(MOST_SURVIVORS + 5):
        assert not account.hear(report)
    survivors = account.survivors
    assert len(survivors) == MOST_SURVIVORS
    assert (len(survivors[0].argv), len(survivors[0].argv[0]), survivors[0].ports) == (64, 400, (1,))


def test_files_that_were_left_are_bounded_in_number_and_size(account: Account) -> None:
    for _ in range(MOST_PLACES + 5):
        assert not account.hear({"said": "left", "place": "shm" * 999, "names": ["x" * 10**6] * 1000})
    assert len(account.left) == MOST_PLACES
    left = account.left[0]
    assert (len(left.place), len(left.names), len(left.names[0])) == (400, 64, 400)


def test_last_report_is_the_end(account: Account) -> None:
    assert account.hear({"said": "ended", "t": 9})
    assert account.hear({"said": "not-started", "why": "no such file"})
    assert account.not_started == "no such file"


REPORTS = st.dictionaries(
    st.sampled_from(
        ["said", "pid", "status", "t", "argv", "ports", "state", "supervisor", "why", "place", "names"]
    ),
    st.one_of(
        st.integers(),
        st.text(),
        st.lists(st.integers() | st.text()),
        st.sampled_from(["began", "exit", "survivor", "left"]),
    ),
)


@given(REPORTS)
def test_any_report_is_heard_without_harm(report: Mapping[str, object]) -> None:
    assert Account("/p").hear(json.loads(json.dumps(report))) in {True, False}


@pytest.mark.parametrize(("status", "code"), [(0, 0), (256, 1), (11, -11), (139, -11), (0x137F, 0x13)])
def test_any_status_is_a_code(status: int, code: int) -> None:
    assert code_of(status) == code


def test_time_that_a_quota_held_the_tree_is_told_between_two_looks(account: Account) -> None:
    for throttled in (None, 0, 0, 5, 5, 9):
        account.note_usage(Usage(throttled_ns=throttled))
    assert [one.stood_ns for one in account.throttling] == [5, 4]
    assert all(one.t_in < one.t_out for one in account.throttling)


def test_reason_of_an_early_end_names_who_waited_for_whom(account: Account) -> None:
    assert account.proven_reason() == ""
    account.name(Naming(1, "provisional", 5, 1, "WORLD", 15, "all_reduce", 0, (0,)))
    proof = "rank 0 has ended with signal 11"
    account.name(Naming(2, "proven", 5, 1, "WORLD", 15, "all_reduce", 0, (0,), proof))
    account.ending(Outcome.ENDED_EARLY)
    assert account.proven_reason() == (
        "rank 1 waited in WORLD #15 all_reduce for rank 0: rank 0 has ended with signal 11"
    )
