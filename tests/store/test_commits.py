"""Commits, changes and the graph in memory: facts only ever grow, and the graph keeps up with them."""

from datetime import datetime, timedelta

from desk import NOON, Desk

from app.domain.commit_graph import ChangeSet
from app.domain.ids import Sha, TreeSha
from app.store import changes, commits
from app.store.commit_index import REMEMBERED_HISTORIES, CommitIndex
from app.store.commits import CommitFacts, CommitRelation


def sha(word: str) -> Sha:
    return Sha(word.encode().hex().ljust(40, "0"))


def commit(word: str, *parents: str, pull: int | None = None, at: datetime | None = None) -> CommitFacts:
    up = tuple(sha(parent) for parent in parents)
    return CommitFacts(sha(word), parents=up, pull=pull, branch="main", committed_at=at)


def indexed(desk: Desk, *facts: CommitFacts) -> CommitIndex:
    commits.remember(desk.session, desk.repo, facts)
    index = CommitIndex(desk.repo)
    index.refresh(desk.session)
    return index


def test_a_fact_that_is_not_known_erases_none_that_is(desk: Desk) -> None:
    full = CommitFacts(
        sha("a"), TreeSha("t" * 40), (sha("b"),), "Mend it", "ada", branch="main", pull=7, committed_at=NOON
    )
    commits.remember(desk.session, desk.repo, [full, CommitFacts(sha("a"))])
    commits.remember(desk.session, desk.repo, [CommitFacts(sha("b")), CommitFacts(sha("c"), parents=())])
    found = commits.by_sha(desk.session, desk.repo, [sha("a"), sha("b"), sha("c"), sha("d")])
    assert found == {
        sha("a"): full,
        sha("b"): CommitFacts(sha("b")),
        sha("c"): CommitFacts(sha("c"), parents=()),
    }
    assert commits.trees(desk.session, desk.repo) == {sha("a"): "t" * 40}


def test_a_comparison_is_kept_by_both_its_ends(desk: Desk) -> None:
    told = CommitRelation(sha("a"), sha("b"), sha("m"), 1, 0, (sha("b"),), complete=True)
    assert commits.relation(desk.session, desk.repo, sha("a"), sha("b")) is None
    commits.remember_relation(desk.session, desk.repo, told)
    commits.remember_relation(desk.session, desk.repo, told)
    assert commits.relation(desk.session, desk.repo, sha("a"), sha("b")) == told
    assert commits.relation(desk.session, desk.repo, sha("b"), sha("a")) is None


def test_a_complete_change_is_never_replaced_by_an_incomplete_one(desk: Desk) -> None:
    partial = ChangeSet(sha("a"), None, frozenset({sha("a")}), complete=False)
    whole = ChangeSet(sha("a"), sha("m"), frozenset({sha("a"), sha("b")}), complete=True)
    assert changes.of_head(desk.session, desk.repo, sha("a")) is None
    for told in (partial, whole, partial):
        changes.remember(desk.session, desk.repo, told)
    assert changes.of_head(desk.session, desk.repo, sha("a")) == whole


def test_the_index_reads_on_and_learns_parents_later(desk: Desk) -> None:
    index = indexed(desk, commit("a", "b"), CommitFacts(sha("b")))
    assert index.parents == {sha("a"): (sha("b"),)}
    assert index.ancestors(sha("a")) == {sha("a"), sha("b")}
    commits.remember(desk.session, desk.repo, [commit("b", "c"), commit("c", pull=7)])
    index.refresh(desk.session)
    assert index.ancestors(sha("a")) == {sha("a"), sha("b"), sha("c")}
    assert index.of_pull(7) == {sha("c")}
    assert index.of_pull(8) == frozenset()
    assert index.branches[sha("a")] == "main"


def test_the_index_forgets_histories_but_not_the_truth(desk: Desk) -> None:
    names = [f"{number:03}" for number in range(3 * REMEMBERED_HISTORIES)]
    chain = [commit(name, *names[place - 1 : place]) for place, name in enumerate(names)]
    index = indexed(desk, *chain)
    for _ in range(2):
        for place, name in enumerate(names):
            assert len(index.ancestors(sha(name))) == place + 1


def test_what_carries_a_change_is_known_from_its_time_on(desk: Desk) -> None:
    early, late = NOON, NOON + timedelta(hours=1)
    index = indexed(
        desk,
        commit("m", at=early),
        commit("a", "m", at=early),
        commit("merge", "m", "a", at=late),
        commit("squash", "m", pull=7, at=late),
    )
    assert index.landed([sha("a")], sha("a"), by=early) is None
    assert index.landed([sha("a")], sha("a"), by=late) == sha("merge")
    assert index.landed([sha("a"), sha("squash")], sha("a"), by=late) in {sha("merge"), sha("squash")}
    assert index.landed([sha("m")], sha("m"), by=early) == sha("a")


def test_a_carrier_of_unknown_time_may_always_have_been_there(desk: Desk) -> None:
    index = indexed(desk, commit("m"), commit("a", "m"), commit("merge", "m", "a"))
    assert index.landed([sha("a")], sha("a"), by=NOON) == sha("merge")
