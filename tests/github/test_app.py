"""As a GitHub App, over real HTTP: few tokens, made in time, and a clear word where there can be none."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import httpx
import pytest
from fixtures_app import OWNER, KeyPair, make_keys
from fixtures_github import REPO, ManualClock
from pydantic import SecretStr
from structlog.testing import capture_logs

from app.domain.errors import CredentialsRefused, Rejected, Unavailable
from app.domain.ids import ArtifactId, RepoName, RunId
from app.github.client import GitHub, open_http
from app.github.permissions import NEEDED
from app.settings import Settings
from app.standin.apps import AppRecord, InstallationRecord, Shape
from app.standin.faults import BAD_CREDENTIALS, RESET, SERVER_ERROR, answer, too_many_requests
from app.standin.server import StandIn
from app.standin.state import State
from worker.github_access import open_github

pytestmark = pytest.mark.usefixtures("story", "installed")

LOOKUP = f"GET /repos/{REPO}/installation"
REPOSITORY = f"GET /repos/{REPO}"


def asked(stand_in: StandIn) -> Counter[str]:
    return Counter(stand_in.requests)


@pytest.mark.parametrize("shape", Shape)
def test_twenty_first_calls_at_once_make_one_token(
    as_app: GitHub, app: AppRecord, stand_in: StandIn, shape: Shape
) -> None:
    app.shape = shape
    together = threading.Barrier(20)

    def call(_: int) -> int:
        together.wait()
        return as_app.repository(REPO).id

    with ThreadPoolExecutor(20) as pool:
        assert set(pool.map(call, range(20))) == {42}
    assert app.mints == 1
    assert asked(stand_in)[LOOKUP] == 1


def test_token_serves_every_repository_of_its_owner(
    as_app: GitHub, app: AppRecord, story: State, github_clock: ManualClock
) -> None:
    story.add_repository("acme/other", 43)
    story.add_repository("bob/own", 44)
    app.install("bob", at=github_clock.now())
    for name in (REPO, "acme/other", "ACME/other", "bob/own"):
        as_app.repository(RepoName(name))
    assert app.mints == 2


def test_token_may_do_what_we_need_and_nothing_else(
    as_app: GitHub, app: AppRecord, installed: InstallationRecord
) -> None:
    installed.permissions.update(administration="write", contents="write")
    as_app.repository(REPO)
    (token,) = app.tokens.values()
    assert token.permissions == NEEDED


def test_token_is_replaced_five_minutes_before_its_end(
    as_app: GitHub, app: AppRecord, github_clock: ManualClock
) -> None:
    as_app.repository(REPO)
    github_clock.advance(seconds=54 * 60)
    as_app.repository(REPO)
    assert app.mints == 1
    github_clock.advance(seconds=60)
    as_app.repository(REPO)
    assert app.mints == 2


def test_token_that_ends_before_its_time_is_replaced_and_the_request_sent_once_more(
    as_app: GitHub, app: AppRecord, stand_in: StandIn
) -> None:
    as_app.repository(REPO)
    app.tokens.clear()
    assert as_app.repository(REPO).id == 42
    assert app.mints == 2
    assert asked(stand_in)[REPOSITORY] == 3


def test_write_under_a_token_that_ended_is_done_once(
    as_app: GitHub, app: AppRecord, stand_in: StandIn
) -> None:
    as_app.repository(REPO)
    app.tokens.clear()
    comment = as_app.create_comment(REPO, 87, "once")
    assert comment.author == "flaky-friend[bot]" == as_app.whoami()
    assert [write.ours for write in stand_in.writes] == [True]


def test_threads_that_meet_a_token_that_ended_make_one_new_one(as_app: GitHub, app: AppRecord) -> None:
    as_app.repository(REPO)
    app.tokens.clear()
    together = threading.Barrier(12)

    def call(_: int) -> int:
        together.wait()
        return as_app.repository(REPO).id

    with ThreadPoolExecutor(12) as pool:
        assert set(pool.map(call, range(12))) == {42}
    assert app.mints == 2


def test_token_refused_again_and_again_is_not_made_again_and_again(
    as_app: GitHub, app: AppRecord, stand_in: StandIn, github_clock: ManualClock
) -> None:
    stand_in.state.faults.inject(f"/repos/{REPO}", BAD_CREDENTIALS, times=100)
    for _ in range(10):
        with pytest.raises(CredentialsRefused):
            as_app.repository(REPO)
    assert app.mints == 2
    assert asked(stand_in)[REPOSITORY] == 11
    github_clock.advance(seconds=60)
    with pytest.raises(CredentialsRefused):
        as_app.repository(REPO)
    assert app.mints == 3


def test_suspended_installation_is_named_and_left_in_peace_until_it_is_taken_up_again(
    as_app: GitHub, installed: InstallationRecord, stand_in: StandIn, github_clock: ManualClock
) -> None:
    installed.suspended_at = github_clock.now()
    for _ in range(10):
        with pytest.raises(CredentialsRefused, match="acme suspended the App on 2026-11-30 12:00 UTC"):
            as_app.repository(REPO)
    assert stand_in.requests == [LOOKUP]
    installed.suspended_at = None
    github_clock.advance(seconds=5 * 60)
    assert as_app.repository(REPO).id == 42


def test_suspension_in_the_middle_is_no_gap_of_one_artifact(
    as_app: GitHub, installed: InstallationRecord, github_clock: ManualClock
) -> None:
    as_app.repository(REPO)
    installed.suspended_at = github_clock.now()
    with pytest.raises(CredentialsRefused, match="suspended"):
        as_app.artifacts(REPO, RunId(1001))
    github_clock.advance(seconds=3600)
    with pytest.raises(CredentialsRefused, match="acme suspended the App"):
        as_app.artifacts(REPO, RunId(1001))


def test_token_that_cannot_be_made_for_a_suspension_says_so(
    as_app: GitHub, installed: InstallationRecord, stand_in: StandIn, github_clock: ManualClock
) -> None:
    as_app.repository(REPO)
    installed.suspended_at = github_clock.now()
    github_clock.advance(seconds=56 * 60)
    with pytest.raises(CredentialsRefused, match="acme suspended the App"):
        as_app.repository(REPO)
    assert asked(stand_in)[LOOKUP] == 2


def test_deleted_installation_is_refused_and_never_taken_for_a_file_that_is_gone(
    as_app: GitHub, app: AppRecord
) -> None:
    as_app.repository(REPO)
    app.installations.clear()
    with pytest.raises(CredentialsRefused, match="not installed"):
        as_app.artifacts(REPO, RunId(1001))


def test_app_that_is_installed_anew_goes_on(
    as_app: GitHub, app: AppRecord, github_clock: ManualClock
) -> None:
    as_app.repository(REPO)
    app.installations.clear()
    again = app.install(OWNER, at=github_clock.now())
    again.id = 4000
    app.installations = {4000: again}
    assert as_app.repository(REPO).id == 42


def test_repository_that_was_not_selected_is_told_apart(
    as_app: GitHub, installed: InstallationRecord, story: State
) -> None:
    installed.repositories = {"acme/gefen"}
    story.add_repository("acme/other", 43)
    assert as_app.repository(REPO).id == 42
    with pytest.raises(CredentialsRefused, match=r"acme/other.*not installed there"):
        as_app.repository(RepoName("acme/other"))


def test_renamed_repository_keeps_its_installation(as_app: GitHub, story: State) -> None:
    story.rename_repository(REPO, "acme/renamed")
    assert as_app.repository(REPO).full_name == "acme/renamed"


def test_missing_permission_is_told_once_and_named_where_it_is_missed(
    as_app: GitHub, installed: InstallationRecord, github_clock: ManualClock
) -> None:
    installed.permissions["issues"] = "read"
    with capture_logs() as logs:
        as_app.repository(REPO)
        as_app.repository(REPO)
    (told,) = [entry for entry in logs if entry["log_level"] == "warning"]
    assert (told["lacking"], told["account"]) == (["issues=write"], OWNER)
    assert told["accept_at"].endswith(f"/settings/installations/{installed.id}")
    with pytest.raises(
        CredentialsRefused, match=r"issues=write\); the App's installation lacks issues=write"
    ):
        as_app.create_issue(REPO, title="main is red", body="x")
    installed.permissions["issues"] = "write"
    github_clock.advance(seconds=5 * 60)
    assert as_app.create_issue(REPO, title="main is red", body="x").author == "flaky-friend[bot]"


@pytest.mark.parametrize("name", ["actions", "contents", "pull_requests", "metadata"])
def test_app_that_may_not_read_asks_for_nothing_that_would_seem_not_to_be_there(
    as_app: GitHub, app: AppRecord, installed: InstallationRecord, name: str
) -> None:
    del installed.permissions[name]
    with pytest.raises(CredentialsRefused, match=f"lacks {name}=read"):
        as_app.repository(REPO)
    assert app.mints == 0


def test_permission_taken_away_after_the_lookup_is_found_out(
    as_app: GitHub, app: AppRecord, installed: InstallationRecord, github_clock: ManualClock
) -> None:
    as_app.repository(REPO)
    installed.permissions["issues"] = "read"
    github_clock.advance(seconds=55 * 60)
    assert as_app.repository(REPO).id == 42
    assert app.mints == 2
    with pytest.raises(CredentialsRefused, match="lacks issues=write"):
        as_app.create_issue(REPO, title="x", body="x")


def test_app_that_hears_of_no_runs_is_told(as_app: GitHub, installed: InstallationRecord) -> None:
    installed.events = ()
    with capture_logs() as logs:
        as_app.repository(REPO)
    assert [entry["missing"] for entry in logs if "missing" in entry] == ["workflow_run"]


@pytest.mark.parametrize("ahead_s", [-45, 45])
def test_minute_of_difference_between_clocks_is_never_noticed(
    as_app: GitHub, stand_in: StandIn, ahead_s: int
) -> None:
    stand_in.state.ahead = timedelta(seconds=ahead_s)
    assert as_app.repository(REPO).id == 42
    assert asked(stand_in)[LOOKUP] == 1


@pytest.mark.parametrize("ahead_s", [-3600, -120, 700, 3600])
def test_clock_that_is_wrong_is_measured_by_githubs_and_told(
    as_app: GitHub, app: AppRecord, stand_in: StandIn, github_clock: ManualClock, ahead_s: int
) -> None:
    stand_in.state.ahead = timedelta(seconds=ahead_s)
    with capture_logs() as logs:
        assert as_app.repository(REPO).id == 42
    assert [entry["ahead_s"] for entry in logs if "ahead_s" in entry] == [ahead_s]
    assert asked(stand_in)[LOOKUP] == 2
    github_clock.advance(seconds=54 * 60)
    as_app.repository(REPO)
    assert app.mints == 1, "a token's life is counted by the clock that gave it"


def test_key_of_another_app_is_refused_without_a_storm(
    app_settings: Settings, stand_in: StandIn, github_clock: ManualClock
) -> None:
    wrong = app_settings.model_copy(update={"github_app_private_key": SecretStr(make_keys().private)})
    with open_http(timeout_s=5) as http:
        github = open_github(wrong, http, github_clock)
        for _ in range(5):
            with pytest.raises(CredentialsRefused, match="could not be decoded") as caught:
                github.repository(REPO)
        with pytest.raises(CredentialsRefused):
            github.whoami()
    assert asked(stand_in)[LOOKUP] == 1
    assert "PRIVATE" not in repr(caught.value)


def test_threads_share_the_failure_of_the_one_that_asked(
    as_app: GitHub, stand_in: StandIn, github_clock: ManualClock
) -> None:
    stand_in.state.faults.inject("*/installation", SERVER_ERROR, times=100)
    together = threading.Barrier(10)

    def call(_: int) -> None:
        together.wait()
        with pytest.raises(Unavailable):
            as_app.repository(REPO)

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(call, range(10)))
    assert asked(stand_in)[LOOKUP] == 1
    github_clock.advance(seconds=5)
    with pytest.raises(Unavailable):
        as_app.repository(REPO)
    assert asked(stand_in)[LOOKUP] == 2


def test_threads_share_the_wait_that_github_named_to_the_one_that_asked(
    as_app: GitHub, stand_in: StandIn, github_clock: ManualClock
) -> None:
    stand_in.state.faults.inject("*/installation", too_many_requests(3600))
    told: list[float | None] = []
    for _ in range(3):
        with pytest.raises(Unavailable) as caught:
            as_app.repository(REPO)
        told.append(caught.value.retry_after_s)
        github_clock.advance(seconds=2)
    assert told == [3600, 3598, 3596]
    assert asked(stand_in)[LOOKUP] == 1


def test_broken_connection_while_a_token_is_made_is_tried_later(
    as_app: GitHub, stand_in: StandIn, github_clock: ManualClock
) -> None:
    stand_in.state.faults.inject("*/access_tokens", RESET)
    with pytest.raises(Unavailable) as caught:
        as_app.repository(REPO)
    assert not isinstance(caught.value, CredentialsRefused)
    github_clock.advance(seconds=5)
    assert as_app.repository(REPO).id == 42


def test_answer_without_a_token_is_no_artifact_refused(as_app: GitHub, stand_in: StandIn, tmp_path) -> None:  # noqa: ANN001 - a path
    stand_in.state.faults.inject("*/access_tokens", answer(201, "no token here"), times=2)
    with pytest.raises(CredentialsRefused, match="not understood") as caught:
        as_app.download_artifact(REPO, ArtifactId(5001), tmp_path / "a", limit_bytes=1000)
    assert not isinstance(caught.value, Rejected)


def test_download_works_and_the_store_never_sees_the_token(
    as_app: GitHub,
    stand_in: StandIn,
    tmp_path,  # noqa: ANN001 - a path
) -> None:
    got = as_app.download_artifact(REPO, ArtifactId(5001), tmp_path / "a", limit_bytes=10_000)
    assert got.size_bytes > 0
    assert stand_in.blobs.refused_tokens == 0


def test_app_of_an_enterprise_server_is_asked_under_its_path(
    app_keys: KeyPair, github_clock: ManualClock
) -> None:
    seen: list[tuple[str, str]] = []
    ends = (github_clock.now() + timedelta(hours=1)).isoformat()

    def enterprise(request: httpx.Request) -> httpx.Response:
        seen.append((request.method, str(request.url)))
        if request.url.path.endswith("/installation"):
            return httpx.Response(
                200, json={"id": 7, "permissions": dict(NEEDED), "events": ["workflow_run"]}
            )
        if request.url.path.endswith("/access_tokens"):
            return httpx.Response(201, json={"token": "ghs_1", "expires_at": ends})
        assert request.headers["authorization"] == "Bearer ghs_1"
        return httpx.Response(200, json={"id": 1, "full_name": "a/b", "default_branch": "main"})

    settings = Settings(
        github_api_url="https://ghes.example/api/v3/",
        github_app_id="Iv1.8a61f9b3a7aba766",
        github_app_private_key=SecretStr(app_keys.private.replace("\n", "\\n")),
    )
    with httpx.Client(transport=httpx.MockTransport(enterprise)) as http:
        open_github(settings, http, github_clock).repository(RepoName("a/b"))
    assert seen == [
        ("GET", "https://ghes.example/api/v3/repos/a/b/installation"),
        ("POST", "https://ghes.example/api/v3/app/installations/7/access_tokens"),
        ("GET", "https://ghes.example/api/v3/repos/a/b"),
    ]


def test_secrets_of_the_app_are_in_no_log(as_app: GitHub, app: AppRecord, app_keys: KeyPair) -> None:
    with capture_logs() as logs:
        as_app.repository(REPO)
        app.tokens.clear()
        as_app.repository(REPO)
    text = repr(logs) + repr(vars(as_app)) + repr(vars(as_app._transport))
    assert "token made" in text
    assert not [token for token in app.tokens if token in text]
    assert app_keys.private.splitlines()[3] not in text
