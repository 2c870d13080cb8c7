"""Who waits where another cannot come any more: each rule with the case beside it that is no proof."""

from collections.abc import Mapping, Sequence

import pytest

from worker.replay.facts import WORLD, Collective, Exit, Group, Process, Source
from worker.replay.watching.waits import Lonely, Moment, lonely_ranks

NOBODY_ENDED: Mapping[int, Exit] = {}


def rank_process(rank: int, *, exiting_at: int | None = None) -> Process:
    return Process(100 + rank, 1, (), 0, rank=rank, observed=True, exiting_at=exiting_at)


def call(
    rank: int,
    number: int,
    op: str = "all_reduce",
    *,
    t_out: int | None = None,
    group: str = WORLD,
    peer: int | None = None,
    is_async: bool = False,
    waiting_since: int | None = None,
    source: Source = Source.WRAPPER,
) -> Collective:
    return Collective(
        100 + rank,
        group,
        number,
        op,
        10 * number,
        t_out,
        peer=peer,
        is_async=is_async,
        waiting_since=waiting_since,
        source=source,
    )


def lonely(
    calls: Sequence[Collective],
    *,
    world: int = 2,
    exits: Mapping[int, Exit] = NOBODY_ENDED,
    groups: Sequence[Group] = (),
    processes: Sequence[Process] | None = None,
) -> list[Lonely]:
    everyone = [Group(100 + rank, WORLD, tuple(range(world)), 1) for rank in range(world)]
    return lonely_ranks(
        Moment(
            1000,
            processes or [rank_process(rank) for rank in range(world)],
            [*everyone, *groups],
            calls,
            exits,
        )
    )


def test_nobody_waits_while_all_have_come() -> None:
    assert lonely([call(0, 1), call(1, 1)]) == []
    assert lonely([call(0, 1, t_out=15), call(1, 1, t_out=16)]) == []


def test_missing_rank_that_is_busy_is_no_proof() -> None:
    (one,) = lonely([call(0, 1, t_out=15), call(1, 1, t_out=15), call(1, 2)])
    assert (one.rank, one.at.number, one.missing, one.proof) == (1, 2, (0,), "")


def test_missing_rank_that_has_ended_is_proof() -> None:
    (one,) = lonely([call(1, 2)], exits={100: Exit(100, 50, -11, "pidfd")})
    assert one.proof == "rank 0 has ended with signal 11"
    (one,) = lonely([call(1, 2)], exits={100: Exit(100, 50, 0, "pidfd")})
    assert one.proof == "rank 0 has ended with exit code 0"


def test_missing_rank_whose_interpreter_exits_is_proof() -> None:
    (one,) = lonely([call(1, 2)], processes=[rank_process(0, exiting_at=60), rank_process(1)])
    assert one.proof == "rank 0 is leaving: its interpreter exits"


def test_missing_rank_that_has_destroyed_the_group_is_proof_until_it_makes_it_again() -> None:
    left = Group(100, WORLD, (0, 1), 2, destroyed_at=60)
    (one,) = lonely([call(1, 2)], groups=[left])
    assert one.proof == "rank 0 has destroyed the group WORLD"
    (one,) = lonely([call(1, 2)], groups=[left, Group(100, WORLD, (0, 1), 61)])
    assert one.proof == ""


def test_end_of_an_earlier_batch_is_no_proof() -> None:
    """The rank has come again as another process, or will: its group was made after that end."""
    (one,) = lonely([call(1, 2)], exits={100: Exit(100, 0, 0, "pidfd")})
    assert one.proof == ""


def test_rank_that_has_ended_itself_does_not_wait() -> None:
    assert lonely([call(1, 2)], exits={101: Exit(101, 50, 1, "pidfd")}) == []


def test_both_in_the_same_number_of_different_operations_is_proof() -> None:
    found = lonely([call(0, 2, "all_reduce"), call(1, 2, "broadcast")])
    assert [(one.rank, one.missing) for one in found] == [(0, (1,)), (1, (0,))]
    assert found[0].proof == "rank 0 waits in WORLD #2 all_reduce; rank 1 waits in WORLD #2 broadcast"


def test_operation_that_was_finished_differently_is_not_waited_for() -> None:
    assert lonely([call(0, 2, "all_reduce"), call(1, 2, "broadcast", t_out=30), call(1, 3)])[0].rank == 1


def test_circle_over_two_groups_is_proof_for_each_in_it() -> None:
    groups = [Group(100 + rank, "pair", (0, 1), 1) for rank in range(2)]
    found = lonely([call(0, 1, group="pair"), call(1, 1)], groups=groups)
    assert all(one.proof for one in found)
    assert len(found) == 2


def test_chain_that_ends_at_a_busy_rank_is_no_proof() -> None:
    """Rank 0 waits for 1, which waits for 2, which computes: it may come and set all free."""
    groups = [Group(100 + rank, "pair", (1, 2), 1) for rank in (1, 2)]
    found = lonely([call(0, 1), call(1, 1, group="pair")], groups=groups, world=3)
    assert {(one.rank, one.proof) for one in found} == {(0, ""), (1, "")}


def test_group_of_others_is_not_waited_for() -> None:
    groups = [Group(100 + rank, "pair", (0, 1), 1) for rank in range(2)]
    assert lonely([call(0, 1, group="pair"), call(1, 1, group="pair")], groups=groups, world=3) == []


def test_two_that_receive_from_each_other_are_proof() -> None:
    found = lonely([call(0, 1, "recv", peer=1), call(1, 1, "recv", peer=0)])
    assert [one.missing for one in found] == [(1,), (0,)]
    assert (
        found[0].proof
        == "rank 0 waits in WORLD #1 recv with rank 1; rank 1 waits in WORLD #1 recv with rank 0"
    )


def test_receive_whose_send_was_made_is_served() -> None:
    sent = [call(0, 1, "isend", peer=1, is_async=True), call(0, 2, "recv", peer=1)]
    found = lonely([*sent, call(1, 1, "recv", peer=0)])
    assert [(one.rank, one.missing) for one in found] == [(0, (1,))]


def test_asynchronous_call_waits_only_within_its_wait() -> None:
    assert lonely([call(1, 1, is_async=True)]) == []
    (one,) = lonely([call(1, 1, is_async=True, waiting_since=70)])
    assert (one.rank, one.missing) == (1, (0,))


@pytest.mark.parametrize("source", [Source.FLIGHT_RECORDER])
def test_numbers_of_the_flight_recorder_are_not_mixed_in(source: Source) -> None:
    assert lonely([call(1, 1, source=source)]) == []


def test_rank_of_a_second_world_meets_one_that_was_started_anew() -> None:
    """Each counts the worlds of its own process: `WORLD~2` of the one is `WORLD` of the other."""
    groups = [Group(100, "WORLD~2", (0, 1), 30), Group(101, WORLD, (0, 1), 30)]
    entered = [call(0, 1, group="WORLD~2"), call(1, 1)]
    assert lonely(entered, groups=groups) == []
    (one,) = lonely([call(0, 1, group="WORLD~2")], groups=groups)
    assert (one.rank, one.missing, one.proof) == (0, (1,), "")


def test_calls_of_a_world_that_is_over_do_not_count_in_the_next() -> None:
    groups = [Group(100 + rank, "WORLD~2", (0, 1), 30) for rank in (0, 1)]
    before = [call(rank, number, t_out=25) for rank in (0, 1) for number in (1, 2)]
    (one,) = lonely([*before, call(0, 1, group="WORLD~2")], groups=groups)
    assert (one.rank, one.at.group, one.missing, one.proof) == (0, "WORLD~2", (1,), "")
