"""Who we are towards GitHub: one interface, so that an App's tokens can take a plain token's place."""

from typing import Protocol

from pydantic import SecretStr

from app.domain.ids import RepoName


class Credentials(Protocol):
    def authorization(self, repo: RepoName | None) -> str | None:
        """The `Authorization` header for requests about `repo` (None: about nobody's), or None for none."""
        ...


class PlainToken:
    """One token for every repository, sent as it is: tokens have no fixed length or alphabet."""

    def __init__(self, token: SecretStr) -> None:
        self._token = token

    def authorization(self, repo: RepoName | None) -> str:  # noqa: ARG002 - the same for every repository
        return f"Bearer {self._token.get_secret_value()}"


class NoToken:
    """Anonymous: public repositories only, 60 requests an hour, no writes."""

    def authorization(self, repo: RepoName | None) -> None:  # noqa: ARG002 - the same for every repository
        return None
