"""How commits stand to a change when GitHub's comparisons are asked: what they leave open stays open."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from bench import NOON, Bench
from ingest_story import sha as name
from sqlalchemy.orm import Session

from app.domain.commit_graph import ChangeSet
from app.domain.evidence import Observation, Relation
from app.domain.ids import RepoName, Sha
from app.domain.outcome import OutcomeKind
from app.domain.run import PullRequest
from app.domain.tested_tree import UNKNOWN_TREE, TestedTree, TreeSource
from app.store import changes, commits, repos
from app.store.commit_index import CommitIndex
from app.store.commits import CommitFacts, CommitRelation
from app.store.session import unit_of_work
from worker.weighing.history import History


def sha(word: str) -> Sha:
    return Sha(name(word))


HEAD, OTHER, BASE = sha("head"), sha("other"), sha("base")
OWN = ChangeSet(HEAD, None, frozenset({HEAD}), complete=True)


@pytest.fixture
def session(bench: Bench) -> Iterator[Session]:
    with unit_of_work(bench.store) as session:
        assert repos.remember(session, RepoName("octo/lib")) == 1
        yield session


def history(session: Session, *facts: CommitFacts) -> History:
    commits.remember(session, 1, facts)
    return History(session, CommitIndex(1))


def told(session: Session, base: Sha, head: Sha, *own: Sha, complete: bool = True) -> None:
    relation = CommitRelation(base, head, BASE, len(own), 0, own, complete)
    commits.remember_relation(session, 1, relation)


def seen(commit: Sha = OTHER, *, event: str = "push", tested: TestedTree = UNKNOWN_TREE) -> Observation:
    return Observation(
        run=1,
        attempt=1,
        job_id=1,
        job="test",
        variant="test",
        event=event,
        sha=commit,
        branch=None,
        pull=None,
        outcome=OutcomeKind.FAILED,
        tested=tested,
        at=NOON,
        url="",
    )


def test_what_the_store_cannot_answer_is_a_question_and_excuses_nothing(session: Session) -> None:
    asked = history(session)
    assert asked.relate(OWN, seen(), None).relation is Relation.UNKNOWN
    assert asked.unanswered == {(OTHER, HEAD)}


def test_a_comparison_answers(session: Session) -> None:
    told(session, OTHER, HEAD, HEAD)
    assert history(session).relate(OWN, seen(), None).relation is Relation.WITHOUT_CHANGE


def test_a_comparison_with_the_head_says_nothing_of_its_squash(session: Session) -> None:
    told(session, OTHER, HEAD, HEAD)
    squashed = replace(OWN, own=OWN.own | {sha("squash")})
    related = history(session).relate(squashed, seen(), None)
    assert related.relation is Relation.UNKNOWN
    assert "has the change too" in related.how


def test_a_comparison_that_shows_the_change_needs_no_more(session: Session) -> None:
    told(session, OTHER, HEAD)
    squashed = replace(OWN, own=OWN.own | {sha("squash")})
    assert history(session).relate(squashed, seen(), None).relation is Relation.WITH_CHANGE


def test_after_the_merge_commits_alone_prove_nothing(session: Session) -> None:
    told(session, OTHER, HEAD, HEAD)
    merged = PullRequest(7, "", None, HEAD, "topic", "main", is_open=False, merged_at=NOON)
    later = replace(merged, merged_at=NOON + timedelta(minutes=1))
    asked = history(session)
    assert asked.relate(OWN, seen(), merged).relation is Relation.UNKNOWN
    assert asked.relate(OWN, seen(), later).relation is Relation.WITHOUT_CHANGE


def test_a_merge_is_without_the_change_only_if_both_its_sides_are(session: Session) -> None:
    told(session, OTHER, HEAD, HEAD)
    merge = TestedTree(TreeSource.MERGE_COMMIT, merge_base_parent=BASE)
    asked = history(session)
    assert asked.relate(OWN, seen(event="pull_request", tested=merge), None).relation is Relation.UNKNOWN
    assert asked.unanswered == {(BASE, HEAD)}
    told(session, BASE, HEAD, HEAD)
    asked = history(session)
    assert (
        asked.relate(OWN, seen(event="pull_request", tested=merge), None).relation is Relation.WITHOUT_CHANGE
    )


def test_a_pull_request_that_tests_its_head_has_no_other_side(session: Session) -> None:
    told(session, OTHER, HEAD, HEAD)
    head = TestedTree(TreeSource.HEAD, OTHER)
    asked = history(session)
    assert (
        asked.relate(OWN, seen(event="pull_request", tested=head), None).relation is Relation.WITHOUT_CHANGE
    )


def test_a_complete_change_is_taken_as_it_is_stored(session: Session) -> None:
    changes.remember(session, 1, OWN)
    asked = history(session, CommitFacts(sha("squash"), parents=(), pull=7))
    assert asked.change_of_pull(HEAD, 7, BASE) == ChangeSet(
        HEAD, BASE, frozenset({HEAD, sha("squash")}), complete=True
    )
    assert asked.change_of_pull(HEAD, 7, sha("squash")).base is None, "a base with the change is none"
    assert asked.change_of_pull(HEAD, None, None) == OWN


def test_the_commits_since_green_are_asked_for_where_the_graph_ends(session: Session) -> None:
    asked = history(session, CommitFacts(HEAD, parents=(sha("gone"),)))
    assert asked.since(None, HEAD) == ChangeSet(HEAD, None, frozenset({HEAD}), complete=False)
    assert asked.since(HEAD, HEAD).base is None
    assert not asked.since(BASE, HEAD).complete
    assert asked.unanswered == {(BASE, HEAD)}
    told(session, BASE, HEAD, HEAD, sha("gone"))
    assert asked.since(BASE, HEAD) == ChangeSet(HEAD, BASE, frozenset({HEAD, sha("gone")}), complete=True)


def test_the_commits_since_green_come_from_the_graph_where_it_is_whole(session: Session) -> None:
    asked = history(session, CommitFacts(HEAD, parents=(BASE,)), CommitFacts(BASE, parents=()))
    assert asked.since(BASE, HEAD) == ChangeSet(HEAD, BASE, frozenset({HEAD}), complete=True)
    assert asked.unanswered == set()
