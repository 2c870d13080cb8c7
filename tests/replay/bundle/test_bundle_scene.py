"""A trial's facts as lanes: what matched, where the ranks part, what is left out, and nothing made up."""

from dataclasses import replace

from told_trials import (
    MAIN,
    MS,
    RANK_0,
    RANK_1,
    S,
    divergence,
    healthy_facts,
    lonely_facts,
    processes,
    reduction,
)

from app.domain.replay_words import CauseKind
from worker.replay.bundle.lane_marks import MarkKind
from worker.replay.bundle.scene import MOST_BARS, Match, scene_of
from worker.replay.facts import Process, Source, TrialFacts
from worker.replay.trial import Explained, Explanation

NOTHING = Explanation(Explained(CauseKind.NONE))


def test_matched_collectives_are_linked_and_the_lonely_one_is_not() -> None:
    scene = scene_of(lonely_facts(), Explanation(divergence()))
    assert [lane.rank for lane in scene.lanes] == [None, 0, 1]
    assert [bar.match for bar in scene.lanes[2].bars] == [Match.MATCHED] * 14 + [Match.ALONE]
    assert [link.bar.number for link in scene.links] == list(range(1, 15))
    assert {(link.upper, link.lower) for link in scene.links} == {(1, 2)}


def test_the_divergence_stands_where_the_lonely_one_was_entered() -> None:
    scene = scene_of(lonely_facts(), Explanation(divergence()))
    assert scene.divergence is not None
    assert abs(scene.divergence.at - 2.0305) < 0.001
    assert scene.divergence.words == "rank-divergence: all_reduce number 15 on WORLD"


def test_a_healthy_trial_shows_no_divergence() -> None:
    scene = scene_of(healthy_facts(), NOTHING)
    assert scene.divergence is None
    assert {bar.match for lane in scene.lanes for bar in lane.bars} == {Match.MATCHED}


def test_a_handled_exception_is_marked_only_where_it_explains() -> None:
    told = scene_of(lonely_facts(), Explanation(divergence())).lanes[1].marks
    untold = scene_of(lonely_facts(), NOTHING).lanes[1].marks
    assert [one.words for one in told if one.kind is MarkKind.EXCEPTION] == [
        "handled: ValueError: no packing fits <7>"
    ]
    assert [one for one in untold if one.kind is MarkKind.EXCEPTION] == []


def test_an_end_by_a_signal_is_a_crash_and_an_exit_is_not() -> None:
    scene = scene_of(lonely_facts(), NOTHING)
    ends = [lane.marks[-1].words for lane in scene.lanes]
    assert ends == ["exit code 1", "exit code 0", "ended by SIGABRT"]


def test_pauses_shade_their_rank_and_throttling_shades_all() -> None:
    scene = scene_of(lonely_facts(), NOTHING)
    assert [[one.kind for one in lane.shades] for lane in scene.lanes] == [
        ["throttled"],
        ["throttled"],
        ["paused", "throttled"],
    ]


def test_different_operations_of_one_number_are_told_apart_from_an_absent_rank() -> None:
    other = replace(reduction(RANK_1, 1), op="broadcast", reduce_op=None, root=0)
    facts = replace(lonely_facts(), collectives=(reduction(RANK_0, 1), other))
    scene = scene_of(facts, NOTHING)
    assert [bar.match for lane in scene.lanes for bar in lane.bars] == [Match.DIFFERENT] * 2


def test_the_last_bars_are_kept_and_the_others_counted() -> None:
    calls = tuple(reduction(RANK_0, number) for number in range(1, MOST_BARS + 31))
    lane = scene_of(replace(lonely_facts(), collectives=calls), NOTHING).lanes[1]
    assert (len(lane.bars), lane.left_out, lane.bars[-1].number) == (MOST_BARS, 30, MOST_BARS + 30)


def test_helpers_without_a_rank_are_left_out_unless_something_befell_them() -> None:
    quiet = Process(30, MAIN, ("python", "-c", "tracker"), S, observed=True)
    crashed = Process(31, MAIN, ("helper",), S)
    facts = replace(lonely_facts(), processes=(*processes(), quiet, crashed))
    facts = replace(facts, exits=(*facts.exits, replace(facts.exits[0], pid=31, code=-9)))
    scene = scene_of(facts, NOTHING)
    assert [lane.pid for lane in scene.lanes] == [MAIN, RANK_0, RANK_1, 31]
    assert "the probe did not reach it" in scene.lanes[-1].title


def test_an_open_collective_reaches_to_the_end_of_the_record() -> None:
    calls = (reduction(RANK_0, 1, t_out=None),)
    bar = scene_of(replace(lonely_facts(), collectives=calls), NOTHING).lanes[1].bars[0]
    assert (bar.is_open, bar.ends) == (True, 6.0)


def test_an_entry_of_the_flight_recorder_without_an_end_is_a_moment() -> None:
    calls = (replace(reduction(RANK_0, 1, t_out=None), source=Source.FLIGHT_RECORDER),)
    bar = scene_of(replace(lonely_facts(), collectives=calls), NOTHING).lanes[1].bars[0]
    assert (bar.is_open, bar.begins) == (False, bar.ends)


def test_times_outside_of_the_trial_are_drawn_at_its_edges() -> None:
    facts = replace(lonely_facts(), began=2 * S, ended=2 * S + MS)
    scene = scene_of(facts, Explanation(divergence()))
    assert {0 <= bar.begins <= bar.ends <= scene.seconds for lane in scene.lanes for bar in lane.bars} == {
        True
    }


def test_facts_of_nothing_make_an_empty_picture() -> None:
    scene = scene_of(TrialFacts(bare=True, began=5, ended=5, main=1), NOTHING)
    assert (scene.lanes, scene.links, scene.divergence) == ((), (), None)
