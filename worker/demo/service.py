"""What the demo asks of its service: settings of its own, and a database that is nobody else's."""

from pathlib import Path

from pydantic import SecretStr, ValidationError
from sqlalchemy import inspect
from sqlalchemy.exc import OperationalError

from app.domain.errors import Rejected, Unavailable
from app.settings import Settings, WrongSettings
from app.store.session import open_engine
from worker import listening, trouble

SECRET = "the demo's own webhook secret"  # noqa: S105 - known only to this process and its child
PORT = 8077
OPTION = "--database"


def settings_for(
    folder: Path, *, api_url: str, github_url: str, token: str, database: str | None = None
) -> Settings:
    """Settings that know only the stand-in and a temporary folder; nothing of the user's own is used.

    `database` is the address of an empty PostgreSQL database to use instead of SQLite's files. Raises
    WrongSettings where it is none.
    """
    try:
        return _settings(folder, api_url, github_url, token, database)
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False):
            if problem["loc"] == ("database_url",):
                raise WrongSettings(OPTION, str(problem["ctx"]["error"])) from None
        raise


def _settings(folder: Path, api_url: str, github_url: str, token: str, database: str | None) -> Settings:
    return Settings(
        data_dir=folder,
        database_url=None if database is None else SecretStr(database),
        port=listening.free_port(PORT),
        public_url=None,
        webhook_secret=SecretStr(SECRET),
        github_api_url=api_url,
        github_url=github_url,
        github_token=SecretStr(token),
        github_app_id=None,
        github_app_private_key=None,
        github_app_private_key_file=None,
        repositories="",
        allow_private_downloads=True,
        poll_interval_s=0.05,
        retry_base_s=0.2,
        reconcile_s=0,  # the story is told by webhooks
        post=True,
    )


def require_empty(settings: Settings) -> None:
    """Raise Rejected where the database holds tables: the demo's story is no part of anybody's own.

    Raises Unavailable where it cannot be used.
    """
    store = open_engine(settings.app_database_url)
    try:
        tables = inspect(store).get_table_names()
    except OperationalError as error:
        raise Unavailable(OPTION, trouble.database_words(error)) from None
    finally:
        store.dispose()
    if tables:
        told = f"it holds tables already, {tables[0]} among them; the demo wants an empty database of its own"
        raise Rejected(settings.database_shown, told)
