"""The GitHub client: each call of the API that we make, in our words. Synchronous; safe to share by threads.

Every method may raise Rejected, Unavailable (later), Gone (404, 410) or Conflict (409); see `status.py`.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import httpx
from pydantic import JsonValue

from app.clock import Clock
from app.domain.annotation import Annotation
from app.domain.artifact import ArtifactRef
from app.domain.errors import Gone, Rejected
from app.domain.ids import ArtifactId, JobId, RepoName, RunId, Sha
from app.domain.repo_name import is_repo_name
from app.domain.run import Job, PullRequest, WorkflowRun
from app.github import payloads as wire
from app.github import translate
from app.github.credentials import Credentials, Identity
from app.github.downloads import Downloads
from app.github.facts import (
    Comment,
    CommitFacts,
    Comparison,
    DownloadedFile,
    Issue,
    RepositoryFacts,
    RunsPage,
)
from app.github.limits import RateBudget
from app.github.paging import PER_PAGE, next_page, pages
from app.github.transport import RAW, Request, Transport, unchecked

OWN_COMMITS = 250
"""How many commits of a comparison are read; GitHub itself shows no more on one page."""


def open_http(*, timeout_s: float) -> httpx.Client:
    """The connection pool for a `GitHub`: explicit timeouts, no redirects followed unseen."""
    logging.getLogger("httpx").setLevel(logging.WARNING)  # at INFO it logs addresses, signed ones too
    return httpx.Client(timeout=httpx.Timeout(timeout_s), follow_redirects=False)


class GitHub:
    def __init__(
        self,
        http: httpx.Client,
        credentials: Credentials,
        *,
        api_url: str,
        allow_private_downloads: bool,
        clock: Clock,
        before_write: Callable[[], None] = unchecked,
    ) -> None:
        """`before_write` is called right before anything but a GET is sent, and may raise to prevent it."""
        self._transport = Transport(
            http, credentials, api_url=api_url, clock=clock, before_write=before_write
        )
        self._downloads = Downloads(self._transport, allow_private=allow_private_downloads)

    def run_attempt(self, repo: RepoName, run_id: RunId, attempt: int) -> WorkflowRun:
        request = _read(
            f"attempt {attempt} of run {run_id} of {repo}",
            repo,
            f"actions/runs/{run_id:d}/attempts/{attempt:d}",
        )
        return translate.to_run(self._transport.ask(request).as_(wire.RunPayload))

    def runs_page(self, repo: RepoName, *, etag: str | None = None, page: int = 1) -> RunsPage:
        """One page of runs, newest first, the latest attempt of each, 100 at most; with the `etag` of an
        earlier answer to the same question, only what changed.
        """
        params: dict[str, str | int] = {"per_page": PER_PAGE, "page": page}
        request = Request(
            subject=f"runs of {repo}", repo=repo, path=_under(repo, "actions/runs"), params=params, etag=etag
        )
        answer = self._transport.ask(request)
        if not answer.is_modified:
            return RunsPage((), etag, modified=False, next=None)
        runs = answer.as_(wire.RunsPayload).workflow_runs
        return RunsPage(
            runs=tuple(map(translate.to_listed_run, runs)),
            etag=answer.headers.get("etag"),
            modified=True,
            next=next_page(answer.headers.get("link")),
        )

    def jobs(self, repo: RepoName, run_id: RunId, attempt: int) -> tuple[Job, ...]:
        """Jobs of one attempt; after a partial re-run, those not repeated may be among them or not."""
        request = _read(
            f"jobs of run {run_id} of {repo}", repo, f"actions/runs/{run_id:d}/attempts/{attempt:d}/jobs"
        )
        return tuple(
            translate.to_job(job, attempt=attempt)
            for page in pages(self._transport, request)
            for job in page.as_(wire.JobsPayload).jobs
        )

    def artifacts(self, repo: RepoName, run_id: RunId) -> tuple[ArtifactRef, ...]:
        """Artifacts of all attempts, expired ones too; the list can be late by minutes."""
        request = _read(f"artifacts of run {run_id} of {repo}", repo, f"actions/runs/{run_id:d}/artifacts")
        return tuple(
            translate.to_artifact(artifact)
            for page in pages(self._transport, request)
            for artifact in page.as_(wire.ArtifactsPayload).artifacts
        )

    def download_artifact(
        self, repo: RepoName, artifact_id: ArtifactId, into: Path, *, limit_bytes: int
    ) -> DownloadedFile:
        """Write the stored bytes, a zip or one raw file, to the file `into`.

        Raises Gone once it has expired, and Rejected over the limit; `sha256` is what `digest` promises.
        """
        request = _read(f"artifact {artifact_id} of {repo}", repo, f"actions/artifacts/{artifact_id:d}/zip")
        return self._downloads.whole(request, into, limit_bytes=limit_bytes)

    def download_job_log(
        self, repo: RepoName, job_id: JobId, into: Path, *, limit_bytes: int
    ) -> DownloadedFile:
        """Write a job's log to the file `into`; of one over the limit, both ends.

        Raises Gone for a job that is not finished, never ran, or is older than the retention: the job
        object tells these apart.
        """
        request = _read(f"log of job {job_id} of {repo}", repo, f"actions/jobs/{job_id:d}/logs")
        return self._downloads.head_and_tail(request, into, limit_bytes=limit_bytes)

    def annotations(self, repo: RepoName, job_id: JobId) -> tuple[Annotation, ...]:
        """What is noted at a job's check run, 100 at most; two requests.

        Raises Rejected or Gone where our token may not read checks (optional, `permissions.OPTIONAL`).
        """
        subject = f"annotations of job {job_id} of {repo}"
        job = self._transport.ask(_read(subject, repo, f"actions/jobs/{job_id:d}"))
        check_run = translate.to_check_run(job.as_(wire.CheckedJobPayload))
        params = {"per_page": str(PER_PAGE)}
        answer = self._transport.ask(_read(subject, repo, f"check-runs/{check_run:d}/annotations", params))
        return tuple(map(translate.to_annotation, answer.as_(wire.AnnotationsPayload).root))

    def repository(self, repo: RepoName) -> RepositoryFacts:
        answer = self._transport.ask(_read(f"repository {repo}", repo, ""))
        return translate.to_repository(answer.as_(wire.RepositoryPayload))

    def commit(self, repo: RepoName, ref: str) -> CommitFacts:
        """`ref` is a SHA, a branch or a tag."""
        request = _read(f"commit {ref} of {repo}", repo, f"commits/{_quoted(ref)}")
        return translate.to_commit(self._transport.ask(request).as_(wire.CommitPayload))

    def content(self, repo: RepoName, path: str, ref: str, *, limit_bytes: int) -> bytes:
        """A file as it is at a commit, a branch or a tag: one request, and one more over 1 MB.

        Raises Gone where there is no such file, Rejected over the limit or for what is no path at all.
        """
        subject = f"{path[:200]} at {ref[:40]} of {repo}"
        parts = path.split("/")
        if not {"", ".", ".."}.isdisjoint(parts):
            raise Rejected(subject, "that is no path in a repository")
        place, params = f"contents/{'/'.join(map(_quoted, parts))}", {"ref": ref}
        payload = self._transport.ask(_read(subject, repo, place, params)).as_(wire.ContentPayload)
        if payload.size > limit_bytes:
            raise Rejected(subject, f"it has {payload.size} bytes, more than {limit_bytes}")
        content = translate.to_content(subject, payload)
        if content is None:
            content = self._transport.ask(replace(_read(subject, repo, place, params), accept=RAW)).body
        if len(content) > limit_bytes:
            raise Rejected(subject, f"it has more than {limit_bytes} bytes")
        return content

    def compare(self, repo: RepoName, base: str, head: str) -> Comparison:
        """One request, and one more for each further 100 commits, up to 250."""
        request = _read(
            f"comparison {base}...{head} of {repo}", repo, f"compare/{_quoted(base)}...{_quoted(head)}"
        )
        own: list[Sha] = []
        for page in pages(self._transport, request):
            payload = page.as_(wire.ComparisonPayload)
            own += [Sha(commit.sha) for commit in payload.commits]
            if len(own) >= OWN_COMMITS or not payload.commits:
                break
        return Comparison(
            status=payload.status,
            ahead_by=payload.ahead_by,
            behind_by=payload.behind_by,
            merge_base=Sha(payload.merge_base_commit.sha),
            own=tuple(own[:OWN_COMMITS]),
            complete=len(own[:OWN_COMMITS]) == payload.total_commits,
        )

    def pull(self, repo: RepoName, number: int) -> PullRequest:
        request = _read(f"pull request {number} of {repo}", repo, f"pulls/{number:d}")
        return translate.to_pull(self._transport.ask(request).as_(wire.PullPayload))

    def pulls_with_head(self, repo: RepoName, owner: str, branch: str) -> tuple[PullRequest, ...]:
        """Open and closed ones from that branch: the reliable way for forks; the caller matches the SHA."""
        params = {"state": "all", "head": f"{owner}:{branch}"}
        return self._pulls(_read(f"pull requests from {owner}:{branch} to {repo}", repo, "pulls", params))

    def pulls_of_commit(self, repo: RepoName, sha: Sha) -> tuple[PullRequest, ...]:
        """On the default branch the merged one only; nothing for heads in forks."""
        subject = f"pull requests of commit {sha} of {repo}"
        return self._pulls(_read(subject, repo, f"commits/{_quoted(sha)}/pulls"))

    def pull_commits(self, repo: RepoName, number: int) -> tuple[CommitFacts, ...]:
        """The pull request's own commits up to today's head, oldest first; GitHub lists at most 250."""
        request = _read(f"commits of pull request {number} of {repo}", repo, f"pulls/{number:d}/commits")
        return tuple(
            translate.to_commit(commit)
            for page in pages(self._transport, request)
            for commit in page.as_(wire.CommitsPayload).root
        )

    def _pulls(self, request: Request) -> tuple[PullRequest, ...]:
        return tuple(
            translate.to_pull(pull)
            for page in pages(self._transport, request)
            for pull in page.as_(wire.PullsPayload).root
        )

    def whoami(self) -> str | None:
        """The login our writes appear under; None without a token, and for one that has no user.

        An App's slug changes when it is renamed, and so does the author of what it wrote.
        """
        try:
            match self._transport.identity:
                case Identity.NOBODY:
                    return None
                case Identity.USER:
                    request = Request(subject="our own account", repo=None, path="/user")
                    return self._transport.ask(request).as_(wire.UserPayload).login
                case Identity.APP:
                    request = Request(subject="our own App", repo=None, path="/app")
                    return f"{self._transport.ask(request).as_(wire.OwnAppPayload).slug}[bot]"
        except (Gone, Rejected):
            return None

    def budget(self, repo: RepoName | None = None) -> RateBudget | None:
        """What is left of the hour, as last seen of whoever pays for `repo`; None before the first answer.

        Without a repository, that of the payer who has the smallest share left.
        """
        return self._transport.budget(repo)

    def comments(self, repo: RepoName, number: int) -> Iterator[Comment]:
        """Comments of an issue or a pull request, oldest first."""
        request = _read(f"comments of {repo}#{number}", repo, f"issues/{number:d}/comments")
        for page in pages(self._transport, request):
            yield from map(translate.to_comment, page.as_(wire.CommentsPayload).root)

    def comment(self, repo: RepoName, comment_id: int) -> Comment:
        """Raises Gone where somebody deleted it."""
        request = _read(f"comment {comment_id} of {repo}", repo, f"issues/comments/{comment_id:d}")
        return translate.to_comment(self._transport.ask(request).as_(wire.CommentPayload))

    def create_comment(self, repo: RepoName, number: int, body: str) -> Comment:
        """Not safe to repeat: look for our marker first. At most 65,536 characters."""
        request = _write(
            "POST", f"comment on {repo}#{number}", repo, f"issues/{number:d}/comments", body=body
        )
        return translate.to_comment(self._transport.ask(request).as_(wire.CommentPayload))

    def edit_comment(self, repo: RepoName, comment_id: int, body: str) -> Comment:
        """Raises Gone where somebody deleted it."""
        request = _write(
            "PATCH", f"comment {comment_id} of {repo}", repo, f"issues/comments/{comment_id:d}", body=body
        )
        return translate.to_comment(self._transport.ask(request).as_(wire.CommentPayload))

    def delete_comment(self, repo: RepoName, comment_id: int) -> None:
        self._transport.ask(
            _write("DELETE", f"comment {comment_id} of {repo}", repo, f"issues/comments/{comment_id:d}")
        )

    def issues(self, repo: RepoName, *, state: str, labels: tuple[str, ...] = ()) -> Iterator[Issue]:
        """Newest first, without pull requests; `state` is open, closed or all; an issue bears all labels."""
        params = {"state": state} | ({"labels": ",".join(labels)} if labels else {})
        for page in pages(self._transport, _read(f"issues of {repo}", repo, "issues", params)):
            for issue in page.as_(wire.IssuesPayload).root:
                if issue.pull_request is None:
                    yield translate.to_issue(issue)

    def create_issue(self, repo: RepoName, *, title: str, body: str, labels: tuple[str, ...] = ()) -> Issue:
        """Not safe to repeat: look for our marker first. Raises Gone where issues are switched off."""
        request = _write(
            "POST", f"issue of {repo}", repo, "issues", title=title, body=body, labels=list(labels)
        )
        return translate.to_issue(self._transport.ask(request).as_(wire.IssuePayload))

    def edit_issue(
        self,
        repo: RepoName,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        state: str | None = None,
        state_reason: str | None = None,
    ) -> Issue:
        """Change what is not None; `state_reason` is completed, not_planned or reopened."""
        changes = {"title": title, "body": body, "state": state, "state_reason": state_reason}
        wanted = {name: value for name, value in changes.items() if value is not None}
        request = _write("PATCH", f"issue {repo}#{number}", repo, f"issues/{number:d}", **wanted)
        return translate.to_issue(self._transport.ask(request).as_(wire.IssuePayload))


def _read(subject: str, repo: RepoName, path: str, params: Mapping[str, str] | None = None) -> Request:
    return Request(subject=subject, repo=repo, path=_under(repo, path), params=params)


def _write(method: str, subject: str, repo: RepoName, path: str, **body: JsonValue) -> Request:
    return Request(subject=subject, repo=repo, path=_under(repo, path), method=method, body=body or None)


def _under(repo: RepoName, path: str) -> str:
    """Names come from webhooks: one that is no name must not become another path."""
    if not is_repo_name(repo):
        raise Rejected("repository", f"{repo[:80]!r} is not a repository's name")
    return f"/repos/{repo}/{path}".rstrip("/")


def _quoted(ref: str) -> str:
    return quote(ref, safe="")
