"""The known commit graph of one repository, kept in memory between questions and read on as it grows."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.domain.commit_graph import ancestors
from app.domain.ids import Sha
from app.store.commits import CommitRow

REMEMBERED_HISTORIES = 16
"""Sets of ancestors that are kept: each may name every commit of a repository."""
READ_AGAIN = 5000


class CommitIndex:
    """Parents by commit, and the commits that each pull request is known to have put on a branch."""

    def __init__(self, repo: int) -> None:
        self.repo = repo
        self.parents: dict[Sha, tuple[Sha, ...]] = {}
        self.branches: dict[Sha, str] = {}
        """The branch that a commit was made on, where it is known."""
        self._children: dict[Sha, list[Sha]] = {}
        self._at: dict[Sha, datetime] = {}
        self._by_pull: dict[int, set[Sha]] = {}
        self._unknown: set[Sha] = set()
        self._last = 0
        self._histories: dict[Sha, frozenset[Sha]] = {}
        self._ends: set[Sha] = set()
        """Commits of those histories whose own parents were not known."""

    def refresh(self, session: Session) -> None:
        """Read what was stored since the last time, and again the commits whose parents were not known."""
        columns = (
            CommitRow.id,
            CommitRow.sha,
            CommitRow.parents,
            CommitRow.branch,
            CommitRow.pull,
            CommitRow.committed_at,
        )
        ours = select(*columns).where(CommitRow.repo_id == self.repo)
        again = ours.where(CommitRow.sha.in_(sorted(self._unknown)[:READ_AGAIN]))
        new = ours.where(CommitRow.id > self._last).order_by(CommitRow.id)
        for row in session.execute(again).all() if self._unknown else ():
            self._take(*row)
        for row in session.execute(new):
            self._take(*row)

    def of_pull(self, pull: int) -> frozenset[Sha]:
        return frozenset(self._by_pull.get(pull, ()))

    def ancestors(self, sha: Sha) -> frozenset[Sha]:
        """The commit and all that it descends from, as far as parents are known."""
        found = self._histories.get(sha)
        if found is None:
            found = ancestors(self.parents, sha, known=self._histories)
            while len(self._histories) >= REMEMBERED_HISTORIES:
                del self._histories[next(iter(self._histories))]
            self._histories[sha] = found
            self._ends.update(one for one in found if one not in self.parents)
        return found

    def landed(self, own: Iterable[Sha], head: Sha, *, by: datetime) -> Sha | None:
        """A commit outside a pull request's branch that carried its change by then, if one is known.

        It may be a merge or a squash of it, or a branch that was begun on top of it.
        """
        change = frozenset(own)
        squashed = change - self.ancestors(head)
        carriers = (sha for sha in (*squashed, *self._outside(change)) if self._is_by(sha, by))
        return min(carriers, default=None)

    def _outside(self, change: frozenset[Sha]) -> Iterator[Sha]:
        return (child for sha in change for child in self._children.get(sha, ()) if child not in change)

    def _is_by(self, sha: Sha, moment: datetime) -> bool:
        at = self._at.get(sha)
        return at is None or at <= moment

    def _take(
        self,
        key: int,
        name: str,
        parents: list[str] | None,
        branch: str | None,
        pull: int | None,
        at: datetime | None,
    ) -> None:
        sha = Sha(name)
        self._last = max(self._last, key)
        if branch is not None:
            self.branches[sha] = branch
        if at is not None:
            self._at[sha] = at
        if pull is not None:
            self._by_pull.setdefault(pull, set()).add(sha)
        if parents is None:
            self._unknown.add(sha)
            return
        self._unknown.discard(sha)
        self.parents[sha] = tuple(Sha(parent) for parent in parents)
        for parent in self.parents[sha]:
            self._children.setdefault(parent, []).append(sha)
        if sha in self._ends:
            self._histories.clear()
            self._ends.clear()
