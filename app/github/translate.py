"""GitHub's words into ours: the only module that knows both."""

import base64
from datetime import datetime

from app.domain.annotation import Annotation
from app.domain.artifact import ArtifactRef
from app.domain.errors import Gone, Rejected
from app.domain.ids import ArtifactId, JobId, RepoName, RunId, Sha, TreeSha
from app.domain.run import Conclusion, Job, ListedRun, PullHint, PullRequest, WorkflowRun
from app.github import payloads as wire
from app.github.facts import Comment, CommitFacts, Issue, RepositoryFacts

MOST_DIGITS = 20
"""Of an id; GitHub's have 11."""

GHOST = "ghost"
"""GitHub's stand-in for a deleted account."""


def to_run(payload: wire.RunPayload) -> WorkflowRun:
    """One attempt. `repo` is the name GitHub uses today, also where we asked under an older one."""
    head, repository = payload.head_repository, payload.repository
    return WorkflowRun(
        id=RunId(payload.id),
        repo=RepoName(repository.full_name),
        attempt=payload.run_attempt,
        workflow_id=payload.workflow_id,
        workflow=_workflow(payload),
        event=payload.event,
        head_sha=Sha(payload.head_sha),
        head_branch=payload.head_branch,
        conclusion=_conclusion(f"run {payload.id}", payload.conclusion),
        started_at=payload.run_started_at or payload.created_at,
        completed_at=payload.updated_at,
        actor=payload.actor.login if payload.actor else None,
        from_fork=head is None or head.id != repository.id,
        pulls=tuple(
            PullHint(hint.number, Sha(hint.head.sha), hint.base.ref)
            for hint in payload.pull_requests or ()
            if hint.base.repo.id == repository.id
        ),
        url=payload.html_url,
        head_owner=head.full_name.partition("/")[0] if head else None,
    )


def to_listed_run(payload: wire.RunPayload) -> ListedRun:
    """Takes any conclusion: one odd run must not hide the list's others."""
    return ListedRun(
        id=RunId(payload.id),
        repo=RepoName(payload.repository.full_name),
        attempt=payload.run_attempt,
        workflow=_workflow(payload),
        event=payload.event,
        head_sha=Sha(payload.head_sha),
        head_branch=payload.head_branch,
        is_completed=payload.status == "completed",
        created_at=payload.created_at,
        started_at=payload.run_started_at or payload.created_at,
        updated_at=payload.updated_at,
    )


def _workflow(payload: wire.RunPayload) -> str:
    """A run that could not start is named by its file, with or without the ref it was taken from."""
    return payload.name or payload.path.partition("@")[0]


def to_job(payload: wire.JobPayload, *, attempt: int) -> Job:
    """`attempt` is the one we asked for; the job's own word, where it gives one, goes first."""
    failed = (step.name for step in payload.steps or () if step.conclusion in {"failure", "timed_out"})
    return Job(
        id=JobId(payload.id),
        run_id=RunId(payload.run_id),
        attempt=payload.run_attempt or attempt,
        name=payload.name,
        conclusion=_conclusion(f"job {payload.id}", payload.conclusion),
        started_at=payload.started_at,
        completed_at=payload.completed_at,
        runner=payload.runner_name or None,
        labels=payload.labels,
        failed_step=next(failed, None),
        url=payload.html_url or "",
    )


def to_check_run(payload: wire.CheckedJobPayload) -> int:
    """The id at the end of its address: a check run's, and not promised to be the job's."""
    last = payload.check_run_url.rpartition("/")[2]
    if not (last.isascii() and last.isdigit() and len(last) <= MOST_DIGITS):
        raise Rejected("a job's check run", "its address ends in no number")
    return int(last)


def to_annotation(payload: wire.AnnotationPayload) -> Annotation:
    return Annotation(payload.annotation_level or "", payload.title or "", payload.message or "")


def to_artifact(payload: wire.ArtifactPayload) -> ArtifactRef:
    if payload.created_at is None:
        raise Rejected(f"artifact {payload.id}", "it has no time of creation")
    return ArtifactRef(
        id=ArtifactId(payload.id),
        name=payload.name,
        size_bytes=payload.size_in_bytes,
        digest=payload.digest,
        expired=payload.expired,
        created_at=payload.created_at,
    )


def to_commit(payload: wire.CommitPayload) -> CommitFacts:
    git = payload.commit
    login = payload.author.login if payload.author else None
    return CommitFacts(
        sha=Sha(payload.sha),
        tree=TreeSha(git.tree.sha),
        parents=tuple(Sha(parent.sha) for parent in payload.parents),
        subject=git.message.partition("\n")[0].strip(),
        author=login or (git.author.name if git.author else None),
        committed_at=_committed_at(payload),
    )


def _committed_at(payload: wire.CommitPayload) -> datetime:
    for who in (payload.commit.committer, payload.commit.author):
        if who is not None and who.date is not None:
            return who.date
    raise Rejected(f"commit {payload.sha[:7]}", "it has no date")


def to_pull(payload: wire.PullPayload) -> PullRequest:
    return PullRequest(
        number=payload.number,
        title=payload.title,
        author=payload.user.login if payload.user else None,
        head_sha=Sha(payload.head.sha),
        head_branch=payload.head.ref,
        base_branch=payload.base.ref,
        is_open=payload.state == "open",
        merged_at=payload.merged_at,
    )


def to_content(subject: str, payload: wire.ContentPayload) -> bytes | None:
    """A file's bytes; None where it is too large for this answer. Raises Gone where it is no file."""
    if payload.type != "file":
        raise Gone(subject, f"it is a {payload.type[:40]}")
    if payload.encoding != "base64":
        return None
    try:
        return base64.b64decode(payload.content or "")
    except ValueError:
        raise Rejected(subject, "its content is not base64") from None


def to_repository(payload: wire.RepositoryPayload) -> RepositoryFacts:
    return RepositoryFacts(payload.id, RepoName(payload.full_name), payload.default_branch)


def to_comment(payload: wire.CommentPayload) -> Comment:
    is_bot = payload.user is not None and payload.user.type == "Bot"
    return Comment(
        id=payload.id,
        author=payload.user.login if payload.user else GHOST,
        author_is_app_or_bot=is_bot or payload.performed_via_github_app is not None,
        body=payload.body or "",
        created_at=payload.created_at,
    )


def to_issue(payload: wire.IssuePayload) -> Issue:
    return Issue(
        number=payload.number,
        state=payload.state,
        title=payload.title,
        body=payload.body or "",
        author=payload.user.login if payload.user else GHOST,
    )


def _conclusion(subject: str, word: str | None) -> Conclusion | None:
    """A conclusion we have no word for is refused: read as green or as red, it would be a guess."""
    if word is None:
        return None
    try:
        return Conclusion(word)
    except ValueError:
        raise Rejected(subject, f"unknown conclusion {word[:40]!r}") from None
