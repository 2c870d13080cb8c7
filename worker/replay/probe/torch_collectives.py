"""Wrappers of torch.distributed's collectives and point-to-point calls: what a rank enters, and from where.

Only the outermost call counts: `all_gather_object` gathers twice inside. They do what a wrapper may not do
without: call the original once, with what it was given, and let it return or raise what it did.
"""

from __future__ import annotations

import inspect
import itertools
import threading
import time
from types import ModuleType
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import calls, delays, inject, inject_acts, journal, sites, torch_groups, torch_works, wrapping

_now = time.monotonic_ns
MOST_SIGNATURES = 20_000  # a test whose shapes never repeat; what comes after keeps operation and call site
MOST_SHAPES = 64

Place = Tuple[int, str]  # of a parameter: its position and its name
_NOWHERE: Place = (1 << 30, "")


class Kind(NamedTuple):
    """A collective: which tensors must be alike on all ranks, and which parameter names the other rank."""

    tensors: Tuple[str, ...] = ()
    root: Optional[str] = None
    is_p2p: bool = False


KINDS: Dict[str, Kind] = {
    "all_reduce": Kind(("tensor",)),
    "all_reduce_coalesced": Kind(("tensors",)),
    "broadcast": Kind(("tensor",), "src"),
    "reduce": Kind(("tensor",), "dst"),
    "all_gather": Kind(("tensor",)),
    "all_gather_coalesced": Kind(("input_tensor_list",)),
    "all_gather_single": Kind(("input_tensor",)),
    "all_gather_into_tensor": Kind(("input_tensor",)),
    "_all_gather_base": Kind(("input_tensor",)),
    "gather": Kind(("tensor",), "dst"),
    "scatter": Kind(("tensor",), "src"),
    "reduce_scatter": Kind(("output",)),
    "reduce_scatter_single": Kind(("output",)),
    "reduce_scatter_tensor": Kind(("output",)),
    "_reduce_scatter_base": Kind(("output",)),
    "all_to_all_single": Kind(("input",)),
    "all_to_all": Kind(("input_tensor_list",)),
    "barrier": Kind(),
    "monitored_barrier": Kind(),
    "all_gather_object": Kind(),
    "gather_object": Kind((), "dst"),
    "broadcast_object_list": Kind((), "src"),
    "scatter_object_list": Kind((), "src"),
    "send": Kind(("tensor",), "dst", is_p2p=True),
    "recv": Kind(("tensor",), "src", is_p2p=True),
    "isend": Kind(("tensor",), "dst", is_p2p=True),
    "irecv": Kind(("tensor",), "src", is_p2p=True),
    "send_object_list": Kind((), "dst", is_p2p=True),
    "recv_object_list": Kind((), "src", is_p2p=True),
    "batch_isend_irecv": Kind(is_p2p=True),
}
_ALWAYS_ASYNC = {"isend", "irecv", "batch_isend_irecv"}
_BATCH = "batch_isend_irecv"


class Spec(NamedTuple):
    """A collective of the torch at hand, with the places of the parameters that are looked at."""

    name: str
    is_p2p: bool
    is_always_async: bool
    direction: str  # of a point-to-point call
    tensors: Tuple[Place, ...]
    group: Place
    op: Place
    async_op: Place
    root: Place
    group_root: Place  # the same, as the rank within the group
    default_root: int


class _Here(threading.local):
    """Of each thread: is it within a recorded call, and as what does the file know it (0: not yet)."""

    inside = False
    number = 0


class _Declared:
    """What the journal of this process has been told, by the number that records use."""

    def __init__(self) -> None:
        self.signatures: Dict[object, int] = {}
        self.numbers = itertools.count(1)
        self.threads = itertools.count(1)


_here = _Here()
_declared = _Declared()


def begin(c10d: ModuleType, asked: Optional[delays.Delays]) -> None:
    for name, kind in KINDS.items():
        original = getattr(c10d, name, None)
        if inspect.isfunction(original):
            wrapping.around(c10d, name, _maker(_spec(name, kind, original), asked))


def forget() -> None:
    """In a fork child: its journal has been told nothing, and only the forking thread lives on."""
    _declared.__init__()  # type: ignore[misc]  # all of it anew, in place
    _here.inside, _here.number = False, 0


