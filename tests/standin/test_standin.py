"""The stand-in over real HTTP: what GitHub does, it does too."""

from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from fixtures_github import HEAD, MAIN, REPO, ManualClock

from app.standin.server import StandIn
from app.standin.state import State

REPO_PATH = f"/repos/{REPO}"


@pytest.fixture
def http(stand_in: StandIn):  # noqa: ANN201 - a fixture that yields a client
    headers = {"authorization": f"Bearer {stand_in.state.token}"}
    with httpx.Client(base_url=stand_in.api_url, headers=headers) as client:
        yield client


def test_download_is_a_redirect_to_a_second_host(http: httpx.Client, story: State, stand_in: StandIn) -> None:
    answer = http.get(f"{REPO_PATH}/actions/artifacts/5001/zip")
    location = answer.headers["location"]
    assert answer.status_code == 302
    assert location.startswith(stand_in.blob_url + "/artifacts/5001?sig=")
    assert stand_in.blob_url != stand_in.api_url
    assert httpx.get(location).content == story.artifacts[next(iter(story.artifacts))].content


@pytest.mark.usefixtures("story")
def test_store_refuses_our_token(http: httpx.Client, stand_in: StandIn) -> None:
    location = http.get(f"{REPO_PATH}/actions/jobs/5550/logs").headers["location"]
    refused = http.get(location)
    assert refused.status_code == 403
    assert b"InvalidAuthenticationInfo" in refused.content
    assert stand_in.blobs.refused_tokens == 1


@pytest.mark.usefixtures("story")
def test_link_lives_a_minute(http: httpx.Client, stand_in: StandIn, github_clock: ManualClock) -> None:
    location = http.get(f"{REPO_PATH}/actions/jobs/5550/logs").headers["location"]
    github_clock.advance(seconds=59)
    assert httpx.get(location).status_code == 200
    github_clock.advance(seconds=1)
    assert httpx.get(location).status_code == 403
    fresh = http.get(f"{REPO_PATH}/actions/jobs/5550/logs").headers["location"]
    stand_in.blobs.expire_links()
    assert httpx.get(fresh).status_code == 403
    assert httpx.get(f"{stand_in.blob_url}/logs/5550").status_code == 403


@pytest.mark.usefixtures("story")
def test_download_needs_a_token(stand_in: StandIn) -> None:
    assert httpx.get(f"{stand_in.api_url}{REPO_PATH}/actions/jobs/5550/logs").status_code == 403


def test_job_that_is_not_finished_has_no_log(
    http: httpx.Client, story: State, github_clock: ManualClock
) -> None:
    at = github_clock.now()
    story.add_job(REPO, 1001, 1, 5551, "late", None, started_at=at, completed_at=None)
    answer = http.get(f"{REPO_PATH}/actions/jobs/5551/logs")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/xml")


def test_log_that_vanished_after_the_redirect_is_missing_at_the_store(
    http: httpx.Client, story: State
) -> None:
    location = http.get(f"{REPO_PATH}/actions/jobs/5550/logs").headers["location"]
    next(iter(story.jobs.values())).log = None
    assert httpx.get(location).status_code == 404


