"""What to do after a failed try: try again at a time, or give up. Pure: the error's family decides."""

import hashlib
import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.exc import DBAPIError, OperationalError

from app.domain.errors import CredentialsRefused, TriageError, Unavailable
from app.store.tasks import CREDENTIALS


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`tries` are counted from 1; waits are seconds."""

    max_tries: int
    """Tries of what may pass by itself: GitHub is away, the database is locked or its disk is full."""
    base_s: float
    """Wait after the first try; it doubles with each further one."""
    cap_s: float = 15 * 60
    named_cap_s: float = 6 * 60 * 60
    """Longest wait that another side may name. GitHub's limits reset within the hour."""
    credentials_tries: int = 100
    """Tries while GitHub refuses us: with the waits below it may do so for a day."""
    credentials_base_s: float = 60
    """First wait of those; GitHub answers many wrong tokens in a row by refusing right ones."""
    bug_tries: int = 3
    """Tries of what should not have happened; a cause outside the task may have gone meanwhile."""
    max_interruptions: int = 3
    """A task that was running this often when its worker ended is taken for the reason."""
    jitter: float = 0.25
    """Share of a wait by which tasks that failed together are spread."""


@dataclass(frozen=True, slots=True)
class RetryAt:
    at: datetime
    family: str
    reason: str
    tries: int
    """To be counted on from: what was lost to a refused token is not held against the task."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    family: str
    reason: str


def decide(
    error: Exception, *, key: str, tries: int, now: datetime, policy: RetryPolicy, before: str | None = None
) -> RetryAt | GiveUp:
    """Decide by class, never by message; `before` is the family of the task's error before this one.

    A `Conflict` is no failure and is not asked about.
    """
    family, reason = _family(error), describe(error)
    if (before == CREDENTIALS) != (family == CREDENTIALS):
        tries = min(tries, 1)
    if tries >= _tries_allowed(error, policy):
        return GiveUp(family, reason)
    wait_s = _wait_s(error, spread=_spread(key, tries), tries=tries, policy=policy)
    return RetryAt(now + timedelta(seconds=wait_s), family, reason, tries)


def describe(error: Exception) -> str:
    """Our own errors say what they mean; of others the type matters as much as the message.

    A database error's text is left to the driver's part: SQLAlchemy's adds the statement and its values.
    """
    if isinstance(error, TriageError):
        return str(error)
    if isinstance(error, DBAPIError):
        return f"{type(error).__name__}: {error.orig}"
    return f"{type(error).__name__}: {error}"


def may_pass(error: Exception) -> bool:
    """Whether it says that the database cannot be used now, or has ended our session while we were at it."""
    return isinstance(error, OperationalError) or (
        isinstance(error, DBAPIError) and error.connection_invalidated
    )


def _family(error: Exception) -> str:
    if isinstance(error, CredentialsRefused):
        return CREDENTIALS
    if isinstance(error, TriageError):
        return type(error).__name__.lower()
    return "unavailable" if may_pass(error) else "bug"


def _tries_allowed(error: Exception, policy: RetryPolicy) -> int:
    match error:
        case CredentialsRefused():
            return policy.credentials_tries
        case Unavailable():
            return policy.max_tries
        case TriageError():  # rejected for ever, or gone without the stage having noticed
            return 0
        case _:
            return policy.max_tries if may_pass(error) else min(policy.bug_tries, policy.max_tries)


def _wait_s(error: Exception, *, spread: float, tries: int, policy: RetryPolicy) -> float:
    base_s = policy.credentials_base_s if isinstance(error, CredentialsRefused) else policy.base_s
    own = min(math.ldexp(base_s, min(tries - 1, 60)), policy.cap_s)
    named = error.retry_after_s if isinstance(error, Unavailable) else None
    if named is None or not math.isfinite(named) or named <= own:
        return min(own * (1 + policy.jitter * spread), policy.cap_s)
    return min(named, policy.named_cap_s) + own * policy.jitter * spread


def _spread(key: str, tries: int) -> float:
    """A fraction 0..1 that differs between tasks and tries and is the same each time it is asked for."""
    digest = hashlib.sha256(f"{key}#{tries}".encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") / 2**32
