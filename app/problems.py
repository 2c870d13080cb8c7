"""Errors as HTTP answers: RFC 9457 problem documents that say what was wrong and no more."""

import json
import math
from typing import Final

from starlette.responses import Response

from app.domain.delivery import Malformed, Unverified
from app.domain.errors import Conflict, Gone, Rejected, TriageError, Unavailable

MEDIA_TYPE: Final = "application/problem+json"

TITLES: Final = {
    400: "The request cannot be understood",
    401: "The request does not show what was agreed",
    403: "The request comes from another site",
    404: "There is nothing here",
    405: "This address does not take that method",
    408: "The body did not arrive in time",
    409: "Someone else was faster",
    413: "The body is too large",
    415: "The body has the wrong media type",
    421: "The request is for another host",
    422: "The parameters are wrong",
    500: "Something broke on our side",
    503: "Not ready to answer",
}


class TooLarge(Rejected):
    """More bytes than the bound; the connection is closed, since the rest of the body is not read."""


class TooSlow(Rejected):
    """The body did not arrive in time; the connection is closed, since the rest is not waited for."""


class WrongMediaType(Rejected):
    """The body is not what the address takes."""


class ForeignOrigin(Rejected):
    """A browser says that another site made it send this."""


STATUS_OF_FAMILY: Final[tuple[tuple[type[TriageError], int], ...]] = (
    (Unverified, 401),
    (ForeignOrigin, 403),
    (TooSlow, 408),
    (TooLarge, 413),
    (WrongMediaType, 415),
    (Malformed, 400),
    (Rejected, 400),
    (Gone, 404),
    (Conflict, 409),
    (Unavailable, 503),
)
"""The first family that fits decides, so the narrow ones stand first."""


def problem(status: int, detail: str) -> Response:
    """One problem document; `detail` must be fit for strangers."""
    document = {
        "type": f"urn:flake-triage:problem:{status}",
        "title": TITLES.get(status, "The request failed"),
        "status": status,
        "detail": detail,
    }
    return Response(json.dumps(document), status_code=status, media_type=MEDIA_TYPE)


def from_error(error: TriageError) -> Response:
    """The answer to an error of ours; the class decides, never the text."""
    response = problem(_status(error), str(error))
    if isinstance(error, TooLarge | TooSlow):
        response.headers["Connection"] = "close"
    if isinstance(error, Unavailable) and error.retry_after_s is not None:
        response.headers["Retry-After"] = str(math.ceil(error.retry_after_s))
    return response


def _status(error: TriageError) -> int:
    return next((status for family, status in STATUS_OF_FAMILY if isinstance(error, family)), 500)