def _maker(spec: Spec, asked: Optional[delays.Delays]) -> Callable[[wrapping.Function], wrapping.Function]:
    def make(original: wrapping.Function) -> wrapping.Function:
        here = _here

        def recorded(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 -- torch's own
            __tracebackhide__ = True
            if here.inside:
                return original(*args, **kwargs)
            here.inside = True
            try:
                group = _group(spec, args, kwargs)
                if group is None:
                    return original(*args, **kwargs)
                if asked is not None:
                    asked.before_collective(torch_groups.rank())
                if not spec.is_p2p and group.is_world:
                    inject_acts.reach(inject.COLLECTIVE, torch_groups.rank(), group.count + 1)
                place = _enter(spec, group, args, kwargs)
                try:
                    result = original(*args, **kwargs)
                except BaseException as error:
                    calls.failed(place, error)
                    raise
                _leave(spec, place, args, kwargs, result)
                return result
            finally:
                here.inside = False

        return recorded

    return make


def _enter(spec: Spec, group: torch_groups.Known, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> int:
    """The place of the new record; 0 where none could be written."""
    try:
        file = calls.current()
        if file is None:
            return 0
        other = _other_rank(spec, group, args, kwargs)
        if spec.is_p2p:
            number, flags = group.next_to(spec.direction, other), calls.IS_P2P
        else:
            group.count = number = group.count + 1
            flags = 0
        if spec.is_always_async or _argument(spec.async_op, args, kwargs):
            flags |= calls.IS_ASYNC
        signature = _signature(spec, args, kwargs)
        return file.enter(
            _now(), number, group.number, signature, _here.number or _thread_number(), other, flags
        )
    except Exception as error:  # noqa: BLE001 -- nothing of the probe may reach the suspect
        journal.trouble("collective", error)
        return 0


def _leave(spec: Spec, place: int, args: Tuple[Any, ...], kwargs: Dict[str, Any], result: Any) -> None:  # noqa: ANN401 -- torch's own
    """A call that gave back work ends when that work was waited for; any other ends now."""
    file = calls.current()
    if file is None or not place:
        return
    if result is not None and (spec.is_always_async or _argument(spec.async_op, args, kwargs)):
        torch_works.watch(result, place)
    else:
        file.leave(place, _now())


def _group(spec: Spec, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Optional[torch_groups.Known]:
    try:
        if spec.name == _BATCH:
            batch = _batch(args, kwargs)
            return torch_groups.known(getattr(batch[0], "group", None)) if batch else None
        return torch_groups.known(_argument(spec.group, args, kwargs))
    except Exception as error:  # noqa: BLE001 -- as above: wrong arguments are torch's to refuse
        journal.trouble("group", error)
        return None


def _batch(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Sequence[Any]:
    batch: Sequence[Any] = args[0] if args else kwargs.get("p2p_op_list", ())
    return batch


def _argument(place: Place, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:  # noqa: ANN401 -- torch's own
    if place[0] < len(args):
        return args[place[0]]
    return kwargs.get(place[1]) if kwargs else None


def _other_rank(spec: Spec, group: torch_groups.Known, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> int:
    """The global rank of root or peer; -1 where there is none, any will do, or they are several."""
    if spec.name == _BATCH:
        peers = {int(one.peer) for one in _batch(args, kwargs)}
        return peers.pop() if len(peers) == 1 else calls.NO_RANK
    if spec.root is _NOWHERE:
        return calls.NO_RANK
    told = _argument(spec.root, args, kwargs)
    if told is not None:
        return told if type(told) is int else calls.NO_RANK
    within = _argument(spec.group_root, args, kwargs)
    if within is not None:
        is_member = type(within) is int and 0 <= within < len(group.ranks)
        return group.ranks[within] if is_member else calls.NO_RANK
    return spec.default_root


def _thread_number() -> int:
    number = _here.number = next(_declared.threads)
    journal.note("thread", id=number)
    return number


def _signature(spec: Spec, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> int:
    """The number of this operation with its operator, shapes, types and call site."""
    op = None if spec.op is _NOWHERE else _argument(spec.op, args, kwargs)
    shapes: List[object] = []
    for place in spec.tensors:
        given = _argument(place, args, kwargs)
        for tensor in given[:MOST_SHAPES] if type(given) is list or type(given) is tuple else (given,):
            shapes += [getattr(tensor, "shape", None), getattr(tensor, "dtype", None)]
    site = sites.site_number(3)
    key = (spec.name, op, site, *shapes)
    number = _declared.signatures.get(key)
    if number is None:
        number = _declare(key, spec, op, site, shapes)
    return number


def _declare(key: object, spec: Spec, op: object, site: int, shapes: Sequence[Any]) -> int:
    if len(_declared.signatures) >= MOST_SIGNATURES:
        key, shapes = (spec.name, op, site), ()
        known = _declared.signatures.get(key)
        if known is not None:
            return known
    number = _declared.signatures[key] = next(_declared.numbers)
    journal.note(
        "signature",
        id=number,
        op=spec.name,
        reduce_op=None if spec.op is _NOWHERE else _op_name(op),
        shapes=[[int(size) for size in shape] for shape in shapes[::2] if shape is not None],
        dtypes=[str(dtype).rpartition(".")[2] for dtype in shapes[1::2] if dtype is not None],
        site=site,
    )
    return number


def _op_name(op: object) -> str:
    """`SUM`, which is what leaving it out means too."""
    return "SUM" if op is None else str(getattr(op, "name", None) or type(op).__name__)


def _spec(name: str, kind: Kind, original: wrapping.Function) -> Spec:
    parameters = inspect.signature(original).parameters
    places = {known: (position, known) for position, known in enumerate(parameters)}
    root = kind.root or ""
    default = parameters[root].default if root in parameters else None
    return Spec(
        name,
        kind.is_p2p,
        name in _ALWAYS_ASYNC,
        "from" if root == "src" else "to",
        tuple(places[one] for one in kind.tensors if one in places),
        places.get("group", _NOWHERE),
        places.get("op", _NOWHERE),
        places.get("async_op", _NOWHERE),
        places.get(root, _NOWHERE),
        places.get("group_" + root, _NOWHERE),
        default if isinstance(default, int) else (calls.NO_RANK if kind.is_p2p or not root else 0),
    )
