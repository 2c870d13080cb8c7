"""Why a list of runs was not looked at: told so that it is true of a token and of an App."""

import pytest

from app.domain.look_trouble import LookTrouble, trouble_told


@pytest.mark.parametrize(
    "reason",
    ["GitHub answered 401: Bad credentials", "the App is not installed there", "acme suspended the App"],
)
def test_refusal_is_of_us_and_not_of_a_token_that_an_app_has_none_of(reason: str) -> None:
    told = trouble_told(LookTrouble.CREDENTIALS, reason)
    assert told.startswith("GitHub refuses us")
    assert told.endswith(f"({reason})")


def test_trouble_without_a_reason_is_told_without_one() -> None:
    assert trouble_told(LookTrouble.AWAY, "") == "GitHub does not answer; it is asked again"
