"""Odd wire values: nothing is guessed, nothing that may be missing breaks the rest."""

import pytest
from pydantic import ValidationError

from app.domain.errors import Rejected
from app.github import payloads as wire
from app.github import translate

RUN = {
    "id": 7,
    "workflow_id": 1,
    "name": "",
    "path": ".github/workflows/ci.yml@refs/heads/main",
    "event": "push",
    "head_sha": "a" * 40,
    "created_at": "2026-11-30T12:00:00Z",
    "updated_at": "2026-11-30T12:05:00Z",
    "repository": {"id": 1, "full_name": "a/b"},
    "html_url": "https://github.com/a/b/actions/runs/7",
}
COMMIT = {
    "sha": "a" * 40,
    "parents": [],
    "author": {},
    "commit": {
        "message": "Mend\n\nmore",
        "tree": {"sha": "b" * 40},
        "author": {"name": "Ann", "date": "2026-11-30T12:00:00Z"},
        "committer": None,
    },
}


def test_sparse_run_is_read() -> None:
    run = translate.to_run(wire.RunPayload.model_validate(RUN))
    assert run.workflow == ".github/workflows/ci.yml"
    assert (run.attempt, run.actor, run.head_branch, run.conclusion, run.pulls) == (1, None, None, None, ())
    assert run.started_at.isoformat() == "2026-11-30T12:00:00+00:00"
    assert run.from_fork


@pytest.mark.parametrize("word", ["success", "startup_failure", "action_required", "stale"])
def test_every_known_conclusion_is_kept(word: str) -> None:
    assert translate.to_run(wire.RunPayload.model_validate({**RUN, "conclusion": word})).conclusion == word


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_time_that_is_none_is_refused_or_unknown(moment: str) -> None:
    with pytest.raises(ValidationError, match="updated_at"):
        wire.RunPayload.model_validate({**RUN, "updated_at": moment})
    run = translate.to_run(wire.RunPayload.model_validate({**RUN, "run_started_at": moment}))
    assert run.started_at.isoformat() == "2026-11-30T12:00:00+00:00"


def test_unknown_conclusion_is_neither_green_nor_red() -> None:
    with pytest.raises(Rejected, match="unknown conclusion 'paused'"):
        translate.to_run(wire.RunPayload.model_validate({**RUN, "conclusion": "paused"}))


def test_job_that_never_ran_is_read() -> None:
    job = translate.to_job(
        wire.JobPayload.model_validate(
            {
                "id": 1,
                "run_id": 7,
                "name": "t",
                "conclusion": "skipped",
                "steps": None,
                "runner_name": "",
                "labels": [],
                "html_url": None,
            }
        ),
        attempt=3,
    )
    assert (job.attempt, job.runner, job.failed_step, job.started_at, job.url) == (3, None, None, None, "")


def test_jobs_own_attempt_goes_before_the_one_asked_for() -> None:
    payload = wire.JobPayload.model_validate({"id": 1, "run_id": 7, "name": "t", "run_attempt": 1})
    assert translate.to_job(payload, attempt=2).attempt == 1


def test_artifact_without_a_time_is_rejected() -> None:
    payload = wire.ArtifactPayload.model_validate(
        {"id": 1, "name": "x", "size_in_bytes": 1, "expired": False}
    )
    with pytest.raises(Rejected, match="no time"):
        translate.to_artifact(payload)


def test_commit_of_nobody_github_knows_keeps_the_name_in_it() -> None:
    commit = translate.to_commit(wire.CommitPayload.model_validate(COMMIT))
    assert (commit.author, commit.subject) == ("Ann", "Mend")
    assert commit.committed_at.isoformat() == "2026-11-30T12:00:00+00:00"


def test_commit_without_a_date_is_rejected() -> None:
    bare = {**COMMIT, "author": None, "commit": {"message": "", "tree": {"sha": "b" * 40}}}
    with pytest.raises(Rejected, match="no date"):
        translate.to_commit(wire.CommitPayload.model_validate(bare))


def test_words_of_a_deleted_account_are_a_ghosts() -> None:
    comment = {"id": 1, "user": None, "body": None, "created_at": "2026-11-30T12:00:00Z"}
    issue = {"number": 1, "state": "open", "title": "t", "user": None, "body": None}
    told = translate.to_comment(wire.CommentPayload.model_validate(comment))
    assert (told.author, told.author_is_app_or_bot, told.body) == ("ghost", False, "")
    assert translate.to_issue(wire.IssuePayload.model_validate(issue)).author == "ghost"


def test_comment_of_an_app_is_one_whoever_it_is_by() -> None:
    comment = {
        "id": 1,
        "user": {"login": "ann"},
        "performed_via_github_app": {"id": 5},
        "created_at": "2026-11-30T12:00:00Z",
    }
    assert translate.to_comment(wire.CommentPayload.model_validate(comment)).author_is_app_or_bot


def test_pull_request_of_a_deleted_account_has_no_author() -> None:
    side = {"ref": "x", "sha": "a" * 40, "repo": None}
    pull = {"number": 1, "title": "t", "state": "closed", "user": None, "head": side, "base": side}
    told = translate.to_pull(wire.PullPayload.model_validate(pull))
    assert (told.author, told.is_open, told.merged_at) == (None, False, None)


@pytest.mark.parametrize(
    "address", ["", "https://api.github.com/check-runs/", "/check-runs/x7", "/" + "9" * 21]
)
def test_a_check_run_s_address_that_ends_in_no_id_is_refused(address: str) -> None:
    with pytest.raises(Rejected, match="ends in no number"):
        translate.to_check_run(wire.CheckedJobPayload(check_run_url=address))
