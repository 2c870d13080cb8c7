"""What a rank is seen to do when the test itself calls torch.distributed: every call once, with its place."""

import pytest
from torch_worlds import World, Worlds

from worker.replay.facts import Seen


def test_every_collective_is_counted_with_operator_shape_root_and_call_site(worlds: Worlds) -> None:
    calls = worlds["plain"].calls(0)

    assert [(one.number, one.op, one.reduce_op) for one in calls] == [
        (1, "all_reduce", "SUM"),
        (2, "all_reduce", "MAX"),
        (3, "broadcast", None),
        (4, "reduce", "MIN"),
        (5, "all_gather_into_tensor", None),
        (6, "all_gather", None),
        (7, "reduce_scatter_tensor", "SUM"),
        (8, "all_to_all_single", None),
        (9, "barrier", None),
        (10, "monitored_barrier", None),
    ]
    assert calls[0].shapes == ((4,),)
    assert calls[0].dtypes == ("float32",)
    assert [one.root for one in calls[:4]] == [None, None, 1, 0]
    assert {one.group for one in calls} == {"WORLD"}
    assert all(one.t_out is not None and one.t_out > one.t_in and one.error is None for one in calls)
    site = calls[0].site
    assert site is not None
    assert (site.file, site.function, site.source) == ("worlds.py", "plain", "all_reduce(value)")


def test_both_ranks_number_alike(worlds: Worlds) -> None:
    def told(rank: int) -> list[object]:
        return [
            (one.number, one.op, one.reduce_op, one.shapes, one.site) for one in worlds["plain"].calls(rank)
        ]

    assert told(0) == told(1)


def test_an_object_collective_is_one_call_whatever_it_sends_inside(worlds: Worlds) -> None:
    world = worlds["objects"]

    assert [one.op for one in world.calls(1)] == [
        "all_gather_object",
        "gather_object",
        "broadcast_object_list",
        "scatter_object_list",
        "all_reduce",
    ]
    assert len(world.recorded(1)) > len(world.calls(1))


def test_an_asynchronous_collective_ends_with_its_wait(worlds: Worlds) -> None:
    waited, forgotten, barrier = worlds["asynchronous"].calls(0)

    assert waited.is_async
    assert waited.waiting_since is not None
    assert waited.t_out is not None
    assert waited.waiting_since - waited.t_in >= 50_000_000
    assert waited.t_in < waited.waiting_since <= waited.t_out
    assert (forgotten.is_async, forgotten.waiting_since, forgotten.t_out) == (True, None, None)
    assert not barrier.is_async


def test_point_to_point_calls_are_numbered_apart(worlds: Worlds) -> None:
    calls = worlds["peers"].calls(0)

    assert [(one.op, one.number, one.peer) for one in calls] == [
        ("send", 1, 1),
        ("recv", 1, 1),
        ("isend", 2, 1),
        ("irecv", 2, 1),
        ("batch_isend_irecv", 3, 1),
        ("all_reduce", 1, None),
    ]
    assert all(one.t_out is not None for one in calls)


def test_a_subgroup_has_one_name_on_all_its_ranks_and_roots_are_global(worlds: Worlds) -> None:
    world = worlds["subgroups"]
    name = "1:outer[0,2]"

    for rank in (0, 2):
        calls = world.calls(rank, name)
        assert [(one.number, one.op, one.root) for one in calls[3:]] == [(4, "broadcast", 2)]
        assert [one.number for one in world.calls(rank, "WORLD")] == [1]
        assert [one.group for one in world.recorded(rank) if one.op == "broadcast"] == [name]
    assert [one.op for one in world.calls(1)] == ["all_reduce"]
    known = [one for one in world.ran.journals.groups if one.pid == world.pids[0] and one.name == name]
    assert [(one.ranks, one.timeout_s, one.destroyed_at is not None) for one in known] == [
        ((0, 2), 9.0, True)
    ]


def test_four_ranks_in_two_groups_and_the_world(worlds: Worlds) -> None:
    world = worlds["four"]

    counts = [{one.group: one.number for one in world.calls(rank)} for rank in range(4)]
    assert counts == [{"1[0,2]": 5, "WORLD": 5}, {"2[1,3]": 5, "WORLD": 5}] * 2


def test_a_world_initialised_again_is_numbered_anew_under_a_name_of_its_own(worlds: Worlds) -> None:
    world = worlds["again"]

    assert [(one.group, one.number) for one in world.calls(1)] == [
        ("WORLD", 1),
        ("WORLD~2", 1),
        ("WORLD~2", 2),
    ]
    assert [(one.group, one.number) for one in world.recorded(1)] == [
        ("WORLD", 1),
        ("WORLD~2", 1),
        ("WORLD~2", 2),
    ]
    teardowns = [one.group for one in world.ran.journals.teardowns if one.pid == world.pids[1]]
    assert teardowns == ["WORLD", "WORLD~2"]


def test_a_collective_that_fails_says_with_which_exception(worlds: Worlds) -> None:
    world = worlds["raising"]
    lonely = world.calls(1)[-1]

    assert (lonely.number, lonely.t_out is not None) == (2, True)
    met = [
        one for one in world.ran.journals.raised if one.pid == world.pids[1] and one.identity == lonely.error
    ]
    first = met[0]
    assert (first.type, first.seen, first.counters) == ("RuntimeError", Seen.HANDLED, {"WORLD": 2})
    assert [one.function for one in first.frames if one.in_project] == ["work", "raising"]
    assert [one.number for one in world.calls(0)] == [1]


@pytest.mark.parametrize(("kind", "in_try"), [("plain", False), ("subgroups", True)])
def test_an_init_is_known_by_its_arguments_and_by_the_try_around_it(
    worlds: Worlds, kind: str, *, in_try: bool
) -> None:
    world = worlds[kind]

    init = next(one for one in world.ran.journals.inits if one.pid == world.pids[1])
    assert (init.group, init.backend, init.rank, init.timeout_s, init.in_try) == (
        "WORLD",
        "gloo",
        1,
        60.0,
        in_try,
    )
    assert init.world == len(world.pids)
    assert init.address is not None
    assert init.address.startswith("file://")
    assert init.t_out is not None
    process = next(one for one in world.ran.journals.processes if one.pid == world.pids[1])
    assert (process.rank, process.rank_source) == (1, "init")


def test_nothing_was_changed_lost_or_wrong_with_the_probe(worlds: Worlds) -> None:
    def ended(world: World) -> bool:
        return set(world.codes) == ({1} if world.kind == "raising" else {0})

    assert all(ended(one) for one in worlds.by_kind.values())
    assert worlds.ran.journals.troubles == ()
    assert worlds.ran.journals.torn == ()
    destroyed = [pid for one in worlds.by_kind.values() if one.kind != "raising" for pid in one.pids]
    assert not [pid for pid in destroyed if (worlds.ran.folder / f"{pid}.ask").exists()]
