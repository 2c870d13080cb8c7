"""The client against the stand-in: our words for GitHub's, and nothing said that is not so."""

from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest
from fixtures_github import BASE, HEAD, MAIN, REPO, ManualClock
from pydantic import SecretStr

from app.domain.annotation import Annotation
from app.domain.errors import Conflict, CredentialsRefused, Gone, Rejected, Unavailable
from app.domain.ids import JobId, RepoName, RunId, Sha
from app.domain.run import Conclusion, PullHint
from app.github.client import GitHub, open_http
from app.github.credentials import Credentials, NoToken, PlainToken
from app.standin.faults import (
    BAD_CREDENTIALS,
    BAD_GATEWAY,
    LOST_ANSWER,
    NO_PERMISSION,
    RESET,
    SECONDARY_LIMIT,
    Fault,
    answer,
    slow,
    too_many_requests,
)
from app.standin.server import StandIn
from app.standin.state import State

RUN = RunId(1001)


@pytest.mark.usefixtures("story")
def test_attempt_is_told_in_our_words(github: GitHub, github_clock: ManualClock) -> None:
    run = github.run_attempt(REPO, RUN, 1)
    assert (run.id, run.repo, run.attempt, run.event, run.head_sha) == (RUN, REPO, 1, "pull_request", HEAD)
    assert (run.workflow, run.head_branch, run.actor, run.from_fork) == ("tests", "fix/it", "ann", False)
    assert run.conclusion is Conclusion.FAILURE
    assert (run.started_at, run.completed_at) == (
        github_clock.now(),
        github_clock.now() + timedelta(minutes=5),
    )
    assert run.pulls == (PullHint(87, HEAD, "main"),)
    assert run.url == "https://github.com/acme/gefen/actions/runs/1001"


def test_each_attempt_keeps_its_own_end(github: GitHub, story: State, github_clock: ManualClock) -> None:
    later = github_clock.now() + timedelta(hours=1)
    story.add_attempt(REPO, 1001, at=later)
    story.complete_run(1001, 2, "success", at=later + timedelta(minutes=1))
    first, second, latest = (
        github.run_attempt(REPO, RUN, 1),
        github.run_attempt(REPO, RUN, 2),
        github.run_attempt(REPO, RUN, 2),
    )
    assert (first.conclusion, second.conclusion) == (Conclusion.FAILURE, Conclusion.SUCCESS)
    assert second.started_at == later
    assert latest == second


def test_unfinished_run_has_no_conclusion(github: GitHub, story: State, github_clock: ManualClock) -> None:
    story.add_run(REPO, 1002, event="push", head_sha=MAIN, head_branch="main", at=github_clock.now())
    assert github.run_attempt(REPO, RunId(1002), 1).conclusion is None


def test_pull_requests_of_other_repositories_are_dropped(
    github: GitHub, story: State, github_clock: ManualClock
) -> None:
    at = github_clock.now()
    story.add_run(
        REPO,
        1002,
        event="pull_request",
        head_sha=HEAD,
        head_branch="fix/it",
        at=at,
        pulls=(87,),
        foreign_pulls=(5,),
    )
    assert [hint.number for hint in github.run_attempt(REPO, RunId(1002), 1).pulls] == [87]


@pytest.mark.parametrize("is_deleted", [False, True])
def test_run_of_a_fork_is_one_even_when_the_fork_is_gone(
    github: GitHub, story: State, github_clock: ManualClock, *, is_deleted: bool
) -> None:
    story.add_run(
        REPO,
        1002,
        event="pull_request",
        head_sha=HEAD,
        head_branch="patch-1",
        at=github_clock.now(),
        pulls=(87,),
        actor="eve",
        from_fork=True,
        fork_deleted=is_deleted,
    )
    run = github.run_attempt(REPO, RunId(1002), 1)
    assert run.from_fork
    assert run.pulls == ()


@pytest.mark.usefixtures("story")
def test_job_names_its_runner_and_its_failed_step(github: GitHub) -> None:
    (job,) = github.jobs(REPO, RUN, 1)
    assert (job.id, job.run_id, job.attempt, job.name) == (5550, RUN, 1, "test (3.12)")
    assert job.conclusion is Conclusion.FAILURE
    assert (job.runner, job.labels, job.failed_step) == ("GitHub Actions 1", ("ubuntu-latest",), "Run pytest")


