"""Where the App is installed: the installation that a repository belongs to, and what it may do there."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from app.domain.errors import CredentialsRefused, Gone
from app.domain.ids import RepoName
from app.github import payloads as wire
from app.github.permissions import lacking
from app.github.transport import Request, Transport

KNOWN_FOR = timedelta(hours=1)
"""A repository that went to another owner belongs to another installation."""

INCOMPLETE_FOR = timedelta(minutes=5)
"""While permissions are missing, it is looked whether their owner has accepted them."""

EVENT = "workflow_run"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Installation:
    """`account` is the owner's login; `granted` is what the owner accepted."""

    id: int
    account: str
    granted: dict[str, str]
    known_until: datetime

    @property
    def lacking(self) -> tuple[str, ...]:
        return lacking(self.granted)


def find_installation(app: Transport, repo: RepoName) -> Installation:
    """Ask GitHub. Raises CredentialsRefused where the App is not installed, or suspended by the owner."""
    request = Request(subject=f"installation for {repo}", repo=None, path=f"/repos/{repo}/installation")
    try:
        found = app.ask(request).as_(wire.InstallationPayload)
    except Gone:
        raise CredentialsRefused(
            request.subject, "the App is not installed there; its owner can install it, or add the repository"
        ) from None
    account = found.account.login if found.account and found.account.login else repo.partition("/")[0]
    if found.suspended_at is not None:
        raise CredentialsRefused(
            request.subject, f"{account} suspended the App on {found.suspended_at:%Y-%m-%d %H:%M} UTC"
        )
    known_for = INCOMPLETE_FOR if lacking(found.permissions) else KNOWN_FOR
    installation = Installation(found.id, account, found.permissions, app.clock.now() + known_for)
    _tell(installation, found.events, found.html_url)
    return installation


def _tell(installation: Installation, events: tuple[str, ...], url: str) -> None:
    named = log.bind(account=installation.account, installation=installation.id)
    if installation.lacking:
        named.warning("the App lacks permissions", lacking=list(installation.lacking), accept_at=url)
    if EVENT not in events:
        named.warning("the App is not told of finished runs; subscribe it to the event", missing=EVENT)
