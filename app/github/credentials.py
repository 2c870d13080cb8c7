"""Who we are towards GitHub: one interface, so that an App's tokens can take a plain token's place."""

from datetime import datetime
from enum import Enum, auto
from typing import Protocol

from pydantic import SecretStr

from app.domain.ids import RepoName


class Identity(Enum):
    NOBODY = auto()
    USER = auto()
    APP = auto()


class Credentials(Protocol):
    """Asked by several threads at once."""

    @property
    def identity(self) -> Identity: ...

    def authorization(self, repo: RepoName | None) -> str | None:
        """The `Authorization` header for requests about `repo` (None: about ourselves), or None for none.

        Raises CredentialsRefused where only a person can mend it, and Unavailable.
        """
        ...

    def payer(self, repo: RepoName | None) -> str:
        """Whose hourly budget such a request counts against; a name to compare, without a request."""
        ...

    def renew(self, repo: RepoName | None, refused: str, *, said_at: datetime | None) -> bool:
        """GitHub answered 401 to the header `refused`, at `said_at` by its own clock where it told.

        True if another try is worth it: `authorization` then answers something else. Never True for ever.
        """
        ...

    def lacking(self, repo: RepoName | None) -> tuple[str, ...]:
        """Permissions known to be missing, as `issues=write`."""
        ...


class PlainToken:
    """One token for every repository, sent as it is: tokens have no fixed length or alphabet."""

    identity = Identity.USER

    def __init__(self, token: SecretStr) -> None:
        self._token = token

    def authorization(self, repo: RepoName | None) -> str:  # noqa: ARG002 - the same for every repository
        return f"Bearer {self._token.get_secret_value()}"

    def payer(self, repo: RepoName | None) -> str:  # noqa: ARG002 - the same for every repository
        return "token"

    def renew(self, repo: RepoName | None, refused: str, *, said_at: datetime | None) -> bool:  # noqa: ARG002 - there is no other
        return False

    def lacking(self, repo: RepoName | None) -> tuple[str, ...]:  # noqa: ARG002 - GitHub tells it request by request
        return ()


class NoToken:
    """Anonymous: public repositories only, 60 requests an hour, no writes."""

    identity = Identity.NOBODY

    def authorization(self, repo: RepoName | None) -> None:  # noqa: ARG002 - the same for every repository
        return None

    def payer(self, repo: RepoName | None) -> str:  # noqa: ARG002 - the address pays
        return "nobody"

    def renew(self, repo: RepoName | None, refused: str, *, said_at: datetime | None) -> bool:  # noqa: ARG002 - there is none
        return False

    def lacking(self, repo: RepoName | None) -> tuple[str, ...]:  # noqa: ARG002 - GitHub tells it request by request
        return ()