def test_expired_artifact_stays_listed(github: GitHub, story: State, github_clock: ManualClock) -> None:
    story.add_artifact(REPO, 1001, "old", {}, created_at=github_clock.now(), expired=True)
    assert [(one.name, one.expired) for one in github.artifacts(REPO, RUN)] == [
        ("junit", False),
        ("old", True),
    ]


def test_runs_are_listed_newest_first(github: GitHub, story: State, github_clock: ManualClock) -> None:
    later = github_clock.now() + timedelta(hours=1)
    story.add_run(REPO, 1002, event="push", head_sha=MAIN, head_branch="main", at=later)
    assert [run.id for run in github.runs_page(REPO).runs] == [1002, 1001]


@pytest.mark.usefixtures("story")
def test_commit_has_its_tree_and_parents(github: GitHub) -> None:
    commit = github.commit(REPO, "fix/it")
    assert (commit.sha, commit.tree, commit.parents) == (HEAD, "2" * 40, (BASE,))
    assert (commit.subject, commit.author) == ("Mend it", "ann")


@pytest.mark.usefixtures("story")
def test_unknown_commit_is_gone(github: GitHub) -> None:
    with pytest.raises(Gone):
        github.commit(REPO, "e" * 40)


@pytest.mark.usefixtures("story")
def test_comparison_says_what_the_head_has_of_its_own(github: GitHub) -> None:
    found = github.compare(REPO, "main", HEAD)
    assert (found.status, found.ahead_by, found.behind_by) == ("diverged", 1, 1)
    assert (found.merge_base, found.own, found.complete) == (BASE, (HEAD,), True)
    assert github.compare(REPO, BASE, HEAD).behind_by == 0


def test_long_comparison_stops_at_250_and_says_so(
    github: GitHub, story: State, github_clock: ManualClock
) -> None:
    parent: str = HEAD
    for number in range(260):
        sha = f"{number:040d}"
        story.add_commit(REPO, sha, "4" * 40, (parent,), at=github_clock.now() + timedelta(seconds=number))
        parent = sha
    found = github.compare(REPO, BASE, parent)
    assert found.ahead_by == 261
    assert len(found.own) == 250
    assert found.own[:2] == (HEAD, "0" * 40)
    assert not found.complete


@pytest.mark.usefixtures("story")
def test_pull_requests_are_found_by_number_head_and_commit(github: GitHub) -> None:
    pull = github.pull(REPO, 87)
    assert (pull.title, pull.author, pull.head_sha, pull.head_branch) == ("Mend it", "ann", HEAD, "fix/it")
    assert (pull.base_branch, pull.is_open, pull.merged_at) == ("main", True, None)
    assert github.pulls_with_head(REPO, "acme", "fix/it") == (pull,)
    assert github.pulls_with_head(REPO, "eve", "fix/it") == ()
    assert github.pulls_of_commit(REPO, HEAD) == (pull,)
    assert [commit.sha for commit in github.pull_commits(REPO, 87)] == [HEAD]


def test_merged_pull_request_keeps_its_commits(
    github: GitHub, story: State, github_clock: ManualClock
) -> None:
    merge, at = Sha("e" * 40), github_clock.now()
    story.add_commit(REPO, merge, "5" * 40, (MAIN, HEAD), "Merge", at=at)
    story.merge_pull(REPO, 87, merge, at=at)
    pull = github.pull(REPO, 87)
    assert (pull.is_open, pull.merged_at) == (False, at)
    assert github.pulls_of_commit(REPO, merge) == (pull,)
    assert github.pulls_of_commit(REPO, HEAD) == (pull,)
    assert github.pulls_of_commit(REPO, MAIN) == ()
    assert [commit.sha for commit in github.pull_commits(REPO, 87)] == [HEAD]


@pytest.mark.usefixtures("story")
def test_repository_names_its_default_branch(github: GitHub) -> None:
    facts = github.repository(REPO)
    assert (facts.id, facts.full_name, facts.default_branch) == (42, REPO, "main")


