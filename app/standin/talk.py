"""Comments and issues of the stand-in, and who wrote them; every change goes into the log of writes."""

from dataclasses import dataclass, replace
from datetime import datetime

from app.standin.records import Repository
from app.standin.writes import What, Write, digest, markers


@dataclass(frozen=True, slots=True)
class CommentRecord:
    id: int
    repository_id: int
    number: int
    author: str
    body: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class IssueRecord:
    repository_id: int
    number: int
    author: str
    title: str
    body: str
    labels: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    state: str = "open"
    state_reason: str | None = None
    closed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes, and by which request; `ours` is true for the holder of the stand-in's token."""

    login: str
    ours: bool = False
    method: str = ""
    path: str = ""


class Talk:
    def __init__(self) -> None:
        self.comments: dict[int, CommentRecord] = {}
        self.issues: dict[tuple[int, int], IssueRecord] = {}
        self.writes: list[Write] = []
        self._next_comment = 9001

    def comments_on(self, repository: Repository, number: int) -> list[CommentRecord]:
        """Oldest first."""
        kept = list(self.comments.values())
        return [one for one in kept if (one.repository_id, one.number) == (repository.id, number)]

    def issues_of(self, repository: Repository) -> list[IssueRecord]:
        """Newest first."""
        mine = [issue for issue in list(self.issues.values()) if issue.repository_id == repository.id]
        return sorted(mine, key=lambda issue: issue.number, reverse=True)

    def add_comment(
        self, repository: Repository, number: int, body: str, *, by: Author, at: datetime
    ) -> CommentRecord:
        comment = CommentRecord(self._next_comment, repository.id, number, by.login, body, at, at)
        self._next_comment += 1
        self.comments[comment.id] = comment
        self._log(What.COMMENT_CREATED, repository, number, comment.id, body, by=by, at=at)
        return comment

    def edit_comment(
        self, repository: Repository, comment: CommentRecord, body: str, *, by: Author, at: datetime
    ) -> CommentRecord:
        edited = replace(comment, body=body, updated_at=at)
        self.comments[comment.id] = edited
        changes = body != comment.body
        what = What.COMMENT_EDITED
        self._log(what, repository, comment.number, comment.id, body, by=by, at=at, changes=changes)
        return edited

    def delete_comment(
        self, repository: Repository, comment: CommentRecord, *, by: Author, at: datetime
    ) -> None:
        del self.comments[comment.id]
        self._log(What.COMMENT_DELETED, repository, comment.number, comment.id, comment.body, by=by, at=at)

    def add_issue(
        self,
        repository: Repository,
        *,
        title: str,
        body: str,
        labels: tuple[str, ...],
        by: Author,
        at: datetime,
    ) -> IssueRecord:
        """Issues and pull requests of a repository share one row of numbers."""
        taken = {*repository.pulls, *(issue.number for issue in self.issues_of(repository))}
        issue = IssueRecord(repository.id, max(taken, default=0) + 1, by.login, title, body, labels, at, at)
        self.issues[repository.id, issue.number] = issue
        self._log(What.ISSUE_CREATED, repository, issue.number, issue.number, body, by=by, at=at)
        return issue

    def edit_issue(
        self, repository: Repository, wanted: IssueRecord, *, by: Author, at: datetime
    ) -> IssueRecord:
        """Put `wanted` in the place of the issue with its number."""
        issue = self.issues[repository.id, wanted.number]
        changes = wanted != issue
        closed_at = None if wanted.state == "open" else issue.closed_at or at
        edited = replace(wanted, updated_at=at, closed_at=closed_at)
        self.issues[repository.id, issue.number] = edited
        self._log(
            What.ISSUE_EDITED,
            repository,
            issue.number,
            issue.number,
            edited.body,
            by=by,
            at=at,
            changes=changes,
            is_open=edited.state == "open",
        )
        return edited

    def _log(
        self,
        what: What,
        repository: Repository,
        number: int,
        thing: int,
        body: str,
        *,
        by: Author,
        at: datetime,
        changes: bool = True,
        is_open: bool = True,
    ) -> None:
        self.writes.append(
            Write(
                what=what,
                method=by.method,
                path=by.path,
                repo=repository.name,
                number=number,
                id=thing,
                ours=by.ours,
                body_sha256=digest(body),
                markers=markers(body),
                at=at,
                changes=changes,
                is_open=is_open,
            )
        )
