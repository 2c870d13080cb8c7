"""Which calls are collectives: every rank of a group has to make them, or the others wait.

The names are those of torch.distributed of 2.x (its functions, functional collectives, checkpoints, device
meshes), and of what stands on it or beside it: accelerate, Lightning, mpi4py, Horovod.
"""

import re
from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """What a collective leaves behind: the same on every rank of the group, or each rank's own part."""

    AGREES = "agrees"
    SPREADS = "spreads"
    WAITS = "waits"


@dataclass(frozen=True, slots=True)
class Collective:
    """`name` is the word by which two calls match; `written` the place of the argument that takes the result,
    -1 where only what it returns holds it; `group` the place of the group argument, -1 where it is by name
    only.
    """

    name: str
    effect: Effect
    written: int = 0
    group: int = -1


def _all(effect: Effect, written: int, group: int, *names: str) -> dict[str, Collective]:
    return {name: Collective(name, effect, written, group) for name in names}


_TORCH = {
    **_all(Effect.WAITS, -1, 0, "barrier", "monitored_barrier"),
    **_all(Effect.AGREES, 0, 2, "all_reduce", "broadcast", "broadcast_object_list", "all_reduce_coalesced"),
    **_all(
        Effect.AGREES, 0, 2, "all_gather", "all_gather_object", "all_gather_into_tensor", "all_gather_single"
    ),
    **_all(Effect.AGREES, 0, 2, "all_gather_coalesced", "_all_gather_base"),
    **_all(
        Effect.SPREADS,
        0,
        3,
        "reduce",
        "scatter",
        "reduce_scatter",
        "reduce_scatter_tensor",
        "reduce_scatter_single",
    ),
    **_all(Effect.SPREADS, 0, 3, "scatter_object_list", "_reduce_scatter_base"),
    **_all(Effect.SPREADS, 1, 3, "gather", "gather_object"),
    **_all(Effect.SPREADS, 0, 2, "all_to_all"),
    **_all(Effect.SPREADS, 0, 4, "all_to_all_single"),
    **_all(Effect.WAITS, -1, -1, "new_group", "new_subgroups", "new_subgroups_by_enumeration", "split_group"),
    **_all(Effect.WAITS, -1, -1, "init_device_mesh"),
}
_FUNCTIONAL = {
    **_all(Effect.AGREES, -1, -1, "all_reduce", "broadcast", "all_reduce_coalesced", "all_gather"),
    **_all(Effect.AGREES, -1, -1, "all_gather_tensor", "all_gather_single", "all_gather_tensor_autograd"),
    **_all(Effect.AGREES, -1, -1, "all_gather_into_tensor_coalesced"),
    **_all(
        Effect.SPREADS, -1, -1, "reduce_scatter", "reduce_scatter_tensor", "reduce_scatter_tensor_autograd"
    ),
    **_all(Effect.SPREADS, -1, -1, "reduce_scatter_single", "reduce_scatter_tensor_coalesced", "all_to_all"),
    **_all(
        Effect.SPREADS,
        -1,
        -1,
        "all_to_all_single",
        "all_to_all_single_autograd",
        "reduce",
        "gather",
        "scatter",
    ),
}
_ELSEWHERE = {
    "torch.distributed.checkpoint.": _all(
        Effect.WAITS, -1, -1, "save", "load", "async_save", "save_state_dict", "load_state_dict"
    ),
    "torch.distributed.tensor.": _all(Effect.SPREADS, -1, -1, "distribute_tensor", "distribute_module"),
    "torch.nn.parallel.": _all(Effect.WAITS, -1, -1, "DistributedDataParallel"),
    "torch.distributed.rpc.": _all(Effect.WAITS, -1, -1, "shutdown"),
}
# So plain that they mean the same wherever they come from; `gather`, `reduce` and the like do not.
_ANYWHERE = {
    name: _TORCH[name]
    for name in (
        "barrier", "monitored_barrier", "all_reduce", "all_gather", "all_gather_object",
        "all_gather_into_tensor", "broadcast_object_list", "reduce_scatter", "reduce_scatter_tensor",
        "all_to_all", "all_to_all_single",
        "gather_object", "scatter_object_list", "all_reduce_coalesced", "init_device_mesh",
    )
} | {
    **_all(Effect.AGREES, -1, -1, "allreduce", "allgather", "bcast", "all_gather_tensor"),
    **_all(Effect.AGREES, -1, -1, "Allreduce", "Allgather", "Bcast"),
    **_all(Effect.AGREES, -1, -1, "full_tensor", "gather_for_metrics"),
    **_all(Effect.SPREADS, -1, -1, "redistribute", "alltoall", "Alltoall", "reduce_scatter_base"),
    **_all(Effect.WAITS, -1, -1, "wait_for_everyone", "sync_global_devices"),
}  # fmt: skip
_MPI = {"Barrier": Collective("barrier", Effect.WAITS, -1)}
_HELPER = re.compile(r"(?:^|_)(?:all_?ranks?|across_ranks|all_?reduce|all_?gather|barrier|agree)(?:_|$)")
_NO_HELPER = re.compile(r"(?:^|_)(?:no|without|skip|is|has|test|supports?|check|make|create|get|Queue)_")
_PROCESS_BARRIER = re.compile(r"[Bb]arrier(?:\(\))?\.$")
_FRONTS = (
    "torch.distributed.nn.functional.",
    "torch.distributed.nn.",
    "torch.distributed._functional_collectives.",
)
_BARE_FRONTS = ("torch.distributed.", "deepspeed.comm.", "deepspeed.", "dist.", "c10d.")
_DEEPER = re.compile(r"torch\.distributed\.(?:checkpoint|tensor|_tensor)\.(?:\w+\.)*")