def test_renamed_repository_is_followed_with_our_token(github: GitHub, story: State) -> None:
    story.rename_repository(REPO, "acme/new")
    assert github.run_attempt(REPO, RUN, 1).repo == "acme/new"
    assert github.create_comment(REPO, 87, "hello").author == "flake-triage[bot]"
    assert github.whoami() == "flake-triage[bot]"


def test_comment_is_written_edited_and_deleted(github: GitHub, story: State, stand_in: StandIn) -> None:
    story.add_comment(REPO, 87, "Please look", author="ann", at=story.clock.now())
    ours = github.create_comment(REPO, 87, "first")
    assert github.edit_comment(REPO, ours.id, "second").body == "second"
    told = [(one.author, one.author_is_app_or_bot, one.body) for one in github.comments(REPO, 87)]
    assert told == [("ann", False, "Please look"), ("flake-triage[bot]", True, "second")]
    github.delete_comment(REPO, ours.id)
    with pytest.raises(Gone):
        github.edit_comment(REPO, ours.id, "third")
    assert stand_in.duplicate_effects == 0


@pytest.mark.usefixtures("story")
def test_comment_too_long_is_rejected(github: GitHub) -> None:
    with pytest.raises(Rejected, match="too long"):
        github.create_comment(REPO, 87, "x" * 65_537)


@pytest.mark.usefixtures("story")
def test_issues_leave_out_pull_requests(github: GitHub) -> None:
    first = github.create_issue(REPO, title="main is red", body="why", labels=("ci",))
    second = github.create_issue(REPO, title="other", body="")
    assert [issue.number for issue in github.issues(REPO, state="open")] == [second.number, first.number]
    assert [issue.title for issue in github.issues(REPO, state="open", labels=("ci",))] == ["main is red"]


@pytest.mark.usefixtures("story")
def test_issue_is_closed_and_opened_again(github: GitHub) -> None:
    issue = github.create_issue(REPO, title="main is red", body="why")
    closed = github.edit_issue(REPO, issue.number, state="closed", state_reason="completed")
    assert (closed.state, closed.body) == ("closed", "why")
    assert list(github.issues(REPO, state="open")) == []
    assert github.edit_issue(REPO, issue.number, title="red again", body="more", state="open").state == "open"


def test_repository_without_issues_says_gone(github: GitHub, story: State) -> None:
    story.repository(REPO).has_issues = False
    with pytest.raises(Gone, match="disabled"):
        github.create_issue(REPO, title="x", body="y")


@pytest.mark.parametrize(
    ("fault", "family"),
    [
        (BAD_GATEWAY, Unavailable),
        (SECONDARY_LIMIT, Unavailable),
        (too_many_requests(9), Unavailable),
        (BAD_CREDENTIALS, CredentialsRefused),
        (NO_PERMISSION, Rejected),
        (answer(409, "Git Repository is empty."), Conflict),
        (answer(410, "Gone"), Gone),
        (Fault(200, b"<html>", {"content-type": "text/html"}), Rejected),
        (Fault(200, b'{"id": "x"}'), Rejected),
        (Fault(302, headers={"location": "https://evil.example/"}), Rejected),
        (Fault(301, headers={"location": "https://evil.example/"}), Rejected),
        (Fault(301, headers={"location": "http://[x"}), Rejected),
        (Fault(301, headers={"location": "/repos/acme/gefen"}), Rejected),
    ],
)
def test_fault_is_told_by_its_family(github: GitHub, story: State, fault: Fault, family: type) -> None:
    story.faults.inject("/repos/acme/gefen", fault, times=3)
    with pytest.raises(family):
        github.repository(REPO)
    story.faults.take("GET", "/repos/acme/gefen")


def test_wait_of_a_limit_is_handed_on(github: GitHub, story: State) -> None:
    story.faults.inject("/repos/acme/gefen", too_many_requests(9))
    with pytest.raises(Unavailable) as caught:
        github.repository(REPO)
    assert caught.value.retry_after_s == 9


def test_read_survives_two_broken_connections(github: GitHub, story: State, stand_in: StandIn) -> None:
    story.faults.inject("/repos/acme/gefen", RESET, RESET)
    assert github.repository(REPO).id == 42
    assert len(stand_in.requests) == 3


