"""The commit graph of a repository: ancestors, merge bases, and what one commit has that another lacks."""

from dataclasses import dataclass, field
from datetime import datetime
from graphlib import TopologicalSorter

from app.domain.ids import Sha, TreeSha


@dataclass(frozen=True, slots=True)
class Commit:
    sha: Sha
    tree: TreeSha
    parents: tuple[Sha, ...]
    message: str
    author: str
    at: datetime


@dataclass(slots=True)
class History:
    """Commits by SHA. A parent that was never added ends the history there, as in a shallow clone."""

    commits: dict[Sha, Commit] = field(default_factory=dict)

    def ancestors(self, sha: Sha) -> set[Sha]:
        """`sha` itself among them."""
        seen: set[Sha] = set()
        waiting = [sha]
        while waiting:
            commit = self.commits.get(waiting.pop())
            if commit is not None and commit.sha not in seen:
                seen.add(commit.sha)
                waiting += commit.parents
        return seen

    def merge_base(self, one: Sha, other: Sha) -> Sha | None:
        """A common ancestor that is no ancestor of another one; the youngest where there are several."""
        common = self.ancestors(one) & self.ancestors(other)
        older = {
            ancestor
            for sha in common
            for parent in self.commits[sha].parents
            for ancestor in self.ancestors(parent)
        }
        return max(common - older, key=lambda sha: (self.commits[sha].at, sha), default=None)

    def own(self, base: Sha, head: Sha) -> list[Sha]:
        """Commits of `head` that `base` lacks, parents before children."""
        lacking = self.ancestors(head) - self.ancestors(base)
        order = TopologicalSorter[Sha]()
        for sha in sorted(lacking, key=lambda sha: (self.commits[sha].at, sha)):
            order.add(sha, *(parent for parent in self.commits[sha].parents if parent in lacking))
        return list(order.static_order())
