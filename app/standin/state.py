"""The stand-in's state, and the methods that tell it a story: code, pull requests, runs, jobs, artifacts.

Times are given, never read. Built from one thread while the server reads from another: a record is
complete before it is put in, and readers copy a list before they walk it.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from app.clock import Clock
from app.domain.ids import ArtifactId, JobId, RepoName, RunId, Sha, TreeSha
from app.standin.apps import AppRecord
from app.standin.archives import zip_of
from app.standin.faults import Faults
from app.standin.history import Commit
from app.standin.rates import Rates
from app.standin.records import AnnotationRecord, Artifact, Attempt, Job, Pull, Repository, Run, Workflow
from app.standin.talk import Author, CommentRecord, Talk

TOKEN = "stand-in-token"  # noqa: S105 - opens nothing but this stand-in
LOGIN = "flake-triage[bot]"
WORKFLOW = Workflow()


class State:
    """`clock` dates what arrives by the API, and the end of download links."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.token = TOKEN
        self.login = LOGIN
        self.repositories: dict[str, Repository] = {}
        self.renamed: dict[str, int] = {}
        self.runs: dict[RunId, Run] = {}
        self.jobs: dict[JobId, Job] = {}
        self.artifacts: dict[ArtifactId, Artifact] = {}
        self.talk = Talk()
        self.faults = Faults()
        self.rates = Rates()
        self.app: AppRecord | None = None
        self.ahead = timedelta()
        """By how much GitHub's clock is ahead of `clock`, for what the App signs and its tokens' ends."""

    def now(self) -> datetime:
        return self.clock.now() + self.ahead

    def add_app(
        self,
        public_key: str,
        *,
        at: datetime,
        slug: str = "flaky-friend",
        id: int = 1234567,  # noqa: A002 - GitHub's word
    ) -> AppRecord:
        """The one App that is known; `public_key` in PEM belongs to the private key it signs with."""
        self.app = AppRecord(id, f"Iv23li{id}", slug, public_key, at)
        return self.app

    def repository(self, name: str) -> Repository:
        """Raises KeyError. Names do not distinguish case."""
        return self.repositories[name.lower()]

    def add_repository(self, name: str, id: int, default_branch: str = "main") -> Repository:  # noqa: A002 - GitHub's word
        repository = Repository(id, RepoName(name), default_branch)
        self.repositories[name.lower()] = repository
        return repository

    def rename_repository(self, old: str, new: str) -> None:
        """The old name answers with a redirect from now on."""
        repository = self.repositories.pop(old.lower())
        repository.name = RepoName(new)
        self.repositories[new.lower()] = repository
        self.renamed[old.lower()] = repository.id

    def add_commit(
        self,
        repo: str,
        sha: str,
        tree: str,
        parents: tuple[str, ...] = (),
        subject: str = "",
        author: str = "octocat",
        *,
        at: datetime,
    ) -> Commit:
        known = tuple(Sha(parent) for parent in parents)
        commit = Commit(Sha(sha), TreeSha(tree), known, subject, author, at)
        self.repository(repo).history.commits[commit.sha] = commit
        return commit

    def add_file(self, repo: str, path: str, content: bytes, *shas: str) -> None:
        """The file as it stands at each of these commits."""
        self.repository(repo).files |= {(Sha(sha), path): content for sha in shas}

    def set_branch(self, repo: str, branch: str, sha: str) -> None:
        self.repository(repo).branches[branch] = Sha(sha)

    def add_pull(
        self,
        repo: str,
        number: int,
        head_branch: str,
        head_sha: str,
        base_branch: str,
        title: str,
        author: str,
        *,
        at: datetime,
        from_fork: bool = False,
    ) -> Pull:
        """A pull request from a fork comes from its author's."""
        repository = self.repository(repo)
        owner = author if from_fork else repository.owner
        pull = Pull(number, owner, head_branch, Sha(head_sha), base_branch, title, author, at)
        repository.pulls[number] = pull
        return pull

    def push_to_pull(self, repo: str, number: int, head_sha: str) -> None:
        self.repository(repo).pulls[number].head_sha = Sha(head_sha)

    def merge_pull(self, repo: str, number: int, sha: str, *, at: datetime) -> None:
        """`sha` is the merge commit, already added; the base branch moves to it."""
        repository = self.repository(repo)
        pull = repository.pulls[number]
        pull.is_open, pull.merged_at, pull.merge_sha = False, at, Sha(sha)
        repository.branches[pull.base_branch] = Sha(sha)

    def close_pull(self, repo: str, number: int) -> None:
        self.repository(repo).pulls[number].is_open = False

    def add_run(
        self,
        repo: str,
        run_id: int,
        *,
        event: str,
        head_sha: str,
        head_branch: str | None,
        at: datetime,
        workflow: Workflow = WORKFLOW,
        pulls: tuple[int, ...] = (),
        foreign_pulls: tuple[int, ...] = (),
        actor: str = "octocat",
        from_fork: bool = False,
        fork_deleted: bool = False,
    ) -> Run:
        """A run with its first attempt under way. A fork's run lists no pull request of ours."""
        run = Run(
            id=RunId(run_id),
            repository=self.repository(repo),
            number=len(self.runs) + 1,
            workflow=workflow,
            event=event,
            head_sha=Sha(head_sha),
            head_branch=head_branch,
            actor=actor,
            created_at=at,
            pulls=() if from_fork else pulls,
            foreign_pulls=foreign_pulls,
            from_fork=from_fork,
            fork_deleted=fork_deleted,
            attempts={1: Attempt(1, at, at)},
        )
        self.runs[run.id] = run
        return run

    def run(self, repo: str, run_id: int) -> Run:
        """Raises KeyError, also where the run is another repository's."""
        run = self.runs[RunId(run_id)]
        if run.repository is not self.repository(repo):
            raise KeyError(run_id)
        return run

    def add_attempt(self, repo: str, run_id: int, *, at: datetime) -> Attempt:
        """A re-run: the run keeps its id, the number rises."""
        run = self.run(repo, run_id)
        attempt = Attempt(max(run.attempts) + 1, at, at)
        run.attempts[attempt.number] = attempt
        return attempt

    def complete_run(self, run_id: int, attempt: int, conclusion: str, *, at: datetime) -> None:
        done = self.runs[RunId(run_id)].attempts[attempt]
        done.conclusion, done.updated_at, done.status = conclusion, at, "completed"

    def add_job(
        self,
        repo: str,
        run_id: int,
        attempt: int,
        job_id: int,
        name: str,
        conclusion: str | None,
        *,
        started_at: datetime,
        completed_at: datetime | None,
        log: bytes | None = None,
        runner: str = "GitHub Actions 1",
        labels: tuple[str, ...] = ("ubuntu-latest",),
        failed_step: str | None = None,
    ) -> Job:
        job = Job(
            id=JobId(job_id),
            run_id=RunId(run_id),
            attempt=attempt,
            name=name,
            conclusion=conclusion,
            started_at=started_at,
            completed_at=completed_at,
            log=log,
            runner=runner,
            labels=labels,
            failed_step=failed_step,
        )
        self.jobs[job.id] = job
        self.run(repo, run_id).attempts[attempt].jobs.append(job)
        return job

    def annotate(self, job_id: int, message: str, *, level: str = "failure") -> None:
        """A note at a job's check run, as GitHub leaves where its runner was lost."""
        self.jobs[JobId(job_id)].annotations.append(AnnotationRecord(message, level))

    def add_artifact(
        self,
        repo: str,
        run_id: int,
        name: str,
        files: Mapping[str, bytes] | None = None,
        *,
        created_at: datetime,
        expired: bool = False,
        raw: tuple[str, bytes] | None = None,
        digest: str | None = None,
    ) -> Artifact:
        """A zip of `files`, or one file stored unzipped (`raw`: its name and bytes).

        `digest` overrides the true one, to claim what is not so.
        """
        filename, content = raw or (f"{name}.zip", zip_of(files or {}))
        artifact = Artifact(
            id=ArtifactId(5001 + len(self.artifacts)),
            run_id=RunId(run_id),
            name=name,
            filename=filename,
            content=content,
            digest=digest or f"sha256:{hashlib.sha256(content).hexdigest()}",
            created_at=created_at,
            expired=expired,
        )
        self.artifacts[artifact.id] = artifact
        self.run(repo, run_id).artifacts.append(artifact)
        return artifact

    def add_comment(self, repo: str, number: int, body: str, *, author: str, at: datetime) -> CommentRecord:
        """A comment by somebody else."""
        return self.talk.add_comment(self.repository(repo), number, body, by=Author(author), at=at)

    def delete_comment(self, repo: str, comment_id: int, *, author: str, at: datetime) -> None:
        """Somebody else deletes a comment, perhaps ours."""
        comment = self.talk.comments[comment_id]
        self.talk.delete_comment(self.repository(repo), comment, by=Author(author), at=at)

    def edit_comment(self, repo: str, comment_id: int, body: str, *, author: str, at: datetime) -> None:
        """Somebody else edits a comment, perhaps ours, as whoever may write to the repository can."""
        comment = self.talk.comments[comment_id]
        self.talk.edit_comment(self.repository(repo), comment, body, by=Author(author), at=at)

    def close_issue(self, repo: str, number: int, *, author: str, at: datetime) -> None:
        """Somebody else closes an issue, perhaps ours."""
        repository = self.repository(repo)
        issue = self.talk.issues[repository.id, number]
        closed = replace(issue, state="closed", state_reason="completed")
        self.talk.edit_issue(repository, closed, by=Author(author), at=at)
