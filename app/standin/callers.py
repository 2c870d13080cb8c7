"""Who asks the stand-in's API, by the header that came along, and what they may."""

from dataclasses import dataclass

from app.domain.ids import RepoName
from app.standin.apps import NoApp, TokenRecord, reaches
from app.standin.state import State


class Refused(Exception):
    """401 with these words."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Nobody, the holder of the stand-in's plain token, the App itself, or one of its installations."""

    login: str | None = None
    is_app: bool = False
    token: TokenRecord | None = None

    @property
    def is_ours(self) -> bool:
        """Whether it may act at all as we do, and downloads."""
        return self.login is not None

    @property
    def payer(self) -> str:
        if self.token is not None:
            return f"installation {self.token.installation.id}"
        return "app" if self.is_app else self.login or ""

    @property
    def is_suspended(self) -> bool:
        return self.token is not None and self.token.installation.suspended_at is not None

    def sees(self, repo: RepoName) -> bool:
        return self.token is None or self.token.installation.holds(repo)

    def missing(self, method: str, template: str) -> str | None:
        """The permission that an installation's token lacks for a call, as `issues=write`."""
        if self.token is None:
            return None
        name, level = needed(method, template)
        return None if reaches(self.token.permissions.get(name), level) else f"{name}={level}"


NOBODY = Caller()


def caller(state: State, method: str, authorization: str | None) -> Caller:
    """Raises Refused. Reading needs no token, writing does; a wrong one is refused for both."""
    if authorization is None:
        if method != "GET":
            raise Refused("Requires authentication")
        return NOBODY
    value = authorization.removeprefix("Bearer ")
    if value == state.token:
        return Caller(login=state.login)
    if state.app is None:
        raise Refused("Bad credentials")
    known = state.app.tokens.get(value)
    if known is not None:
        return _of_installation(state, known)
    if not value.startswith("eyJ"):
        raise Refused("Bad credentials")
    try:
        state.app.require_signature(value, now=state.now())
    except NoApp as error:
        raise Refused(str(error)) from None
    return Caller(is_app=True)


def _of_installation(state: State, token: TokenRecord) -> Caller:
    """A token ends with its time, and with its installation."""
    assert state.app is not None
    if state.now() >= token.expires_at or token.installation.id not in state.app.installations:
        raise Refused("Bad credentials")
    return Caller(login=state.app.login, token=token)


def needed(method: str, template: str) -> tuple[str, str]:
    level = "read" if method == "GET" else "write"
    parts = template.split("/")
    for word, name in (
        ("actions", "actions"),
        ("check-runs", "checks"),
        ("issues", "issues"),
        ("pulls", "pull_requests"),
    ):
        if word in parts:
            return name, level
    return ("contents" if {"commits", "compare", "contents"} & set(parts) else "metadata"), level
