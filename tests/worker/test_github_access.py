"""Which way to GitHub the settings name, and what is said at the start where they name none that works."""

import sys
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from fixtures_app import KeyPair
from fixtures_github import REPO, ManualClock
from pydantic import SecretStr

from app.github.client import GitHub, open_http
from app.settings import Settings, WrongSettings
from app.standin.apps import AppRecord, InstallationRecord
from app.standin.server import StandIn
from worker import cli
from worker.github_access import open_github, require_access

ID = "FLAKE_TRIAGE_GITHUB_APP_ID"
KEY = "FLAKE_TRIAGE_GITHUB_APP_PRIVATE_KEY"
FILE = "FLAKE_TRIAGE_GITHUB_APP_PRIVATE_KEY_FILE"
TOKEN = "FLAKE_TRIAGE_GITHUB_TOKEN"


def login(settings: Settings, clock: ManualClock) -> str | None:
    with open_http(timeout_s=5) as http:
        return open_github(settings, http, clock).whoami()


@pytest.mark.usefixtures("story")
def test_settings_choose_between_app_token_and_nobody(
    stand_in: StandIn, app_settings: Settings, github_clock: ManualClock
) -> None:
    nobody = Settings(github_api_url=stand_in.api_url)
    token = nobody.model_copy(update={"github_token": SecretStr(stand_in.state.token)})
    assert login(nobody, github_clock) is None
    assert login(token, github_clock) == stand_in.state.login
    assert login(app_settings, github_clock) == "flaky-friend[bot]"


@pytest.mark.usefixtures("story", "installed")
def test_key_is_taken_from_a_file_and_the_app_is_known_by_either_id(
    stand_in: StandIn, app: AppRecord, app_keys: KeyPair, github_clock: ManualClock, tmp_path: Path
) -> None:
    file = tmp_path / "key.pem"
    file.write_text(app_keys.private + "\n")
    for name in (str(app.id), app.client_id):
        settings = Settings(
            github_api_url=stand_in.api_url, github_app_id=name, github_app_private_key_file=file
        )
        with open_http(timeout_s=5) as http:
            assert open_github(settings, http, github_clock).repository(REPO).id == 42


@pytest.mark.usefixtures("story")
def test_write_hook_is_handed_on(
    app_settings: Settings, installed: InstallationRecord, github_clock: ManualClock
) -> None:
    asked: list[str] = []
    with open_http(timeout_s=5) as http:
        github: GitHub = open_github(
            app_settings, http, github_clock, before_write=lambda: asked.append("write")
        )
        github.repository(REPO)
        assert asked == [], "a token is no write to anybody's repository"
        github.create_comment(REPO, 87, "x")
    assert asked == ["write"]
    assert installed.account == "acme"


def test_empty_variables_count_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (ID, KEY, FILE, TOKEN):
        monkeypatch.setenv(name, "")
    settings = Settings()
    assert (settings.github_app_id, settings.github_token) == (None, None)
    require_access(settings)


def odd_key(kind: str, keys: KeyPair) -> str:
    if kind == "elliptic":
        key = Ed25519PrivateKey.generate()
        return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    if kind == "locked":
        rsa = load_pem_private_key(keys.private.encode(), password=None)
        return rsa.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"word")).decode()
    return {"public": keys.public, "cut": keys.private[:400], "nonsense": "the key of the App"}[kind]


@pytest.mark.parametrize("kind", ["elliptic", "locked", "public", "cut", "nonsense"])
def test_what_is_no_key_of_an_app_is_refused_without_quoting_it(app_keys: KeyPair, kind: str) -> None:
    given = odd_key(kind, app_keys)
    with pytest.raises(WrongSettings, match=f"{KEY}: it is not") as caught:
        require_access(Settings(github_app_id="1", github_app_private_key=SecretStr(given)))
    assert given.splitlines()[-1] not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({ID: "1"}, f"{ID}: set, and no private key is; set {FILE}, or {KEY}"),
        ({KEY: "key"}, f"{ID}: not set, and a GitHub App's private key is"),
        ({FILE: "key.pem"}, f"{ID}: not set, and a GitHub App's private key is"),
        ({ID: "1", KEY: "key", FILE: "key.pem"}, f"{KEY}: set, and so is {FILE}"),
        ({ID: "1", KEY: "key", TOKEN: "ghp_1"}, f"{TOKEN}: set, and so is a GitHub App; unset it, or {ID}"),
        ({ID: "1", FILE: "nowhere.pem"}, f"{FILE}: nowhere.pem cannot be read: no such file or directory"),
        ({ID: "1", FILE: "."}, f"{FILE}: . cannot be read: is a directory"),
        ({ID: "1", KEY: "key"}, f"{KEY}: it is not a private key in PEM"),
        ({ID: "my app"}, f"{ID}: must be"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "worker"])
def test_command_that_cannot_go_to_github_says_why_and_ends_at_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    given: dict[str, str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "data"))
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["flake-triage", command])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_access_is_opened_without_a_request(app_settings: Settings, github_clock: ManualClock) -> None:
    def never(request: httpx.Request) -> httpx.Response:
        raise AssertionError(request.url)

    with httpx.Client(transport=httpx.MockTransport(never)) as http:
        open_github(app_settings, http, github_clock)
