"""What is known of ranks at a moment; of the missing one only what came after its last collective."""

from collections.abc import Sequence

from worker.replay.facts import WORLD, Collective, Exit, Frame, Group, Linked, Process, Raised, Seen, Stack
from worker.replay.reading.journals import Journals
from worker.replay.watching.known import have_answered, naming
from worker.replay.watching.waits import Lonely, Moment, came_in_time

S = 1_000_000_000
SITE = Frame("plan.py", 26, "agree", in_project=True)
WAITING = Collective(101, WORLD, 2, "all_reduce", 5 * S, None, "MIN", site=SITE)
LONELY = Lonely(1, 101, WAITING, (0,))


def moment(*calls: Collective, exits: Sequence[int] = ()) -> Moment:
    return Moment(
        6 * S,
        [Process(100 + rank, 1, (), 0, rank=rank, observed=True) for rank in range(2)],
        [Group(100 + rank, WORLD, (0, 1), 1) for rank in range(2)],
        [WAITING, *calls],
        {pid: Exit(pid, 5 * S, 1, "pidfd") for pid in exits},
    )


def joined(number: int, t_in: int, t_out: int | None) -> Collective:
    return Collective(100, WORLD, number, "all_reduce", t_in, t_out, "MIN", site=SITE)


def raised(t: int, kind: str, seen: Seen = Seen.HANDLED) -> Raised:
    return Raised(t, 100, "MainThread", seen, kind, "why", t, (SITE,), Linked("OSError", "disk"))


def stack(pid: int, t: int, function: str, *, is_current: bool = True) -> Stack:
    return Stack(t, pid, "MainThread", (Frame("plan.py", 1, function, in_project=True),), is_current)


def test_exceptions_from_before_the_last_collective_are_left_out() -> None:
    before, after = raised(3 * S, "KeyError"), raised(4 * S + 1, "ValueError")
    at = moment(joined(1, 4 * S, 4 * S + 1))
    (absent,) = naming("provisional", LONELY, at, Journals(raised=(before, after))).absent
    assert absent.raised is not None
    assert (absent.raised.type, absent.raised.cause) == ("ValueError", Linked("OSError", "disk"))
    assert absent.last is not None
    assert (absent.last.number, absent.last.reduce_op) == (1, "MIN")
    assert absent.last.call_site == "plan.py:26 in agree"
    (absent,) = naming("provisional", LONELY, at, Journals(raised=(before,))).absent
    assert absent.raised is None


def test_exception_that_got_out_is_told_before_one_that_a_handler_holds() -> None:
    held, out = raised(3 * S, "KeyError"), raised(4 * S, "ValueError", Seen.UNCAUGHT)
    (absent,) = naming("provisional", LONELY, moment(), Journals(raised=(held, out))).absent
    assert absent.last is None
    assert absent.raised is not None
    assert absent.raised.type == "ValueError"


def test_last_collective_is_matched_if_the_waiting_rank_came_through_the_same() -> None:
    def is_matched(reduce_op: str, t_out: int | None) -> bool:
        own = Collective(101, WORLD, 1, "all_reduce", 4 * S, t_out, reduce_op)
        at = moment(joined(1, 4 * S, 4 * S + 1), own)
        return naming("provisional", LONELY, at, Journals()).absent[0].is_matched

    assert is_matched("MIN", 4 * S + 1)
    assert not is_matched("MAX", 4 * S + 1)
    assert not is_matched("MIN", None)


def test_rank_that_is_in_another_collective_is_inside_it() -> None:
    (absent,) = naming("proven", LONELY, moment(joined(1, 4 * S, None)), Journals()).absent
    assert absent.is_inside


def test_rank_without_a_process_is_named_alone() -> None:
    lonely = Lonely(1, 101, WAITING, (0, 2))
    assert naming("provisional", lonely, moment(), Journals()).absent[1].last is None


def test_stacks_are_those_that_were_taken_last_while_it_waited() -> None:
    taken = (
        stack(101, 4 * S, "earlier"),
        stack(100, 5 * S + 1, "await_peer"),
        stack(101, 5 * S + 1, "agree"),
        stack(101, 5 * S + 1, "a thread", is_current=False),
        stack(101, 5 * S + 2, "agree_again"),
    )
    named = naming("provisional", LONELY, moment(), Journals(stacks=taken))
    assert [one.function for one in named.stack] == ["agree_again"]
    assert [one.function for one in named.absent[0].stack] == ["await_peer"]
    assert naming("provisional", LONELY, moment(), Journals(stacks=taken[:1])).stack == ()


def test_only_the_living_are_waited_for() -> None:
    own, of_peer = stack(101, 6 * S, "agree"), stack(100, 6 * S, "await_peer")
    asked_at = 5 * S + S // 2
    assert not have_answered(asked_at, LONELY, moment(), Journals(stacks=(own,)))
    assert have_answered(asked_at, LONELY, moment(), Journals(stacks=(own, of_peer)))
    assert have_answered(asked_at, LONELY, moment(exits=[100]), Journals(stacks=(own,)))


def test_rank_comes_in_time_if_it_enters_before_the_wait_ends() -> None:
    ended = Collective(101, WORLD, 2, "all_reduce", 5 * S, 20 * S, error=9)
    assert came_in_time(ended, (0,), moment(joined(2, 19 * S, None)))
    assert not came_in_time(ended, (0,), moment(joined(2, 21 * S, None)))
    assert not came_in_time(ended, (0,), moment(joined(1, 4 * S, None)))
    received = Collective(101, WORLD, 2, "recv", 5 * S, 20 * S, error=9, peer=0)
    assert not came_in_time(received, (0,), moment(joined(2, 19 * S, None)))
