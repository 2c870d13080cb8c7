"""What an App of ours must be allowed, and what an installation is not.

Source: docs.github.com, "Permissions required for GitHub Apps".
"""

from collections.abc import Mapping
from types import MappingProxyType

NEEDED: Mapping[str, str] = MappingProxyType(
    {
        "actions": "read",
        "contents": "read",
        "issues": "write",
        "metadata": "read",
        "pull_requests": "write",
    }
)

OPTIONAL: Mapping[str, str] = MappingProxyType({"checks": "read"})
"""What is of use where it is granted, and not missed where it is not: why a runner was lost."""

READ = ("actions", "contents", "metadata", "pull_requests")

_LEVELS = ("read", "write", "admin")


def narrowed(granted: Mapping[str, str]) -> dict[str, str]:
    """What to ask a token for: all we use of what is granted, and nothing else; GitHub refuses more."""
    used = {**NEEDED, **OPTIONAL}
    return {name: min(level, granted[name], key=_rank) for name, level in used.items() if name in granted}


def lacking(granted: Mapping[str, str]) -> tuple[str, ...]:
    """What we need and do not have, as `issues=write`."""
    return tuple(
        f"{name}={level}" for name, level in NEEDED.items() if _rank(granted.get(name, "")) < _rank(level)
    )


def unreadable(granted: Mapping[str, str]) -> tuple[str, ...]:
    """What a run cannot be triaged without, and we may not even read."""
    return tuple(f"{name}=read" for name in READ if _rank(granted.get(name, "")) == 0)


def _rank(level: str) -> int:
    """A level that is new to us counts for none."""
    return _LEVELS.index(level) + 1 if level in _LEVELS else 0
