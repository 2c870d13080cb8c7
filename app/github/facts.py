"""What the client answers, where the domain has no word of its own for it."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app.domain.ids import RepoName, Sha, TreeSha
from app.domain.run import ListedRun


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    id: int
    full_name: RepoName
    default_branch: str


@dataclass(frozen=True, slots=True)
class RunsPage:
    """One page of a repository's runs, newest first.

    With `modified` False the page is as it was when `etag` was given, costs nothing of the hourly budget,
    and says nothing more: `runs` is empty. `next` is the number of the following page, or None on the last.
    """

    runs: tuple[ListedRun, ...]
    etag: str | None
    modified: bool
    next: int | None


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """`author` is a login, or the name in the commit where GitHub knows no account; untrusted text."""

    sha: Sha
    tree: TreeSha
    parents: tuple[Sha, ...]
    subject: str
    author: str | None
    committed_at: datetime


@dataclass(frozen=True, slots=True)
class Comparison:
    """How `head` stands to `base`; `behind_by == 0` means that `base` is an ancestor of `head`.

    `own` are the commits of `head` that `base` lacks, oldest first; all of them only if `complete`.
    """

    status: str
    ahead_by: int
    behind_by: int
    merge_base: Sha
    own: tuple[Sha, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on an issue or a pull request. `author` is "ghost" once the account is deleted."""

    id: int
    author: str
    author_is_app_or_bot: bool
    body: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Issue:
    """`state` is `open` or `closed`."""

    number: int
    state: str
    title: str
    body: str
    author: str


@dataclass(frozen=True, slots=True)
class DownloadedFile:
    """Bytes on disk: `size_bytes` and `sha256` are of the file at `path`.

    `filename` is the base name that the store gave it, for display and recognition only. If `cut`, the
    middle is missing and a line in its place says how much.
    """

    path: Path
    size_bytes: int
    sha256: str
    filename: str | None
    cut: bool = False
