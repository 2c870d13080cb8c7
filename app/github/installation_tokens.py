"""Credentials of a GitHub App: a token for each installation, made when needed and one at a time."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

import structlog
from pydantic import JsonValue, SecretStr

from app.clock import Clock
from app.domain.errors import CredentialsRefused, Gone, Rejected, TriageError, Unavailable
from app.domain.ids import RepoName
from app.github import payloads as wire
from app.github.app_jwt import AppJwt
from app.github.credentials import Identity
from app.github.installations import Installation, find_installation
from app.github.permissions import lacking, narrowed, unreadable
from app.github.transport import Request, Transport

EARLY = timedelta(minutes=5)
"""A token is not used in its last minutes: it could end in the middle of a download's redirects."""

SHORTEST_LIFE = timedelta(minutes=1)
"""Of whatever is made, so that a strange time of expiry makes no token for each request."""

RENEWED_EVERY = timedelta(minutes=1)
"""A token that GitHub refuses is replaced at once, and then no more often than this."""

REFUSED_FOR = timedelta(minutes=5)
"""What only a person can mend is not asked again by every task; their own waits go up to 15 minutes."""

FAILED_FOR = timedelta(seconds=5)
"""Threads that waited for one try share its failure, instead of failing one after the other."""

Found = TypeVar("Found")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Token:
    value: SecretStr
    granted: dict[str, str]
    good_until: datetime

    @property
    def header(self) -> str:
        return f"Bearer {self.value.get_secret_value()}"


@dataclass(frozen=True, slots=True)
class Failure:
    """Shared until `until`; `retry_at` is when GitHub wishes to be asked again, where it named a wait."""

    family: type[Unavailable]
    subject: str
    reason: str
    until: datetime
    retry_at: datetime | None

    def told(self, now: datetime) -> Unavailable:
        left_s = None if self.retry_at is None else max(0.0, (self.retry_at - now).total_seconds())
        return self.family(self.subject, self.reason, retry_after_s=left_s)


