"""What the stand-in remembers of repositories, pull requests, runs, attempts, jobs and artifacts."""

from dataclasses import dataclass, field
from datetime import datetime

from app.domain.ids import ArtifactId, JobId, RepoName, RunId, Sha
from app.standin.history import History


@dataclass(slots=True)
class Pull:
    """`head_owner` is the owner of the fork for a pull request from one."""

    number: int
    head_owner: str
    head_branch: str
    head_sha: Sha
    base_branch: str
    title: str
    author: str
    at: datetime
    is_open: bool = True
    merged_at: datetime | None = None
    merge_sha: Sha | None = None


@dataclass(slots=True)
class Repository:
    id: int
    name: RepoName
    default_branch: str
    history: History = field(default_factory=History)
    branches: dict[str, Sha] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    has_issues: bool = True
    files: dict[tuple[Sha, str], bytes] = field(default_factory=dict)
    """What stands at a path at a commit; a story tells the files that somebody asks for."""

    @property
    def owner(self) -> str:
        return self.name.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Workflow:
    id: int = 7001
    name: str = "tests"
    path: str = ".github/workflows/tests.yml"


@dataclass(frozen=True, slots=True)
class AnnotationRecord:
    """What a runner, or GitHub where the runner is gone, notes at a job."""

    message: str
    level: str = "failure"
    title: str = ""


@dataclass(slots=True)
class Job:
    """`log` is None where GitHub would have none (yet, or any more)."""

    id: JobId
    run_id: RunId
    attempt: int
    name: str
    conclusion: str | None
    started_at: datetime
    completed_at: datetime | None
    log: bytes | None
    runner: str
    labels: tuple[str, ...]
    failed_step: str | None
    annotations: list[AnnotationRecord] = field(default_factory=list)


@dataclass(slots=True)
class Attempt:
    number: int
    started_at: datetime
    updated_at: datetime
    status: str = "in_progress"
    conclusion: str | None = None
    jobs: list[Job] = field(default_factory=list)


@dataclass(slots=True)
class Artifact:
    """`filename` and `content` are what the blob store serves; `digest` is what the API claims of it."""

    id: ArtifactId
    run_id: RunId
    name: str
    filename: str
    content: bytes
    digest: str | None
    created_at: datetime
    expired: bool


@dataclass(slots=True)
class Run:
    """`foreign_pulls` are numbers of pull requests elsewhere that GitHub lists with the run all the same."""

    id: RunId
    repository: Repository
    number: int
    workflow: Workflow
    event: str
    head_sha: Sha
    head_branch: str | None
    actor: str
    created_at: datetime
    pulls: tuple[int, ...]
    foreign_pulls: tuple[int, ...]
    from_fork: bool
    fork_deleted: bool
    attempts: dict[int, Attempt] = field(default_factory=dict)
    artifacts: list[Artifact] = field(default_factory=list)

    @property
    def latest(self) -> Attempt:
        return self.attempts[max(self.attempts)]
