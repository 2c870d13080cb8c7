"""The stand-in's App over real HTTP: who may ask for what, and in whose name it is written."""

from collections.abc import Callable
from datetime import timedelta

import httpx
import jwt
import pytest
from fixtures_app import KeyPair, make_keys
from fixtures_github import REPO, ManualClock

from app.standin.apps import AppRecord, InstallationRecord, Shape
from app.standin.server import StandIn

pytestmark = pytest.mark.usefixtures("story")

Ask = Callable[..., httpx.Response]


@pytest.fixture
def ask(stand_in: StandIn):  # noqa: ANN201 - a fixture that yields a function
    with httpx.Client(base_url=stand_in.api_url) as http:

        def asking(method: str, path: str, token: str | None = None, **body: object) -> httpx.Response:
            headers = {} if token is None else {"authorization": f"Bearer {token}"}
            return http.request(method, path, headers=headers, json=body or None)

        yield asking


def signed(keys: KeyPair, clock: ManualClock, **claims: object) -> str:
    now = int(clock.now().timestamp())
    told = {"iat": now - 60, "exp": now + 540, "iss": "1234567", **claims}
    return jwt.encode(told, keys.private, algorithm="RS256")


@pytest.fixture
def app_jwt(app: AppRecord, app_keys: KeyPair, github_clock: ManualClock) -> str:
    assert app.id == 1234567
    return signed(app_keys, github_clock)


def mint(ask: Ask, app_jwt: str, of: InstallationRecord, **body: object) -> httpx.Response:
    return ask("POST", f"/app/installations/{of.id}/access_tokens", app_jwt, **body)


def test_app_finds_its_installation_and_makes_tokens_of_both_shapes(
    ask: Ask, app: AppRecord, app_jwt: str, installed: InstallationRecord
) -> None:
    assert ask("GET", "/app", app_jwt).json()["slug"] == "flaky-friend"
    assert ask("GET", f"/repos/{REPO}/installation", app_jwt).json()["id"] == installed.id
    long = mint(ask, app_jwt, installed).json()["token"]
    app.shape = Shape.SHORT
    short = mint(ask, app_jwt, installed).json()["token"]
    assert (len(short), len(long) > 500, "." in long) == (40, True, True)
    assert app.mints == 2


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"iat": 60}, "'iat'"),
        ({"exp": 0}, "representing the future"),
        ({"exp": 601}, "too far in the future"),
    ],
)
def test_time_of_a_json_web_token_is_held_against_githubs_clock(
    ask: Ask,
    app: AppRecord,
    app_keys: KeyPair,
    github_clock: ManualClock,
    claims: dict[str, int],
    words: str,
) -> None:
    now = int(github_clock.now().timestamp())
    token = signed(app_keys, github_clock, **{name: now + value for name, value in claims.items()})
    refused = ask("GET", "/app", token)
    assert (refused.status_code, app.mints) == (401, 0)
    assert words in refused.json()["message"]


def test_json_web_token_is_the_apps_own(
    ask: Ask, app: AppRecord, app_keys: KeyPair, github_clock: ManualClock
) -> None:
    others = signed(make_keys(), github_clock)
    elsewhere = signed(app_keys, github_clock, iss="99")
    assert ask("GET", "/app", others).json()["message"] == "A JSON web token could not be decoded"
    assert ask("GET", "/app", elsewhere).json()["message"] == "Integration not found"
    assert ask("GET", "/app", signed(app_keys, github_clock, iss=app.client_id)).status_code == 200


def test_plain_token_is_no_app_and_an_installation_no_user(
    ask: Ask, stand_in: StandIn, app_jwt: str, installed: InstallationRecord
) -> None:
    token = mint(ask, app_jwt, installed).json()["token"]
    assert ask("GET", "/app", stand_in.state.token).status_code == 401
    assert ask("GET", "/user", token).status_code == 403
    assert ask("GET", "/user", stand_in.state.token).status_code == 200


