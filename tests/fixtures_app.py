"""A GitHub App at the stand-in, installed on the story's owner, and our client speaking as that App."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from fixtures_github import ManualClock
from pydantic import SecretStr

from app.github.client import GitHub, open_http
from app.settings import Settings
from app.standin.apps import AppRecord, InstallationRecord
from app.standin.server import StandIn
from worker.github_access import open_github

OWNER = "acme"


@dataclass(frozen=True, slots=True)
class KeyPair:
    private: str
    public: str


def make_keys() -> KeyPair:
    key = generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return KeyPair(private.decode(), public.decode())


@pytest.fixture(scope="session")
def app_keys() -> KeyPair:
    return make_keys()


@pytest.fixture
def app(stand_in: StandIn, app_keys: KeyPair, github_clock: ManualClock) -> AppRecord:
    return stand_in.state.add_app(app_keys.public, at=github_clock.now())


@pytest.fixture
def installed(app: AppRecord, github_clock: ManualClock) -> InstallationRecord:
    return app.install(OWNER, at=github_clock.now())


@pytest.fixture
def app_settings(stand_in: StandIn, app: AppRecord, app_keys: KeyPair) -> Settings:
    return Settings(
        github_api_url=stand_in.api_url,
        github_app_id=str(app.id),
        github_app_private_key=SecretStr(app_keys.private),
        allow_private_downloads=True,
    )


@pytest.fixture
def as_app(app_settings: Settings, github_clock: ManualClock) -> Iterator[GitHub]:
    with open_http(timeout_s=5) as http:
        yield open_github(app_settings, http, github_clock)
