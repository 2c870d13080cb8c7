"""How commits stand to a change: answered from the store, and what it cannot answer is asked of GitHub."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from app.domain.commit_graph import (
    ChangeSet,
    Related,
    change_set,
    fork_point,
    newest_first,
    relate,
    relate_by_missing,
)
from app.domain.errors import Gone
from app.domain.evidence import Observation, Relation
from app.domain.ids import RepoName, Sha
from app.domain.run import TESTS_A_MERGE, PullRequest
from app.domain.tested_tree import TreeSource
from app.domain.wording import short
from app.store import changes, commits, repos
from app.store.commit_index import CommitIndex
from app.store.session import unit_of_work
from worker.deps import Deps

Question = tuple[Sha, Sha]
"""`compare(base, head)`, not yet known."""

Name = tuple[str, str]
"""A commit's author and subject, by which a copy of it is known."""


class History:
    """Answers within one session; what it cannot answer it notes in `unanswered`, and says UNKNOWN."""

    def __init__(self, session: Session, index: CommitIndex) -> None:
        self._session, self.index = session, index
        self.unanswered: set[Question] = set()
        self._related: dict[tuple[object, ...], Related] = {}
        self._own: dict[Sha, frozenset[Sha]] = {}
        self._names: dict[Sha, Name | None] = {}
        index.refresh(session)

    def change_of_pull(self, head: Sha, pull: int | None, base: Sha | None) -> ChangeSet:
        """The own commits of a pull request's head; `base` is a commit known to be on its base's side."""
        stored = changes.of_head(self._session, self.index.repo, head)
        also = self.index.of_pull(pull) if pull is not None else frozenset()
        base = base or (stored.base if stored else None)
        if stored is not None and stored.complete:
            own = stored.own | also
            is_without = base is not None and not self._holds(base, own)
            return replace(stored, base=base if is_without else None, own=own)
        own = frozenset({head, *also})
        base = base or self._fork_point(head)
        if base is None or self._holds(base, own):
            return ChangeSet(head, None, own, complete=False)
        return change_set(self.index.parents, head, base, self.index.ancestors(base), also_own=also)

    def since(self, green: Sha | None, head: Sha) -> ChangeSet:
        """On a branch: the commits that came after its last green one."""
        if green is None or self._holds(green, {head}):
            return ChangeSet(head, None, frozenset({head}), complete=False)
        change = change_set(self.index.parents, head, green, self.index.ancestors(green))
        if change.complete:
            return change
        known = commits.relation(self._session, self.index.repo, green, head)
        if known is None:
            self.unanswered.add((green, head))
            return change
        return ChangeSet(head, green, change.own | set(known.own), complete=known.complete)

    def newest_first(self, change: ChangeSet) -> tuple[Sha, ...]:
        """The commits of a change, each before those that it descends from."""
        return newest_first(self.index.parents, change.head, change.own)

    def relate(self, change: ChangeSet, seen: Observation, pull: PullRequest | None) -> Related:
        """Whether what `seen` tested contains the change. Doubt is UNKNOWN, which excuses nothing.

        Found out once for all failures of a run, which were seen at the same commits.
        """
        question = (change, pull, seen.sha, seen.event, seen.branch, seen.tested, seen.at)
        if question not in self._related:
            self._related[question] = self._relate(change, seen, pull)
        return self._related[question]

    def _relate(self, change: ChangeSet, seen: Observation, pull: PullRequest | None) -> Related:
        related = self._relate_commit(change, seen.sha)
        doubt = self._doubt(change, seen, pull)
        if doubt is not None and related.relation is not Relation.WITH_CHANGE:
            return Related(Relation.UNKNOWN, doubt)
        is_merge = seen.event == TESTS_A_MERGE and seen.tested.source is not TreeSource.HEAD
        if is_merge and related.relation is Relation.WITHOUT_CHANGE:
            related = self._relate_base_side(change, seen, related)
        return _unless_merged(related, seen, pull)

    def _doubt(self, change: ChangeSet, seen: Observation, pull: PullRequest | None) -> str | None:
        """Where the change may stand in other commits than its own, so that commits prove nothing."""
        if seen.event == "merge_group":
            return f"what the merge queue put into {short(seen.sha)} is not known"
        if pull is not None and seen.branch == pull.head_branch:
            return f"{short(seen.sha)} was on {pull.head_branch}, and may be an earlier form of the change"
        copied = self._copied(change, seen.sha)
        return None if copied is None else f"{short(seen.sha)} has {short(copied)}, which may copy the change"

    def _copied(self, change: ChangeSet, other: Sha) -> Sha | None:
        """A commit of another change with the author and the subject of one of ours: a rebase or a pick."""
        theirs = self._own_of(other)
        self._look_up(change.own | theirs)
        names = {self._names[sha] for sha in change.own} - {None}
        return min((sha for sha in theirs - change.own if self._names[sha] in names), default=None)

    def _own_of(self, head: Sha) -> frozenset[Sha]:
        if head not in self._own:
            stored = changes.of_head(self._session, self.index.repo, head)
            self._own[head] = frozenset({head}) if stored is None else stored.own
        return self._own[head]

    def _look_up(self, shas: Collection[Sha]) -> None:
        new = [sha for sha in shas if sha not in self._names]
        if new:
            found = commits.by_sha(self._session, self.index.repo, new)
            self._names |= {sha: _name(found[sha]) if sha in found else None for sha in new}

    def _relate_base_side(self, change: ChangeSet, seen: Observation, by_head: Related) -> Related:
        """A head without the change may have been merged into a base that has it."""
        side = seen.tested.merge_base_parent
        if side is not None:
            merged = self._relate_commit(change, side)
            return by_head if merged.relation is Relation.WITHOUT_CHANGE else merged
        carrier = self.index.landed(change.own, change.head, by=seen.at)
        if carrier is None:
            return by_head
        how = f"what {short(seen.sha)} was merged with is not known, and {short(carrier)} has the change"
        return Related(Relation.UNKNOWN, how)

    def _relate_commit(self, change: ChangeSet, other: Sha) -> Related:
        related = relate(self.index.parents, change, self._of_base(change), other)
        if related.relation is not Relation.UNKNOWN or not change.complete:
            return related
        known = commits.relation(self._session, self.index.repo, other, change.head)
        if known is None:
            self.unanswered.add((other, change.head))
            return related
        return self._relate_by_missing(change, other, known)

    def _relate_by_missing(self, change: ChangeSet, other: Sha, known: commits.CommitRelation) -> Related:
        """A comparison with the head tells nothing of what carries the change beside it.

        That is a squash, or an earlier head that was pushed over.
        """
        beside = change.own - self.index.ancestors(change.head)
        by_head = replace(change, own=change.own - beside)
        related = relate_by_missing(by_head, other, known.own, is_all=known.complete)
        if not beside or related.relation is Relation.WITH_CHANGE:
            return related
        how = f"whether {short(other)} contains {short(min(beside))}, which has the change too, is not known"
        return Related(Relation.UNKNOWN, how)

    def _of_base(self, change: ChangeSet) -> frozenset[Sha]:
        return frozenset() if change.base is None else self.index.ancestors(change.base)

    def _holds(self, base: Sha, own: Collection[Sha]) -> bool:
        """A base that has a commit of the change, as a later one may, tells nothing of what lacks it."""
        return not self.index.ancestors(base).isdisjoint(own)

    def _fork_point(self, head: Sha) -> Sha | None:
        main = repos.default_branch(self._session, self.index.repo)
        return fork_point(self.index.parents, head, lambda sha: self.index.branches.get(sha) == main)


