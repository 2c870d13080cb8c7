"""A GitHub App at the stand-in: its key, where it is installed, the tokens it made, and what each may do."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto

import jwt

from app.domain.ids import RepoName

NEEDED = {
    "actions": "read",
    "contents": "read",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
}
SUSPENDED = "This installation has been suspended"
TOKEN_LIFE = timedelta(hours=1)
LONGEST_JWT = timedelta(minutes=10)
_LEVELS = ("read", "write", "admin")


class Shape(Enum):
    """Of a token: 40 characters, or since 2026 some 520 with dots, dashes and underscores."""

    SHORT = auto()
    LONG = auto()


class NoApp(Exception):
    """A JSON Web Token that GitHub does not take, with its words."""


@dataclass(slots=True)
class InstallationRecord:
    """`repositories` are full names in lower case; None for all of the account's."""

    id: int
    account: str
    permissions: dict[str, str]
    at: datetime
    repositories: set[str] | None = None
    events: tuple[str, ...] = ("workflow_run",)
    suspended_at: datetime | None = None

    def holds(self, repo: RepoName) -> bool:
        is_owner = repo.partition("/")[0].lower() == self.account.lower()
        return is_owner and (self.repositories is None or repo.lower() in self.repositories)

    def grants(self, asked: dict[str, str]) -> bool:
        return all(reaches(self.permissions.get(name), level) for name, level in asked.items())


@dataclass(frozen=True, slots=True)
class TokenRecord:
    installation: InstallationRecord
    permissions: dict[str, str]
    expires_at: datetime


@dataclass(slots=True)
class AppRecord:
    """`public_key` in PEM checks what the App signs; `shape` is that of the tokens made from now on."""

    id: int
    client_id: str
    slug: str
    public_key: str
    at: datetime
    shape: Shape = Shape.LONG
    installations: dict[int, InstallationRecord] = field(default_factory=dict)
    tokens: dict[str, TokenRecord] = field(default_factory=dict)
    mints: int = 0

    @property
    def login(self) -> str:
        return f"{self.slug}[bot]"

    def install(
        self,
        account: str,
        *,
        at: datetime,
        permissions: dict[str, str] | None = None,
        repositories: set[str] | None = None,
    ) -> InstallationRecord:
        made = InstallationRecord(
            3001 + len(self.installations), account, dict(permissions or NEEDED), at, repositories
        )
        self.installations[made.id] = made
        return made

    def of_repository(self, repo: RepoName) -> InstallationRecord | None:
        return next((one for one in list(self.installations.values()) if one.holds(repo)), None)

    def mint(self, of: InstallationRecord, permissions: dict[str, str] | None, *, now: datetime) -> str:
        """A new token; asked for nothing in particular, it may do all that the installation may."""
        self.mints += 1
        token = _spelled(self.shape, self.id, self.mints)
        self.tokens[token] = TokenRecord(of, dict(permissions or of.permissions), now + TOKEN_LIFE)
        return token

    def require_signature(self, token: str, *, now: datetime) -> None:
        """Raise NoApp unless the App signed it, for a time that GitHub takes by its own clock."""
        try:
            claims = jwt.decode(
                token,
                self.public_key,
                algorithms=["RS256"],
                options={"verify_exp": False, "verify_iat": False},
            )
        except jwt.PyJWTError:
            raise NoApp("A JSON web token could not be decoded") from None
        if claims.get("iss") not in {str(self.id), self.client_id}:
            raise NoApp("Integration not found")
        issued, ends = claims.get("iat"), claims.get("exp")
        if not isinstance(issued, int) or issued > now.timestamp():
            raise NoApp(
                "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was "
                "issued"
            )
        if not isinstance(ends, int) or ends <= now.timestamp():
            raise NoApp(
                "'Expiration time' claim ('exp') must be a numeric value representing the future time"
            )
        if ends > (now + LONGEST_JWT).timestamp():
            raise NoApp("'Expiration time' claim ('exp') is too far in the future")


def reaches(granted: str | None, wanted: str) -> bool:
    return granted is not None and _LEVELS.index(granted) >= _LEVELS.index(wanted)


def _spelled(shape: Shape, app_id: int, number: int) -> str:
    if shape is Shape.SHORT:
        return f"ghs_{number:036d}"
    return f"ghs_{app_id}_eyJ{number:0160d}.eyJ{'c-_' * 50}.{'S1-_' * 48}"
