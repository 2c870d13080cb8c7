"""The one place where an HTTP status becomes an error family."""

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus

from pydantic import ValidationError

from app.domain.errors import Conflict, CredentialsRefused, Gone, Rejected, TriageError, Unavailable
from app.github import limits
from app.github.payloads import ErrorPayload

MISSING_COMMIT = "No commit found for SHA"
"""GitHub answers 422, not 404, for a commit that it does not have."""

TOO_MANY_LOGINS = "Maximum number of login attempts exceeded"
"""After several wrong tokens GitHub refuses right ones too, for a while (docs.github.com, "Authenticating
to the REST API").
"""

SUSPENDED = "This installation has been suspended"
"""The owner of a repository has stopped our App for now; what we ask for is there all the same."""

MESSAGE_LIMIT = 200


def error_for(
    subject: str, status: int, headers: Mapping[str, str], body: bytes, *, now: datetime
) -> TriageError:
    """The error that an answer outside 2xx stands for; its reason quotes GitHub's own message, cut."""
    message = _message(body)
    reason = f"GitHub answered {status}" + (f": {message}" if message else "")
    wait = limits.wait_s(status, headers, message, now=now)
    if wait is not None:
        return Unavailable(subject, reason, retry_after_s=wait)
    if status == HTTPStatus.UNAUTHORIZED or message.startswith((TOO_MANY_LOGINS, SUSPENDED)):
        return CredentialsRefused(subject, reason)
    if status == HTTPStatus.FORBIDDEN:
        reason += _needed_permission(headers)
    return _family(status, message)(subject, reason)


def _family(status: int, message: str) -> type[TriageError]:
    match status:
        case HTTPStatus.NOT_FOUND | HTTPStatus.GONE:
            return Gone
        case HTTPStatus.UNPROCESSABLE_ENTITY if message.startswith(MISSING_COMMIT):
            return Gone
        case HTTPStatus.CONFLICT:
            return Conflict
        case HTTPStatus.REQUEST_TIMEOUT:
            return Unavailable
        case _:
            return Unavailable if status >= HTTPStatus.INTERNAL_SERVER_ERROR else Rejected


def _message(body: bytes) -> str:
    """GitHub's `message`, on one line; empty where the body is not its JSON (an XML page of a store)."""
    try:
        message = ErrorPayload.model_validate_json(body).message
    except ValidationError:
        return ""
    return " ".join("".join(c if c.isprintable() else " " for c in message[:MESSAGE_LIMIT]).split())


def _needed_permission(headers: Mapping[str, str]) -> str:
    needed = headers.get("x-accepted-github-permissions")
    return f" (needs {needed[:MESSAGE_LIMIT]})" if needed else ""
