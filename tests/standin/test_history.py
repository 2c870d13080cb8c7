"""The commit graph that comparisons are computed from."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import Sha, TreeSha
from app.standin.history import Commit, History

START = datetime(2026, 11, 30, tzinfo=UTC)


def _history(parents: list[tuple[int, ...]]) -> History:
    """Commit `n` has the parents at `n`, which are older."""
    history = History()
    for number, older in enumerate(parents):
        at = START + timedelta(minutes=number)
        commit = Commit(_sha(number), TreeSha("0"), tuple(map(_sha, older)), "", "ann", at)
        history.commits[commit.sha] = commit
    return history


def _sha(number: int) -> Sha:
    return Sha(f"{number:040d}")


def test_branch_and_main_meet_where_they_parted() -> None:
    history = _history([(), (0,), (0,), (1,), (2,)])
    assert history.merge_base(_sha(3), _sha(4)) == _sha(0)
    assert history.own(_sha(3), _sha(4)) == [_sha(2), _sha(4)]


def test_merge_of_main_into_the_branch_moves_the_meeting_point() -> None:
    history = _history([(), (0,), (0,), (2, 1), (1,)])
    assert history.merge_base(_sha(3), _sha(4)) == _sha(1)
    assert history.own(_sha(4), _sha(3)) == [_sha(2), _sha(3)]


def test_histories_without_a_common_commit_do_not_meet() -> None:
    assert _history([(), ()]).merge_base(_sha(0), _sha(1)) is None


def test_parent_that_was_never_added_ends_the_history() -> None:
    history = _history([(99,), (0,)])
    assert history.ancestors(_sha(1)) == {_sha(0), _sha(1)}
    assert history.ancestors(_sha(99)) == set()


@st.composite
def graphs(draw: st.DrawFn) -> list[tuple[int, ...]]:
    size = draw(st.integers(1, 9))
    return [
        tuple(sorted(draw(st.sets(st.integers(0, number - 1), max_size=2)))) if number else ()
        for number in range(size)
    ]


@given(graphs(), st.data())
def test_own_commits_and_meeting_point_agree(graph: list[tuple[int, ...]], data: st.DataObject) -> None:
    history = _history(graph)
    one, other = (_sha(data.draw(st.integers(0, len(graph) - 1))) for _ in range(2))
    own = history.own(one, other)
    assert set(own) == history.ancestors(other) - history.ancestors(one)
    for position, sha in enumerate(own):
        assert not set(history.commits[sha].parents) & set(own[position:])
    meeting = history.merge_base(one, other)
    common = history.ancestors(one) & history.ancestors(other)
    assert (meeting in common) if common else meeting is None
    assert (meeting == one) == (one in history.ancestors(other))