@dataclass(slots=True)
class Account:
    """What is known of one owner's repositories; to be read and changed under its lock."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    installations: dict[str, Installation] = field(default_factory=dict)
    tokens: dict[int, Token] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    renewed_at: datetime | None = None


class InstallationTokens:
    """`app` speaks to GitHub as `app_jwt`; an owner's repositories wait for one another, others do not."""

    identity = Identity.APP

    def __init__(self, app: Transport, app_jwt: AppJwt, *, clock: Clock) -> None:
        self._app = app
        self._jwt = app_jwt
        self._clock = clock
        self._accounts: dict[str, Account] = {}
        self._lock = threading.Lock()

    def authorization(self, repo: RepoName | None) -> str:
        if repo is None:
            return self._jwt.authorization(None)
        account = self._account(repo)
        with account.lock:
            return self._sharing_failure(account, repo, lambda: self._token(account, repo)).header

    def payer(self, repo: RepoName | None) -> str:
        """An App is installed once for each owner, and each installation has its own budget."""
        return self._jwt.payer(None) if repo is None else f"installation for {_owner(repo)}"

    def renew(self, repo: RepoName | None, refused: str, *, said_at: datetime | None) -> bool:
        """Drop the token, unless another thread has replaced it already."""
        if repo is None:
            return self._jwt.renew(None, refused, said_at=said_at)
        account, now = self._account(repo), self._clock.now()
        with account.lock:
            mine = {key for key, token in account.tokens.items() if token.header == refused}
            if not mine:
                return True
            if account.renewed_at is not None and now - account.renewed_at < RENEWED_EVERY:
                return False
            account.renewed_at = now
            for key in mine:
                del account.tokens[key]
        log.warning("GitHub refuses a token before its time; another is made", repo=repo)
        return True

    def lacking(self, repo: RepoName | None) -> tuple[str, ...]:
        if repo is None:
            return ()
        account = self._account(repo)
        with account.lock:
            installation = account.installations.get(repo.lower())
            token = account.tokens.get(installation.id) if installation else None
            return lacking(token.granted) if token else ()

    def _account(self, repo: RepoName) -> Account:
        with self._lock:
            return self._accounts.setdefault(_owner(repo), Account())

    def _sharing_failure(self, account: Account, repo: RepoName, find: Callable[[], Found]) -> Found:
        """An artifact that is gone, or that is refused, is another thing: neither word may leave here."""
        key = repo.lower()
        known, now = account.failures.get(key), self._clock.now()
        if known is not None and now < known.until:
            raise known.told(now)
        try:
            found = find()
        except TriageError as error:
            family, lasts = (
                (Unavailable, FAILED_FOR) if type(error) is Unavailable else (CredentialsRefused, REFUSED_FOR)
            )
            now = self._clock.now()
            failure = Failure(family, error.subject, error.reason, now + lasts, _retry_at(error, now))
            account.failures[key] = failure
            if isinstance(error, Unavailable):
                raise
            raise failure.told(now) from None
        account.failures.pop(key, None)
        return found

    def _token(self, account: Account, repo: RepoName) -> Token:
        installation = self._installation(account, repo)
        token = account.tokens.get(installation.id)
        if token is not None and self._clock.now() < token.good_until:
            return token
        try:
            token = self._mint(installation)
        except (Gone, Rejected, CredentialsRefused):
            # suspended, deleted, or granted less than was known: what is it now?
            account.installations.pop(repo.lower(), None)
            installation = self._installation(account, repo)
            token = self._mint(installation)
        account.tokens[installation.id] = token
        return token

    def _installation(self, account: Account, repo: RepoName) -> Installation:
        known = account.installations.get(repo.lower())
        if known is None or self._clock.now() >= known.known_until:
            account.installations.pop(repo.lower(), None)
            known = account.installations[repo.lower()] = find_installation(self._app, repo)
        return known

    def _mint(self, installation: Installation) -> Token:
        _require_readable(installation, installation.granted)
        wanted: dict[str, JsonValue] = dict(narrowed(installation.granted))
        request = Request(
            subject=f"token for {installation.account}",
            repo=None,
            path=f"/app/installations/{installation.id:d}/access_tokens",
            method="POST",
            body={"permissions": wanted},
        )
        answer = self._app.ask(request)
        made, now = answer.as_(wire.InstallationTokenPayload), self._clock.now()
        life = made.expires_at - (answer.said_at or now)  # by GitHub's clock, which may differ from ours
        granted = installation.granted if made.permissions is None else made.permissions
        _require_readable(installation, granted)
        until = _good_until(installation, granted, life=life, now=now)
        good_for_s = round((until - now).total_seconds())
        log.info(
            "token made", account=installation.account, good_for_s=good_for_s, installation=installation.id
        )
        return Token(made.token, granted, until)


def _retry_at(error: TriageError, now: datetime) -> datetime | None:
    wait_s = error.retry_after_s if isinstance(error, Unavailable) else None
    return None if wait_s is None else now + timedelta(seconds=wait_s)


def _good_until(
    installation: Installation, granted: Mapping[str, str], *, life: timedelta, now: datetime
) -> datetime:
    """A token keeps the permissions it was made with. One that lacks some is used only until the installation
    is looked at again, so that it is replaced soon after its owner has accepted them.
    """
    until = now + max(life - EARLY, SHORTEST_LIFE)
    return min(until, installation.known_until) if lacking(granted) else until


def _require_readable(installation: Installation, granted: Mapping[str, str]) -> None:
    """Without the right to read, GitHub can say of all we ask for that it is not there."""
    missing = unreadable(granted)
    if missing:
        reason = f"the App lacks {', '.join(missing)}; the owner of the installation has to accept it"
        raise CredentialsRefused(f"token for {installation.account}", reason)


def _owner(repo: RepoName) -> str:
    return repo.partition("/")[0].lower()
