"""Wire models of exactly the fields we read; everything else in GitHub's answers is ignored.

Field names are GitHub's. Fields that GitHub has been seen to leave out or null are optional here even
where its own description says otherwise (`head_repository` of a deleted fork, `workflow_job`).
"""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, RootModel, SecretStr

from app.domain.moment import is_plausible


def _known(moment: datetime) -> datetime:
    if not is_plausible(moment):
        raise ValueError("no moment of a run")
    return moment


def _known_or_none(moment: datetime | None) -> datetime | None:
    """A job that never started has been told with the zero of its clock, year 1."""
    return moment if moment is not None and is_plausible(moment) else None


Moment = Annotated[AwareDatetime, AfterValidator(_known)]
MaybeMoment = Annotated[AwareDatetime | None, AfterValidator(_known_or_none)]


class Wire(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class UserPayload(Wire):
    login: str
    type: str = "User"


class RepositoryIdPayload(Wire):
    id: int


class RepositoryNamePayload(Wire):
    id: int
    full_name: str


class RepositoryPayload(RepositoryNamePayload):
    default_branch: str


class SidePayload(Wire):
    """The head or the base of a pull request."""

    ref: str
    sha: str


class HintBasePayload(Wire):
    ref: str
    repo: RepositoryIdPayload


class HintPayload(Wire):
    number: int
    head: SidePayload
    base: HintBasePayload


class RunPayload(Wire):
    id: int
    run_attempt: int = Field(default=1, ge=1)
    workflow_id: int
    name: str | None = None
    path: str
    event: str
    head_sha: str
    head_branch: str | None = None
    status: str | None = None
    conclusion: str | None = None
    created_at: Moment
    run_started_at: MaybeMoment = None
    updated_at: Moment
    actor: UserPayload | None = None
    repository: RepositoryNamePayload
    head_repository: RepositoryNamePayload | None = None
    pull_requests: tuple[HintPayload, ...] | None = None
    html_url: str


class RunsPayload(Wire):
    workflow_runs: tuple[RunPayload, ...]


class StepPayload(Wire):
    name: str
    conclusion: str | None = None


class JobPayload(Wire):
    id: int
    run_id: int
    run_attempt: int | None = None
    name: str
    conclusion: str | None = None
    started_at: MaybeMoment = None
    completed_at: MaybeMoment = None
    runner_name: str | None = None
    labels: tuple[str, ...] = ()
    steps: tuple[StepPayload, ...] | None = None
    html_url: str | None = None


class CheckedJobPayload(Wire):
    """Of a job, where its check run is."""

    check_run_url: str


class AnnotationPayload(Wire):
    annotation_level: str | None = None
    title: str | None = None
    message: str | None = None


class AnnotationsPayload(RootModel[tuple[AnnotationPayload, ...]]):
    """A bare list."""


class JobsPayload(Wire):
    jobs: tuple[JobPayload, ...]


class ArtifactPayload(Wire):
    id: int
    name: str
    size_in_bytes: int
    digest: str | None = None
    expired: bool
    created_at: AwareDatetime | None = None


class ArtifactsPayload(Wire):
    artifacts: tuple[ArtifactPayload, ...]


class ShaPayload(Wire):
    sha: str


class GitUserPayload(Wire):
    name: str | None = None
    date: AwareDatetime | None = None


class GitCommitPayload(Wire):
    message: str
    tree: ShaPayload
    author: GitUserPayload | None = None
    committer: GitUserPayload | None = None


class AccountPayload(Wire):
    """The account of a commit's author: null, or an empty object, where GitHub knows none."""

    login: str | None = None


class CommitPayload(Wire):
    sha: str
    commit: GitCommitPayload
    parents: tuple[ShaPayload, ...]
    author: AccountPayload | None = None


class CommitsPayload(RootModel[tuple[CommitPayload, ...]]):
    pass


class ComparisonPayload(Wire):
    status: str
    ahead_by: int
    behind_by: int
    total_commits: int
    merge_base_commit: ShaPayload
    commits: tuple[ShaPayload, ...]


class ContentPayload(Wire):
    """What stands at a path: over 1 MB its `content` is empty, and its `encoding` is none."""

    type: str
    size: int
    encoding: str | None = None
    content: str | None = None


class PullPayload(Wire):
    number: int
    title: str
    state: str
    user: UserPayload | None = None
    head: SidePayload
    base: SidePayload
    merged_at: AwareDatetime | None = None


class PullsPayload(RootModel[tuple[PullPayload, ...]]):
    """A bare list."""


class AppPayload(Wire):
    id: int


class OwnAppPayload(Wire):
    """The App as it sees itself."""

    slug: str


class InstallationPayload(Wire):
    id: int
    account: AccountPayload | None = None
    permissions: dict[str, str] = Field(default_factory=dict)
    events: tuple[str, ...] = ()
    suspended_at: AwareDatetime | None = None
    html_url: str = ""


class InstallationTokenPayload(Wire):
    """A token has no shape to count on: 40 characters, or some 520 with dots, and who knows what next."""

    token: SecretStr
    expires_at: AwareDatetime
    permissions: dict[str, str] | None = None


class CommentPayload(Wire):
    id: int
    user: UserPayload | None = None
    performed_via_github_app: AppPayload | None = None
    body: str | None = None
    created_at: AwareDatetime


class CommentsPayload(RootModel[tuple[CommentPayload, ...]]):
    """A bare list."""


class PullMarkPayload(Wire):
    """Present on an issue that is really a pull request."""


class IssuePayload(Wire):
    number: int
    state: str
    title: str
    body: str | None = None
    user: UserPayload | None = None
    pull_request: PullMarkPayload | None = None


class IssuesPayload(RootModel[tuple[IssuePayload, ...]]):
    """A bare list."""


class ErrorPayload(Wire):
    message: str = ""
