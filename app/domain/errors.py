"""Errors by what the caller should do about them.

TriageError
├── Rejected      the input is wrong for ever: bury it
├── Unavailable   try again later, not before `retry_after_s` where the other side named it
│   └── CredentialsRefused  later means: once a person has mended our token or installation
├── Gone          expected absence: record a gap and go on
└── Conflict      someone else did it: stop quietly

Messages are lower-case fragments that fit after "could not fetch job log:".
"""


class TriageError(Exception):
    """Base of every error that a caller is meant to handle."""

    def __init__(self, subject: str, reason: str) -> None:
        super().__init__(f"{subject}: {reason}")
        self.subject = subject
        self.reason = reason


class Rejected(TriageError):
    """Trying again cannot help."""


class Unavailable(TriageError):
    """Trying again later may help; `retry_after_s` is the other side's wish, in seconds, or None."""

    def __init__(self, subject: str, reason: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(subject, reason)
        self.retry_after_s = retry_after_s


class CredentialsRefused(Unavailable):
    """The other side does not know who we are; the same for every task, and nothing of a task's own."""


class Gone(TriageError):
    """It was there, or could have been, and is not any more."""


class Conflict(TriageError):
    """The wanted state is already there, or another writer holds it."""
