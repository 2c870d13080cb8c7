"""The known commit graph of one repository, kept in memory between questions and read on as it grows."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.domain.ids import Sha
from app.store.commits import CommitRow


class CommitIndex:
    """Parents by commit, and the commits that each pull request is known to have put on a branch."""

    def __init__(self, repo: int) -> None:
        self.repo = repo
        self.parents: dict[Sha, tuple[Sha, ...]] = {}
        self._by_pull: dict[int, set[Sha]] = {}
        self._unknown: set[Sha] = set()
        self._last = 0

    def refresh(self, session: Session) -> None:
        """Read what was stored since the last time, and again the commits whose parents were not known."""
        columns = (CommitRow.id, CommitRow.sha, CommitRow.parents, CommitRow.pull)
        new = select(*columns).where(CommitRow.repo_id == self.repo, CommitRow.id > self._last)
        again = select(*columns).where(
            CommitRow.repo_id == self.repo, CommitRow.sha.in_(sorted(self._unknown)[:5000])
        )
        for key, name, parents, pull in session.execute(again).all() if self._unknown else ():
            self._take(key, Sha(name), parents, pull)
        for key, name, parents, pull in session.execute(new.order_by(CommitRow.id)):
            self._take(key, Sha(name), parents, pull)

    def of_pull(self, pull: int) -> frozenset[Sha]:
        return frozenset(self._by_pull.get(pull, ()))

    def _take(self, key: int, sha: Sha, parents: list[str] | None, pull: int | None) -> None:
        self._last = max(self._last, key)
        if parents is None:
            self._unknown.add(sha)
        else:
            self._unknown.discard(sha)
            self.parents[sha] = tuple(Sha(parent) for parent in parents)
        if pull is not None:
            self._by_pull.setdefault(pull, set()).add(sha)
