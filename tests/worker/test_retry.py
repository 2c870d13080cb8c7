"""Retry decisions: pure functions of the error's family, the number of tries and the time."""

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError, OperationalError

from app.domain.errors import CredentialsRefused, Gone, Rejected, Unavailable
from worker.queue.retry import GiveUp, RetryAt, RetryPolicy, decide

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
POLICY = RetryPolicy(max_tries=12, base_s=2)


def wait_s(error: Exception, tries: int, key: str = "delivery:1", policy: RetryPolicy = POLICY) -> float:
    verdict = decide(error, key=key, tries=tries, now=NOW, policy=policy)
    assert isinstance(verdict, RetryAt)
    return (verdict.at - NOW).total_seconds()


@pytest.mark.parametrize(("tries", "least_s"), [(1, 2), (2, 4), (3, 8), (6, 64), (9, 512)])
def test_wait_doubles_with_each_try_and_is_spread_by_a_quarter(tries: int, least_s: float) -> None:
    assert least_s <= wait_s(Unavailable("runs", "502"), tries) <= least_s * 1.25


def test_wait_never_exceeds_a_quarter_of_an_hour_unless_named() -> None:
    assert wait_s(Unavailable("runs", "502"), 11) == 900


def test_time_that_github_names_is_kept_even_beyond_the_cap() -> None:
    assert 3600 <= wait_s(Unavailable("runs", "rate limit", retry_after_s=3600), 1) < 3601


def test_named_time_shorter_than_our_own_wait_does_not_hurry_us() -> None:
    assert wait_s(Unavailable("runs", "503", retry_after_s=0), 5) >= 32


def test_named_time_without_end_is_bounded() -> None:
    assert wait_s(Unavailable("runs", "503", retry_after_s=1e15), 1) <= 6 * 3600 + 1


def test_spread_differs_between_tasks_and_repeats_for_the_same() -> None:
    error = Unavailable("runs", "502")
    waits = {wait_s(error, 1, key=f"delivery:{number}") for number in range(50)}
    assert len(waits) == 50
    assert wait_s(error, 1, key="delivery:7") in waits


def test_unavailable_gives_up_after_the_last_try() -> None:
    verdict = decide(Unavailable("runs", "502"), key="k", tries=12, now=NOW, policy=POLICY)
    assert verdict == GiveUp("unavailable", "runs: 502")


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (Rejected("payload", "no repository"), GiveUp("rejected", "payload: no repository")),
        (Gone("log of job 7", "expired"), GiveUp("gone", "log of job 7: expired")),
    ],
)
def test_what_another_try_cannot_help_is_given_up_at_once(error: Exception, verdict: GiveUp) -> None:
    assert decide(error, key="k", tries=1, now=NOW, policy=POLICY) == verdict


def test_bug_is_tried_three_times() -> None:
    bug = KeyError("repository")
    assert isinstance(decide(bug, key="k", tries=2, now=NOW, policy=POLICY), RetryAt)
    assert decide(bug, key="k", tries=3, now=NOW, policy=POLICY) == GiveUp("bug", "KeyError: 'repository'")


REFUSED = CredentialsRefused("run 7", "GitHub answered 401: Bad credentials")


def test_refused_token_is_waited_for_from_a_minute_to_a_quarter_of_an_hour_and_for_a_day() -> None:
    waited = 0.0
    for tries in range(1, 100):
        verdict = decide(REFUSED, key="k", tries=tries, now=NOW, policy=POLICY, before="credentials")
        assert isinstance(verdict, RetryAt)
        assert verdict.family == "credentials"
        assert 60 <= (verdict.at - NOW).total_seconds() <= 900
        waited += (verdict.at - NOW).total_seconds()
    assert 86_000 < waited < 88_000
    verdict = decide(REFUSED, key="k", tries=100, now=NOW, policy=POLICY, before="credentials")
    assert verdict == GiveUp("credentials", str(REFUSED))


def test_tries_lost_to_a_refused_token_are_not_held_against_the_task() -> None:
    away = Unavailable("runs", "502")
    verdict = decide(away, key="k", tries=50, now=NOW, policy=POLICY, before="credentials")
    assert isinstance(verdict, RetryAt)
    assert verdict.tries == 1
    verdict = decide(REFUSED, key="k", tries=11, now=NOW, policy=POLICY, before="unavailable")
    assert isinstance(verdict, RetryAt)
    assert (verdict.tries, (verdict.at - NOW).total_seconds() < 76) == (1, True)


def test_locked_database_is_waited_for_like_an_absent_github() -> None:
    locked = OperationalError("SELECT 1", {}, Exception("database is locked"))
    verdict = decide(locked, key="k", tries=11, now=NOW, policy=POLICY)
    assert isinstance(verdict, RetryAt)
    assert verdict.family == "unavailable"


def test_database_error_is_recorded_without_the_values_of_its_statement() -> None:
    broken = IntegrityError("INSERT ...", {"token": "ghp_secret"}, Exception("UNIQUE constraint failed"))
    verdict = decide(broken, key="k", tries=3, now=NOW, policy=POLICY)
    assert verdict == GiveUp("bug", "IntegrityError: UNIQUE constraint failed")


@given(
    tries=st.integers(1, 10_000),
    named=st.none() | st.floats(allow_nan=True, allow_infinity=True),
    key=st.text(max_size=20),
    base_s=st.floats(0.001, 1e6),
)
def test_every_wait_is_a_positive_number_of_bounded_size(
    tries: int, named: float | None, key: str, base_s: float
) -> None:
    policy = RetryPolicy(max_tries=20_000, base_s=base_s)
    waited = wait_s(Unavailable("x", "y", retry_after_s=named), tries, key, policy)
    assert math.isfinite(waited)
    assert 0 < waited <= 6 * 3600 + 900
