"""What an installation grants, against what we need."""

import pytest

from app.github.permissions import NEEDED, lacking, narrowed, unreadable


@pytest.mark.parametrize(
    ("granted", "missing", "unread", "asked"),
    [
        (dict(NEEDED), (), (), dict(NEEDED)),
        ({**NEEDED, "contents": "write", "members": "read"}, (), (), dict(NEEDED)),
        ({**NEEDED, "checks": "write"}, (), (), {**NEEDED, "checks": "read"}),
        ({**NEEDED, "issues": "read"}, ("issues=write",), (), {**NEEDED, "issues": "read"}),
        ({**NEEDED, "issues": "admin"}, (), (), dict(NEEDED)),
        (
            {"metadata": "read"},
            ("actions=read", "contents=read", "issues=write", "pull_requests=write"),
            ("actions=read", "contents=read", "pull_requests=read"),
            {"metadata": "read"},
        ),
        ({**NEEDED, "actions": "none"}, ("actions=read",), ("actions=read",), None),
        ({}, tuple(f"{name}={level}" for name, level in NEEDED.items()), None, {}),
    ],
)
def test_grant_is_compared_with_what_we_need(
    granted: dict[str, str],
    missing: tuple[str, ...],
    unread: tuple[str, ...] | None,
    asked: dict[str, str] | None,
) -> None:
    assert lacking(granted) == missing
    if unread is not None:
        assert unreadable(granted) == unread
    if asked is not None:
        assert narrowed(granted) == asked
