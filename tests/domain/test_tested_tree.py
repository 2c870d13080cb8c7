"""Tested trees: when two jobs ran the same code, when they did not, and when nobody can tell."""

from dataclasses import replace

import pytest
from evidence_builders import HEAD, MAIN, merged, pushed
from hypothesis import given
from hypothesis import strategies as st

from app.domain.tested_tree import UNKNOWN_TREE, TestedTree, ToldBy, TreeSource, compare_trees

PLAIN_HEAD = TestedTree(TreeSource.HEAD)


@pytest.mark.parametrize(
    ("one", "other", "same_head", "known", "how"),
    [
        (pushed(HEAD), UNKNOWN_TREE, True, None, "no record of what one of them checked out"),
        (UNKNOWN_TREE, UNKNOWN_TREE, True, None, "no record"),
        (pushed(HEAD), pushed(HEAD), True, True, "both tested the same commit bd47e80"),
        (merged(None), merged(None), False, True, "commit cafe123, known from the merge commit cafe123"),
        (pushed(HEAD), merged(), True, True, "the same tree 1a2b3c4, known from the head as pushed and"),
        (pushed(HEAD), pushed(MAIN), False, True, "the same tree 1a2b3c4"),
        (pushed(HEAD), merged("9f9f9f9"), True, False, "the trees are 1a2b3c4 and 9f9f9f9"),
        (PLAIN_HEAD, merged(None, base_in_head=True), True, True, "no base was merged that it did not hold"),
        (PLAIN_HEAD, merged(None, base_in_head=True), False, None, "one of the trees is missing"),
        (PLAIN_HEAD, merged(None, base_in_head=False), True, None, "one of the trees is missing"),
        (PLAIN_HEAD, merged(None), True, None, "one of the trees is missing"),
        (PLAIN_HEAD, PLAIN_HEAD, True, True, "the head's own tree, known from the head as pushed;"),
        (TestedTree(TreeSource.MERGE_COMMIT), PLAIN_HEAD, True, None, "the merge commit in the checkout"),
    ],
)  # fmt: skip
def test_two_jobs(
    one: TestedTree, other: TestedTree, *, same_head: bool, known: bool | None, how: str
) -> None:
    answer = compare_trees(one, other, same_head=same_head)
    assert answer.known is known
    assert how in answer.how


trees = st.one_of(
    st.just(UNKNOWN_TREE),
    st.just(PLAIN_HEAD),
    st.builds(pushed, st.sampled_from([HEAD, MAIN]), st.sampled_from(["1111111", "2222222"])),
    st.builds(merged, st.sampled_from(["1111111", None]), base_in_head=st.sampled_from([None, True, False])),
)


@pytest.mark.parametrize(
    ("told_by", "how"),
    [
        (ToldBy.CHECKOUT_STEP, "known from the head as pushed and the merge commit in the checkout step"),
        (ToldBy.EVENT, "known from the head as pushed and the merge commit of the event"),
        (ToldBy.FILE, "and the merge commit named in the history that was brought in"),
    ],
)
def test_a_tree_is_known_from_whoever_told_it(told_by: ToldBy, how: str) -> None:
    merge = replace(merged(), commit=None, told_by=told_by)
    head = replace(pushed(HEAD), told_by=told_by)
    assert how in compare_trees(merge, head, same_head=True).how


@given(one=trees, other=trees, same_head=st.booleans())
def test_it_does_not_matter_which_comes_first(*, one: TestedTree, other: TestedTree, same_head: bool) -> None:
    assert compare_trees(one, other, same_head=same_head) == compare_trees(other, one, same_head=same_head)


@given(trees)
def test_an_equal_head_alone_decides_nothing(other: TestedTree) -> None:
    assert compare_trees(UNKNOWN_TREE, other, same_head=True).known is None