def test_token_ends_after_an_hour(
    ask: Ask, app_jwt: str, installed: InstallationRecord, github_clock: ManualClock
) -> None:
    token = mint(ask, app_jwt, installed).json()["token"]
    github_clock.advance(seconds=3599)
    assert ask("GET", f"/repos/{REPO}", token).status_code == 200
    github_clock.advance(seconds=1)
    assert ask("GET", f"/repos/{REPO}", token).status_code == 401


def test_token_may_do_what_it_was_asked_for_and_no_more(
    ask: Ask, app_jwt: str, installed: InstallationRecord
) -> None:
    token = mint(ask, app_jwt, installed, permissions={"metadata": "read", "issues": "read"}).json()["token"]
    assert ask("GET", f"/repos/{REPO}/issues", token).status_code == 200
    refused = ask("POST", f"/repos/{REPO}/issues", token, title="x")
    assert refused.status_code == 403
    assert refused.headers["x-accepted-github-permissions"] == "issues=write"
    assert mint(ask, app_jwt, installed, permissions={"checks": "write"}).status_code == 422


def test_app_is_not_everywhere(
    ask: Ask, stand_in: StandIn, app_jwt: str, installed: InstallationRecord
) -> None:
    stand_in.state.add_repository("bob/own", 44)
    token = mint(ask, app_jwt, installed).json()["token"]
    assert ask("GET", "/repos/bob/own/installation", app_jwt).status_code == 404
    assert ask("GET", "/repos/bob/own", token).status_code == 404
    assert ask("POST", "/app/installations/1/access_tokens", app_jwt).status_code == 404


def test_suspended_installation_makes_no_token_and_its_old_one_opens_nothing(
    ask: Ask, app_jwt: str, installed: InstallationRecord, github_clock: ManualClock
) -> None:
    token = mint(ask, app_jwt, installed).json()["token"]
    installed.suspended_at = github_clock.now()
    for refused in (mint(ask, app_jwt, installed), ask("GET", f"/repos/{REPO}", token)):
        assert (refused.status_code, "suspended" in refused.json()["message"]) == (403, True)
    assert ask("GET", f"/repos/{REPO}/installation", app_jwt).json()["suspended_at"] is not None


def test_what_an_installation_writes_is_the_apps(
    ask: Ask, stand_in: StandIn, app_jwt: str, installed: InstallationRecord
) -> None:
    token = mint(ask, app_jwt, installed).json()["token"]
    made = ask("POST", f"/repos/{REPO}/issues/87/comments", token, body="x").json()
    assert (made["user"]["login"], made["user"]["type"]) == ("flaky-friend[bot]", "Bot")
    assert [write.ours for write in stand_in.writes] == [True]


def test_answers_tell_the_time_and_what_is_left_of_the_hour(
    ask: Ask, stand_in: StandIn, github_clock: ManualClock
) -> None:
    stand_in.state.ahead = timedelta(seconds=90)
    first = ask("GET", f"/repos/{REPO}", stand_in.state.token).headers
    nobody = ask("GET", f"/repos/{REPO}").headers
    assert first["date"] == "Mon, 30 Nov 2026 12:01:30 GMT"
    assert (first["x-ratelimit-remaining"], nobody["x-ratelimit-remaining"]) == ("4999", "59")
    assert first["x-ratelimit-reset"] == str(int(github_clock.now().timestamp()) + 3600)
    github_clock.advance(seconds=3600)
    again = ask("GET", f"/repos/{REPO}", stand_in.state.token).headers
    assert again["x-ratelimit-remaining"] == "4999"


def test_budget_is_enforced_only_where_that_is_asked_for(ask: Ask, stand_in: StandIn) -> None:
    rates, now = stand_in.state.rates, stand_in.state.clock.now()
    rates.use_up("", now=now, left=1)
    assert [ask("GET", f"/repos/{REPO}").status_code for _ in range(2)] == [200, 200]
    rates.enforced = True
    refused = ask("GET", f"/repos/{REPO}")
    assert (refused.status_code, refused.headers["x-ratelimit-remaining"]) == (403, "0")