def test_read_gives_up_at_the_third(github: GitHub, story: State) -> None:
    story.faults.inject("/repos/acme/gefen", RESET, times=3)
    with pytest.raises(Unavailable, match=r"no answer from 127\.0\.0\.1 \("):
        github.repository(REPO)


@pytest.mark.parametrize("fault", [RESET, LOST_ANSWER])
def test_write_is_never_repeated_blindly(
    github: GitHub, story: State, stand_in: StandIn, fault: Fault
) -> None:
    story.faults.inject("*/comments", fault)
    with pytest.raises(Unavailable):
        github.create_comment(REPO, 87, "once")
    assert stand_in.requests == ["POST /repos/acme/gefen/issues/87/comments"]
    assert len(stand_in.writes) == (0 if fault is RESET else 1)


def test_moved_write_by_301_is_not_followed(github: GitHub, story: State, stand_in: StandIn) -> None:
    story.faults.inject(
        "*/comments", Fault(301, headers={"location": "/repos/acme/gefen/issues/87/comments"})
    )
    with pytest.raises(Rejected, match="not followed"):
        github.create_comment(REPO, 87, "once")
    assert stand_in.writes == []


@pytest.fixture
def connect(stand_in: StandIn, github_clock: ManualClock) -> Callable[[httpx.Client, Credentials], GitHub]:
    def build(http: httpx.Client, credentials: Credentials) -> GitHub:
        return GitHub(
            http,
            credentials,
            api_url=stand_in.api_url + "/",
            allow_private_downloads=True,
            clock=github_clock,
        )

    return build


def test_slow_answer_is_not_waited_for(
    connect: Callable[[httpx.Client, Credentials], GitHub], story: State
) -> None:
    story.faults.inject("*", slow(0.5), times=3)
    with open_http(timeout_s=0.1) as http, pytest.raises(Unavailable, match="ReadTimeout"):
        connect(http, NoToken()).repository(REPO)


@pytest.mark.usefixtures("story")
def test_wrong_token_is_rejected_and_never_named(
    connect: Callable[[httpx.Client, Credentials], GitHub],
) -> None:
    with open_http(timeout_s=5) as http:
        client = connect(http, PlainToken(SecretStr("ghs_123.very-secret")))
        with pytest.raises(CredentialsRefused, match="Bad credentials") as caught:
            client.repository(REPO)
        with pytest.raises(CredentialsRefused):
            client.whoami()
    assert "secret" not in repr(caught.value)
    assert "secret" not in repr(PlainToken(SecretStr("ghs_123.very-secret")).__dict__)


@pytest.mark.usefixtures("story")
def test_without_a_token_we_read_and_are_nobody(
    connect: Callable[[httpx.Client, Credentials], GitHub], stand_in: StandIn
) -> None:
    with open_http(timeout_s=5) as http:
        client = connect(http, NoToken())
        assert client.whoami() is None
        assert client.repository(REPO).id == 42
        with pytest.raises(Rejected, match="Requires authentication"):
            client.create_comment(REPO, 87, "x")
    assert "GET /user" not in stand_in.requests


@pytest.mark.parametrize("name", ["acme", "acme/..", "../x", "a/b/c", "a b/c", "acme/gefen?x=1", "", "a/b\n"])
def test_what_is_no_repository_name_is_never_asked_for(github: GitHub, stand_in: StandIn, name: str) -> None:
    with pytest.raises(Rejected, match="not a repository"):
        github.repository(RepoName(name))
    assert stand_in.requests == []


@pytest.mark.usefixtures("story")
def test_hostile_ref_stays_one_path_segment(github: GitHub, stand_in: StandIn) -> None:
    with pytest.raises(Gone):
        github.commit(REPO, "../../../user?x=#é")
    assert stand_in.requests == ["GET /repos/acme/gefen/commits/..%2F..%2F..%2Fuser%3Fx%3D%23%C3%A9"]


