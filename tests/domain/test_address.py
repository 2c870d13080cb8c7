"""Addresses of servers and databases, as they are written in settings."""

import pytest

from app.domain.address import as_postgres, is_web_address, password_in


@pytest.mark.parametrize(
    ("written", "is_one"),
    [
        ("https://triage.example.org/x", True),
        ("http://[::1]:80", True),
        ("triage.example.org", False),
        ("ftp://x", False),
        ("https://", False),
        ("https://[half", False),
        ("https://x:99999", False),
    ],
)
def test_web_address_is_whole(written: str, is_one: bool) -> None:  # noqa: FBT001 - a column of the table
    assert is_web_address(written) is is_one


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_driver_is_named(scheme: str) -> None:
    assert as_postgres(f"{scheme}://me:x@db:5433/triage") == "postgresql+psycopg://me:x@db:5433/triage"


@pytest.mark.parametrize("written", ["mysql://db/x", "postgres://db", "postgres://h:x/y", "postgres:/x", "x"])
def test_what_names_no_database_of_that_kind_is_none(written: str) -> None:
    assert as_postgres(written) is None


@pytest.mark.parametrize(
    ("url", "password"),
    [
        ("postgresql://me:p%40ss@db/x", "p@ss"),
        ("postgresql:///x?host=db&password=p%2540ss", "p%40ss"),
        ("postgresql://me@db/x", None),
    ],
)
def test_password_is_decoded_once(url: str, password: str | None) -> None:
    assert password_in(url) == password