@pytest.mark.usefixtures("story")
def test_read_with_its_etag_is_not_modified(http: httpx.Client) -> None:
    first = http.get(REPO_PATH)
    again = http.get(REPO_PATH, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.usefixtures("story")
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/repos/acme/none", 404),
        ("GET", "/repos/acme/gefen/actions/runs/1", 404),
        ("GET", "/repos/acme/gefen/actions/runs/x", 404),
        ("GET", "/repos/acme/gefen/actions/runs/1001/attempts/2", 404),
        ("GET", "/repos/acme/gefen/actions/jobs/1/logs", 404),
        ("GET", "/repos/acme/gefen/actions/artifacts/1/zip", 404),
        ("GET", "/repos/acme/gefen/pulls/1", 404),
        ("GET", "/repos/acme/gefen/issues/1/comments", 404),
        ("PATCH", "/repos/acme/gefen/issues/87", 404),
        ("PATCH", "/repos/acme/gefen/issues/comments/1", 404),
        ("GET", "/repos/acme/gefen/commits/none", 404),
        ("GET", "/repos/acme/gefen/commits/" + "e" * 40, 422),
        ("GET", "/repos/acme/gefen/compare/main", 404),
        ("GET", "/repos/acme/gefen/compare/main...none", 404),
        ("GET", "/repositories/7/commits/main", 404),
    ],
)
def test_what_is_not_there_is_said_so(
    http: httpx.Client, method: str, path: str, status: int, stand_in: StandIn
) -> None:
    answer = http.request(method, path, json={} if method == "PATCH" else None)
    assert answer.status_code == status
    assert answer.json()["message"]
    stand_in._api.violations.clear()  # some of these are no calls that GitHub describes, on purpose


def test_run_of_another_repository_is_not_there(http: httpx.Client, story: State) -> None:
    story.add_repository("acme/other", 43)
    assert http.get("/repos/acme/other/actions/runs/1001").status_code == 404
    assert http.get("/repos/acme/other/actions/jobs/5550/logs").status_code == 404
    assert http.get("/repos/acme/other/actions/artifacts/5001/zip").status_code == 404


def test_commits_are_found_by_branch_and_short_sha(http: httpx.Client, story: State) -> None:
    assert http.get(f"{REPO_PATH}/commits/main").json()["sha"] == MAIN
    assert http.get(f"{REPO_PATH}/commits/{HEAD[:7]}").json()["sha"] == HEAD
    story.add_commit(REPO, "f" * 40, "9" * 40, (), "Unrelated", at=story.clock.now())
    assert http.get(f"{REPO_PATH}/compare/main...{'f' * 40}").status_code == 404


@pytest.mark.parametrize(
    ("base", "head", "status"),
    [("main", "main", "identical"), ("a" * 40, "main", "ahead"), ("main", "a" * 40, "behind")],
)
@pytest.mark.usefixtures("story")
def test_comparison_has_githubs_word(http: httpx.Client, base: str, head: str, status: str) -> None:
    assert http.get(f"{REPO_PATH}/compare/{base}...{head}").json()["status"] == status


def test_fork_shows_in_no_commits_pull_requests(http: httpx.Client, story: State) -> None:
    fork = "c" * 40
    story.add_commit(REPO, fork, "9" * 40, (MAIN,), "From afar", "eve", at=story.clock.now())
    story.add_pull(REPO, 90, "patch-1", fork, "main", "Hi", "eve", at=story.clock.now(), from_fork=True)
    assert http.get(f"{REPO_PATH}/commits/{fork}/pulls").json() == []
    (found,) = http.get(f"{REPO_PATH}/pulls", params={"head": "eve:patch-1", "state": "all"}).json()
    assert found["head"]["repo"]["full_name"] == "eve/gefen"
    assert found["head"]["repo"]["fork"]


def test_pull_request_is_pushed_to_and_closed(http: httpx.Client, story: State) -> None:
    story.push_to_pull(REPO, 87, MAIN)
    story.close_pull(REPO, 87)
    shown = http.get(f"{REPO_PATH}/pulls/87").json()
    assert (shown["state"], shown["head"]["sha"], shown["merged_at"]) == ("closed", MAIN, None)
    assert http.get(f"{REPO_PATH}/pulls").json() == []


def test_last_page_has_no_next(http: httpx.Client, story: State, github_clock: ManualClock) -> None:
    at = github_clock.now()
    for number in range(4):
        story.add_artifact(REPO, 1001, f"more-{number}", {}, created_at=at)
    path = f"{REPO_PATH}/actions/runs/1001/artifacts"
    first = http.get(path, params={"per_page": 2})
    assert first.json()["total_count"] == 5
    third = http.get(first.links["last"]["url"])
    assert [one["name"] for one in third.json()["artifacts"]] == ["more-3"]
    assert "next" not in third.links
    assert [one["name"] for one in http.get(path, params={"name": "junit"}).json()["artifacts"]] == ["junit"]