def test_api_under_a_path_is_asked_there(github_clock: ManualClock) -> None:
    seen: list[httpx.Request] = []

    def enterprise(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"id": 1, "full_name": "a/b", "default_branch": "main"})

    with httpx.Client(transport=httpx.MockTransport(enterprise)) as http:
        client = GitHub(
            http,
            PlainToken(SecretStr("t")),
            api_url="https://ghes.example/api/v3/",
            allow_private_downloads=False,
            clock=github_clock,
        )
        client.repository(RepoName("a/b"))
    (request,) = seen
    assert str(request.url) == "https://ghes.example/api/v3/repos/a/b"
    assert request.headers["x-github-api-version"] == "2022-11-28"
    assert request.headers["accept"] == "application/vnd.github+json"
    assert request.headers["user-agent"] == "flake-triage"
    assert request.headers["authorization"] == "Bearer t"


def test_answer_without_end_is_cut_off(github_clock: ManualClock) -> None:
    def flood(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=(b" " * 1024 * 1024 for _ in range(64)))

    with httpx.Client(transport=httpx.MockTransport(flood)) as http:
        client = GitHub(
            http,
            NoToken(),
            api_url="https://api.github.com",
            allow_private_downloads=False,
            clock=github_clock,
        )
        with pytest.raises(Rejected, match="larger than"):
            client.repository(RepoName("a/b"))


@pytest.mark.usefixtures("story")
def test_plain_token_that_is_refused_is_not_tried_twice(github: GitHub, stand_in: StandIn) -> None:
    stand_in.state.faults.inject("*", BAD_CREDENTIALS, times=5)
    with pytest.raises(CredentialsRefused):
        github.repository(REPO)
    with pytest.raises(CredentialsRefused):
        github.create_comment(REPO, 87, "x")
    assert len(stand_in.requests) == 2


def test_page_of_runs_is_asked_again_for_nothing_while_it_is_the_same(
    github: GitHub, story: State, github_clock: ManualClock
) -> None:
    first = github.runs_page(REPO)
    (run,) = first.runs
    assert (run.id, run.attempt, run.is_completed, run.created_at) == (RUN, 1, True, github_clock.now())
    assert (first.modified, first.next) == (True, None)
    again = github.runs_page(REPO, etag=first.etag)
    assert (again.runs, again.etag, again.modified) == ((), first.etag, False)
    story.add_attempt(REPO, 1001, at=github_clock.now() + timedelta(hours=1))
    changed = github.runs_page(REPO, etag=first.etag)
    assert [(run.attempt, run.is_completed) for run in changed.runs] == [(2, False)]
    assert changed.etag != first.etag


def test_pages_of_runs_lead_from_one_to_the_next(
    github: GitHub, story: State, github_clock: ManualClock
) -> None:
    for number in range(100):
        at = github_clock.now() + timedelta(minutes=number)
        story.add_run(REPO, 2000 + number, event="push", head_sha=MAIN, head_branch="main", at=at)
    first = github.runs_page(REPO)
    assert (len(first.runs), first.runs[0].id, first.next) == (100, 2099, 2)
    last = github.runs_page(REPO, page=2)
    assert ([run.id for run in last.runs], last.next) == ([RUN], None)


def test_run_whose_conclusion_has_no_word_of_ours_is_listed_all_the_same(
    github: GitHub, story: State
) -> None:
    story.complete_run(1001, 1, "melted", at=story.clock.now())
    assert [run.id for run in github.runs_page(REPO).runs] == [RUN]


@pytest.mark.usefixtures("story")
def test_not_modified_that_nobody_asked_for_is_no_page(github: GitHub, stand_in: StandIn) -> None:
    stand_in.state.faults.inject("*/actions/runs", Fault(304))
    with pytest.raises(Rejected):
        github.runs_page(REPO)


def test_annotations_of_a_job_are_those_of_its_check_run(github: GitHub, story: State) -> None:
    job = github.jobs(REPO, RUN, 1)[0].id
    assert github.annotations(REPO, job) == ()
    story.annotate(job, "The hosted runner lost communication with the server.")
    story.annotate(job, "Node.js 16 is deprecated", level="warning")
    assert github.annotations(REPO, job) == (
        Annotation("failure", "", "The hosted runner lost communication with the server."),
        Annotation("warning", "", "Node.js 16 is deprecated"),
    )
    with pytest.raises(Gone):
        github.annotations(REPO, JobId(99))