POINT_TO_POINT = frozenset(
    {"send", "recv", "isend", "irecv", "send_object_list", "recv_object_list", "batch_isend_irecv"}
)
_STARTS = re.compile(
    r"init_process_group|init_rpc|(?:init|setup|initialize|join|start)_(?:dist|distributed|process_group|group|pg)"
    r"(?:_environment|_mode)?|dist_init"
)


def collective(dotted: str, *, of_file: bool = False) -> Collective | None:
    """The collective that a call of this full dotted name is; `of_file` for a function that the file itself
    defines, whose body tells more than its name.
    """
    front, _, last = dotted.rpartition(".")
    front += "."
    if front in _FRONTS:
        return _FUNCTIONAL.get(last)
    for base in _BARE_FRONTS:
        if front == base:
            return _TORCH.get(last)
    known = _elsewhere(dotted, last)
    if known is not None or of_file:
        return known
    if last == "wait" and _PROCESS_BARRIER.search(front):
        return Collective("barrier", Effect.WAITS, -1)
    if front.startswith("torch.") and not front.startswith("torch.distributed."):
        return None
    return _by_last_word(front, last)


def _elsewhere(dotted: str, last: str) -> Collective | None:
    spelled = dotted
    deeper = _DEEPER.match(dotted)
    if deeper:
        kind = dotted.split(".")[2].lstrip("_")
        spelled = f"torch.distributed.{kind}.{last}"
    for front, names in _ELSEWHERE.items():
        if spelled == front + last:
            return names.get(last)
    return None


def _by_last_word(front: str, last: str) -> Collective | None:
    if last in _ANYWHERE:
        return _ANYWHERE[last]
    if "mpi4py" in front or front.lower().startswith(("comm.", "mpi.")):
        return _MPI.get(last)
    if _HELPER.search(last) and not _NO_HELPER.match(last):
        return Collective(last, Effect.AGREES, -1)
    return None


def point_to_point(dotted: str) -> str | None:
    """`send`, `irecv` and the like, which two ranks make alone."""
    front, _, last = dotted.rpartition(".")
    return last if last in POINT_TO_POINT and f"{front}." in _BARE_FRONTS else None


def starts_group(dotted: str) -> bool:
    """Whether the call makes this process a rank."""
    return _STARTS.fullmatch(dotted.rpartition(".")[2]) is not None


def ends_group(dotted: str) -> bool:
    return dotted.rpartition(".")[2] == "destroy_process_group"