def test_people_talk_and_close_issues(http: httpx.Client, story: State, stand_in: StandIn) -> None:
    at = story.clock.now()
    number = http.post(f"{REPO_PATH}/issues", json={"title": "red"}).json()["number"]
    comment = story.add_comment(REPO, number, "I see", author="ann", at=at)
    shown = http.get(f"{REPO_PATH}/issues", params={"state": "open"}).json()
    assert [(one["number"], "pull_request" in one, one["comments"]) for one in shown] == [
        (88, False, 1),
        (87, True, 0),
    ]
    story.close_issue(REPO, number, author="ann", at=at + timedelta(minutes=1))
    story.delete_comment(REPO, comment.id, author="ann", at=at)
    closed = http.get(f"{REPO_PATH}/issues", params={"state": "closed"}).json()
    assert [(one["number"], one["state_reason"]) for one in closed] == [(88, "completed")]
    assert http.get(f"{REPO_PATH}/issues/{number}/comments").json() == []
    assert [write.ours for write in stand_in.writes] == [True, False, False, False]


@pytest.mark.usefixtures("story")
def test_reopened_issue_gets_its_usual_reason(http: httpx.Client) -> None:
    number = http.post(f"{REPO_PATH}/issues", json={"title": "red", "labels": ["ci"]}).json()["number"]
    path = f"{REPO_PATH}/issues/{number}"
    assert http.patch(path, json={"state": "closed"}).json()["state_reason"] == "completed"
    opened = http.patch(path, json={"state": "open"}).json()
    assert (opened["state_reason"], opened["closed_at"]) == ("reopened", None)


def test_without_a_description_nothing_is_checked(github_clock: ManualClock) -> None:
    with StandIn.start(clock=github_clock) as unchecked:
        assert httpx.get(f"{unchecked.api_url}/nothing").status_code == 404
        assert unchecked.violations == []


def test_description_finds_what_github_would_not_take(
    github_clock: ManualClock, openapi: Path | None
) -> None:
    if openapi is None:
        pytest.skip("GitHub's description is not at hand (FLAKE_TRIAGE_OPENAPI)")
    with StandIn.start(clock=github_clock, openapi=openapi) as checked:
        state = checked.state
        state.add_repository(REPO, 42)
        state.add_commit(REPO, HEAD, "2" * 40, at=github_clock.now())
        state.add_pull(REPO, 87, "fix", HEAD, "main", "Mend", "ann", at=github_clock.now())
        token = {"authorization": f"Bearer {state.token}"}
        httpx.get(f"{checked.api_url}/nothing")
        httpx.get(f"{checked.api_url}{REPO_PATH}/pulls?colour=red")
        httpx.post(f"{checked.api_url}{REPO_PATH}/issues/87/comments", json={"body": 7}, headers=token)
        httpx.post(f"{checked.api_url}{REPO_PATH}/issues/87/comments", content=b"{", headers=token)
        httpx.request("DELETE", f"{checked.api_url}{REPO_PATH}/issues/comments/1", content=b"{}")
        state.repository(REPO).pulls[87].title = None  # type: ignore[assignment] # a record gone wrong
        httpx.get(f"{checked.api_url}{REPO_PATH}/pulls/87")
    found = "\n".join(checked.violations)
    assert "GET /nothing: no such call" in found
    assert "GET /repos/{owner}/{repo}/pulls: unknown parameter 'colour'" in found
    assert "comments body at $.body: 7 is not of type 'string'" in found
    assert "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id} body: none is expected" in found
    assert (
        "GET /repos/{owner}/{repo}/pulls/{pull_number} 200 at $.title: None is not of type 'string'" in found
    )
