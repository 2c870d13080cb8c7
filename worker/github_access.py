"""How the settings say that we go to GitHub: as an App, with a plain token, or as nobody."""

from collections.abc import Callable

import httpx
from pydantic import SecretStr

from app.clock import Clock, SystemClock
from app.domain.errors import Rejected
from app.github.app_jwt import AppJwt
from app.github.client import GitHub
from app.github.credentials import Credentials, NoToken, PlainToken
from app.github.installation_tokens import InstallationTokens
from app.github.transport import Transport, unchecked
from app.settings import PREFIX, Settings, WrongSettings

APP_ID = f"{PREFIX}GITHUB_APP_ID"
KEY = f"{PREFIX}GITHUB_APP_PRIVATE_KEY"
KEY_FILE = f"{PREFIX}GITHUB_APP_PRIVATE_KEY_FILE"
TOKEN = f"{PREFIX}GITHUB_TOKEN"

LONGEST_KEY_BYTES = 64 * 1024


def open_github(
    settings: Settings, http: httpx.Client, clock: Clock, *, before_write: Callable[[], None] = unchecked
) -> GitHub:
    """Sends nothing yet. Raises WrongSettings as `require_access` does."""
    return GitHub(
        http,
        _credentials(settings, http, clock),
        api_url=settings.github_api_url,
        allow_private_downloads=settings.allow_private_downloads,
        clock=clock,
        before_write=before_write,
    )


def require_access(settings: Settings) -> None:
    """Raise WrongSettings where they do not go together, or the App's key cannot be read or is none."""
    _app(settings, SystemClock())


def _credentials(settings: Settings, http: httpx.Client, clock: Clock) -> Credentials:
    app_jwt = _app(settings, clock)
    if app_jwt is not None:
        app = Transport(http, app_jwt, api_url=settings.github_api_url, clock=clock)
        return InstallationTokens(app, app_jwt, clock=clock)
    return NoToken() if settings.github_token is None else PlainToken(settings.github_token)


def _app(settings: Settings, clock: Clock) -> AppJwt | None:
    """The App that the settings name, or None where they name none."""
    name, key, file = (
        settings.github_app_id,
        settings.github_app_private_key,
        settings.github_app_private_key_file,
    )
    if name is None and key is None and file is None:
        return None
    if settings.github_token is not None:
        raise WrongSettings(TOKEN, f"set, and so is a GitHub App; unset it, or {APP_ID} and the App's key")
    if name is None:
        raise WrongSettings(
            APP_ID, "not set, and a GitHub App's private key is; set the App's id, or unset both"
        )
    if key is not None and file is not None:
        raise WrongSettings(KEY, f"set, and so is {KEY_FILE}; one of them is enough")
    variable = KEY if file is None else KEY_FILE
    key = _read(settings) if key is None else key
    try:
        return AppJwt(name, key, clock=clock)
    except Rejected as error:
        raise WrongSettings(variable, error.reason) from None


def _read(settings: Settings) -> SecretStr:
    file = settings.github_app_private_key_file
    if file is None:
        raise WrongSettings(APP_ID, f"set, and no private key is; set {KEY_FILE}, or {KEY}")
    try:
        with file.open("rb") as opened:
            return SecretStr(opened.read(LONGEST_KEY_BYTES).decode(errors="replace"))
    except OSError as error:
        raise WrongSettings(
            KEY_FILE, f"{file} cannot be read: {(error.strerror or 'error').lower()}"
        ) from None
