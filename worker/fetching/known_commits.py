"""A commit as GitHub told it, as the store keeps it."""

from app.github.facts import CommitFacts as ToldCommit
from app.store.commits import CommitFacts


def known_commit(told: ToldCommit, *, pull: int | None = None) -> CommitFacts:
    return CommitFacts(
        sha=told.sha,
        tree=told.tree,
        parents=told.parents,
        subject=told.subject,
        author=told.author,
        pull=pull,
        committed_at=told.committed_at,
    )
