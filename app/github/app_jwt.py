"""The App itself: a JSON Web Token that it signs, for calls about the App and for making other tokens."""

import threading
from datetime import datetime, timedelta

import jwt
import structlog
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from pydantic import SecretStr

from app.clock import Clock
from app.domain.errors import Rejected
from app.domain.ids import RepoName
from app.github.credentials import Identity

BACKDATED = timedelta(seconds=60)
"""A clock that is fast by less than this is never noticed: GitHub takes no token from the future."""

LIFETIME = timedelta(minutes=9)
"""GitHub takes 10 minutes at most, counted by its own clock."""

NOTICED_SKEW = timedelta(seconds=30)

log = structlog.get_logger(__name__)


class AppJwt:
    """`app_id` is the App's id or its client id. Raises Rejected where the key is no RSA key in PEM."""

    identity = Identity.APP

    def __init__(self, app_id: str, private_key: SecretStr, *, clock: Clock) -> None:
        self._app_id = app_id
        self._key = _read_key(private_key)
        self._clock = clock
        self._lock = threading.Lock()
        self._github_is_ahead = timedelta()

    def authorization(self, repo: RepoName | None) -> str:  # noqa: ARG002 - the same for every repository
        now = self._clock.now() + self._github_is_ahead
        claims = {
            "iat": int((now - BACKDATED).timestamp()),
            "exp": int((now + LIFETIME).timestamp()),
            "iss": self._app_id,
        }
        return f"Bearer {jwt.encode(claims, self._key, algorithm='RS256')}"

    def payer(self, repo: RepoName | None) -> str:  # noqa: ARG002 - the App itself, for every repository
        return "app"

    def renew(self, repo: RepoName | None, refused: str, *, said_at: datetime | None) -> bool:  # noqa: ARG002 - each is signed anew
        """Go by GitHub's clock from now on, if that is what was wrong."""
        if said_at is None:
            return False
        ahead = said_at - self._clock.now()
        with self._lock:
            if abs(ahead - self._github_is_ahead) < NOTICED_SKEW:
                return False
            self._github_is_ahead = ahead
        log.warning("GitHub's clock differs from ours; is ours wrong?", ahead_s=round(ahead.total_seconds()))
        return True

    def lacking(self, repo: RepoName | None) -> tuple[str, ...]:  # noqa: ARG002 - has no permissions to lack
        return ()


def _read_key(private_key: SecretStr) -> RSAPrivateKey:
    """Line ends may be written as a backslash and an n, as environment files do."""
    pem = private_key.get_secret_value().replace("\\n", "\n").strip()
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError):  # the library's text could quote the key
        raise Rejected("private key", "it is not a private key in PEM without a password") from None
    if not isinstance(key, RSAPrivateKey):
        raise Rejected("private key", "it is not an RSA key, as GitHub makes them for Apps")
    return key
