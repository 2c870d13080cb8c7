"""Whether a commit contains a change. Doubt never excuses: it is UNKNOWN."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.commit_graph import (
    ChangeSet,
    Related,
    ancestors,
    change_set,
    fork_point,
    is_ancestor,
    newest_first,
    relate,
    relate_by_missing,
)
from app.domain.evidence import Relation
from app.domain.ids import Sha

Graph = dict[Sha, tuple[Sha, ...]]


def graph(text: str) -> Graph:
    """`m0 m1:m0 x:m1,a1` is a root, a commit on it, and a merge."""
    parsed = (word.partition(":") for word in text.split())
    return {Sha(name): tuple(Sha(up) for up in parents.split(",") if up) for name, _, parents in parsed}


HISTORY = graph("m0 m1:m0 m2:m1 a1:m0 a2:a1 merge:m2,a2 after:merge stacked:a2 b1:m1")


def change(parents: Graph, head: str, base: str, *also: str) -> ChangeSet:
    also_own = [Sha(one) for one in also]
    return change_set(parents, Sha(head), Sha(base), ancestors(parents, Sha(base)), also_own=also_own)


def relation(parents: Graph, own: ChangeSet, other: str) -> Related:
    of_base = frozenset[Sha]() if own.base is None else ancestors(parents, own.base)
    return relate(parents, own, of_base, Sha(other))


def test_ancestors_include_the_commit_and_use_what_is_known() -> None:
    assert ancestors(HISTORY, Sha("a2")) == {"a2", "a1", "m0"}
    assert ancestors(HISTORY, Sha("merge"), known={Sha("a2"): frozenset({Sha("told")})}) == {
        "merge",
        "m2",
        "m1",
        "m0",
        "told",
    }


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("m0", "a2", True),
        ("a2", "a2", True),
        ("a1", "m2", False),
        ("m1", "merge", True),
        ("b1", "merge", False),
    ],
)
def test_descent_is_read_from_the_graph(older: str, newer: str, expected: bool) -> None:  # noqa: FBT001 - a table's cell
    assert is_ancestor(HISTORY, Sha(older), Sha(newer)) is expected


def test_descent_is_not_known_past_an_unknown_parent() -> None:
    assert is_ancestor(graph("c:gone"), Sha("old"), Sha("c")) is None
    assert is_ancestor(graph("c:gone"), Sha("gone"), Sha("c")) is True


def test_a_change_is_what_its_head_adds_to_the_base() -> None:
    own = change(HISTORY, "a2", "m2")
    assert own == ChangeSet(Sha("a2"), Sha("m2"), frozenset({Sha("a1"), Sha("a2")}), complete=True)


def test_a_change_with_an_unknown_parent_is_not_complete() -> None:
    assert not change(graph("m0 a2:a1"), "a2", "m0").complete


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("a1", Relation.WITH_CHANGE),
        ("merge", Relation.WITH_CHANGE),
        ("after", Relation.WITH_CHANGE),
        ("stacked", Relation.WITH_CHANGE),
        ("m0", Relation.WITHOUT_CHANGE),
        ("m2", Relation.WITHOUT_CHANGE),
        ("b1", Relation.WITHOUT_CHANGE),
        ("never-seen", Relation.UNKNOWN),
    ],
)
def test_commits_with_and_without_a_change_are_told_apart(other: str, expected: Relation) -> None:
    assert relation(HISTORY, change(HISTORY, "a2", "m2"), other).relation is expected


def test_the_squash_of_a_change_carries_it() -> None:
    history = HISTORY | graph("squash:m2 later:squash")
    own = change(history, "a2", "m2", "squash")
    assert relation(history, own, "later").relation is Relation.WITH_CHANGE


def test_without_a_base_all_of_the_other_history_must_be_known() -> None:
    own = ChangeSet(Sha("a2"), None, frozenset({Sha("a1"), Sha("a2")}), complete=True)
    assert relation(HISTORY, own, "m2").relation is Relation.WITHOUT_CHANGE
    assert relation(graph("m2:m1"), own, "m2").relation is Relation.UNKNOWN


def test_an_incomplete_change_is_lacked_by_nothing_but_its_base() -> None:
    own = ChangeSet(Sha("a2"), Sha("m1"), frozenset({Sha("a2")}), complete=False)
    assert relation(HISTORY, own, "m1").relation is Relation.WITHOUT_CHANGE
    assert relation(HISTORY, own, "m2").relation is Relation.UNKNOWN


def test_a_fork_point_is_where_every_walk_reaches_the_branch() -> None:
    main = {"m0", "m1", "m2"}
    assert fork_point(HISTORY, Sha("a2"), main.__contains__) == "m0"
    assert fork_point(HISTORY, Sha("m1"), main.__contains__) == "m1"
    assert fork_point(HISTORY, Sha("merge"), main.__contains__) is None
    assert fork_point(graph("a2:a1"), Sha("a2"), main.__contains__) is None
    assert fork_point(graph("a0 b0:a0,a0"), Sha("b0"), main.__contains__) is None


OWN = ChangeSet(Sha("a2"), Sha("m0"), frozenset({Sha("a1"), Sha("a2")}), complete=True)


@pytest.mark.parametrize(
    ("other", "missing", "is_all", "expected"),
    [
        ("a1", [], True, Relation.WITH_CHANGE),
        ("x", ["a2"], True, Relation.WITH_CHANGE),
        ("x", ["a1", "a2", "m9"], True, Relation.WITHOUT_CHANGE),
        ("x", ["a1", "a2"], False, Relation.WITHOUT_CHANGE),
        ("x", ["a2"], False, Relation.UNKNOWN),
    ],
)
def test_a_comparison_tells_by_what_the_other_lacks(
    other: str,
    missing: list[str],
    is_all: bool,  # noqa: FBT001 - a table's cell
    expected: Relation,
) -> None:
    found = relate_by_missing(OWN, Sha(other), [Sha(one) for one in missing], is_all=is_all)
    assert found.relation is expected


def test_an_incomplete_change_is_never_known_to_be_lacked_by_comparison() -> None:
    own = ChangeSet(Sha("a2"), None, frozenset({Sha("a2")}), complete=False)
    assert relate_by_missing(own, Sha("x"), [Sha("a2")], is_all=True).relation is Relation.UNKNOWN


@st.composite
def histories(draw: st.DrawFn) -> Graph:
    """Any history of up to 14 commits: each has up to two earlier ones for parents."""
    names = [Sha(f"c{number:02}") for number in range(draw(st.integers(2, 14)))]
    parents: Graph = {names[0]: ()}
    for before, name in pairwise(names):
        earlier = names[: names.index(before) + 1]
        parents[name] = tuple(draw(st.lists(st.sampled_from(earlier), max_size=2, unique=True)))
    return parents


@given(histories(), st.data())
def test_where_all_is_known_the_answer_is_that_of_the_sets(parents: Graph, data: st.DataObject) -> None:
    head, base, other = (data.draw(st.sampled_from(sorted(parents))) for _ in range(3))
    of_base, of_other = ancestors(parents, base), ancestors(parents, other)
    if head in of_base:
        return
    own = change_set(parents, head, base, of_base)
    assert own.own == ancestors(parents, head) - of_base
    contains = bool(of_other & own.own)
    expected = Relation.WITH_CHANGE if contains else Relation.WITHOUT_CHANGE
    assert relate(parents, own, of_base, other).relation is expected


@given(histories(), st.data())
def test_forgetting_commits_never_turns_with_into_without(parents: Graph, data: st.DataObject) -> None:
    head, base, other = (data.draw(st.sampled_from(sorted(parents))) for _ in range(3))
    if head in ancestors(parents, base):
        return
    truth = ancestors(parents, other) & (ancestors(parents, head) - ancestors(parents, base))
    kept = data.draw(st.sets(st.sampled_from(sorted(parents))))
    known = {sha: up for sha, up in parents.items() if sha in kept}
    of_base = ancestors(known, base)
    found = relate(known, change_set(known, head, base, of_base), of_base, other)
    if truth:
        assert found.relation is not Relation.WITHOUT_CHANGE


def test_newest_first_puts_no_commit_before_one_that_descends_from_it() -> None:
    parents = graph("a1 a2:a1 b1:a1 m:a2,b1")
    ordered = newest_first(parents, Sha("m"), {Sha(name) for name in ("m", "a2", "a1", "b1", "squash")})
    assert ordered[0] == Sha("m")
    assert set(ordered[1:3]) == {Sha("a2"), Sha("b1")}
    assert ordered[3:] == (Sha("a1"), Sha("squash"))