def _name(commit: commits.CommitFacts) -> Name | None:
    if not commit.subject or not commit.author:
        return None
    return commit.author, commit.subject


def _unless_merged(related: Related, seen: Observation, pull: PullRequest | None) -> Related:
    """A squash carries the change under another commit, so after the merge only the commits prove nothing."""
    merged_at: datetime | None = pull.merged_at if pull else None
    if merged_at is None or seen.at < merged_at or related.relation is not Relation.WITHOUT_CHANGE:
        return related
    how = f"the pull request was merged before {short(seen.sha)} was tested"
    return Related(Relation.UNKNOWN, how)


def ask_github(deps: Deps, repo: int, name: RepoName, questions: set[Question], pulls: set[int]) -> None:
    """Answer what the store could not, and store it; what GitHub no longer has stays unknown."""
    found = []
    for base, head in sorted(questions):
        try:
            found.append((base, head, deps.github.compare(name, base, head)))
        except Gone:
            continue
    read = []
    for number in sorted(pulls):
        try:
            read.append(deps.github.pull(name, number))
        except Gone:
            continue
    with unit_of_work(deps.store) as session:
        for base, head, comparison in found:
            relation = commits.CommitRelation(
                base=base,
                head=head,
                merge_base=comparison.merge_base,
                ahead_by=comparison.ahead_by,
                behind_by=comparison.behind_by,
                own=comparison.own,
                complete=comparison.complete,
            )
            commits.remember_relation(session, repo, relation)
        for pull in read:
            repos.remember_pull(session, repo, pull)
