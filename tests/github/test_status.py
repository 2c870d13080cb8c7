"""One table from HTTP statuses to families of errors."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Conflict, CredentialsRefused, Gone, Rejected, TriageError, Unavailable
from app.github.status import error_for

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def _error(status: int, body: bytes = b"", **headers: str) -> TriageError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return error_for("run 7 of a/b", status, named, body, now=NOW)


@pytest.mark.parametrize(
    ("status", "family"),
    [
        (302, Rejected),
        (400, Rejected),
        (401, CredentialsRefused),
        (403, Rejected),
        (404, Gone),
        (408, Unavailable),
        (409, Conflict),
        (410, Gone),
        (422, Rejected),
        (429, Unavailable),
        (500, Unavailable),
        (502, Unavailable),
        (503, Unavailable),
    ],
)
def test_status_decides_the_family(status: int, family: type[TriageError]) -> None:
    assert type(_error(status)) is family


def test_too_many_wrong_tokens_are_told_as_a_wrong_token() -> None:
    body = b'{"message": "Maximum number of login attempts exceeded. Please try again later."}'
    assert type(_error(403, body)) is CredentialsRefused


def test_limit_carries_its_wait_and_githubs_own_words() -> None:
    error = _error(403, b'{"message": "Secondary rate limit hit"}', retry_after="30")
    assert isinstance(error, Unavailable)
    assert error.retry_after_s == 30
    assert str(error) == "run 7 of a/b: GitHub answered 403: Secondary rate limit hit"


def test_missing_permission_is_named() -> None:
    body = b'{"message": "Resource not accessible by integration"}'
    error = _error(403, body, x_accepted_github_permissions="issues=write")
    assert type(error) is Rejected
    assert "needs issues=write" in error.reason


def test_unknown_commit_is_gone_although_github_says_422() -> None:
    assert type(_error(422, b'{"message": "No commit found for SHA: abc"}')) is Gone


def test_message_is_one_short_printable_line() -> None:
    error = _error(422, b'{"message": "bad\\n::error::\\u001b[31m' + b"x" * 5000 + b'"}')
    assert error.reason.startswith("GitHub answered 422: bad ::error:: [31mxx")
    assert len(error.reason) < 300
    assert error.reason.isprintable()


@given(st.integers(300, 599), st.binary())
def test_any_body_makes_an_error_and_never_a_crash(status: int, body: bytes) -> None:
    assert _error(status, body).subject == "run 7 of a/b"
