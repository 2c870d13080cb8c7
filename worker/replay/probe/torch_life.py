"""The life of process groups: init_process_group, new_group and destroy_process_group, as they are called."""

from __future__ import annotations

import inspect
import os
from types import ModuleType
from typing import Any, Callable, Dict, Optional

from . import (
    asked,
    calls,
    covered,
    delays,
    exceptions,
    flight,
    inject,
    inject_acts,
    journal,
    processes,
    sites,
    torch_groups,
    torch_works,
    wrapping,
)

_INIT, _NEW, _DESTROY = "init_process_group", "new_group", "destroy_process_group"
_UNNAMED = "new group"


def begin(c10d: ModuleType, delay: Optional[delays.Delays]) -> None:
    wrapping.around(c10d, _INIT, lambda original: _around_init(original, delay))
    wrapping.around(c10d, _NEW, _around_new_group)
    wrapping.around(c10d, _DESTROY, _around_destroy)
    wrapping.around(c10d, "_abort_process_group", _around_destroy)


def _around_init(original: wrapping.Function, delay: Optional[delays.Delays]) -> wrapping.Function:
    signature = inspect.signature(original)

    def init_process_group(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 -- torch's own
        __tracebackhide__ = True
        told = _told(signature, args, kwargs)
        rank, world = _rank(told), _whole(told.get("world_size"), "WORLD_SIZE")
        number = _begin_init(told, rank, world)
        try:
            if delay is not None:
                delay.before_collective(rank)
            inject_acts.reach(inject.INIT, rank)
            result = original(*args, **kwargs)
        except BaseException as error:
            _ended(number, error)
            raise
        _began(number)
        return result

    return init_process_group


@wrapping.quietly
def _begin_init(told: Dict[str, Any], rank: Optional[int], world: Optional[int]) -> int:
    label = torch_groups.expect(rank)
    asked.start()
    flight.at_exit()
    if rank is not None:
        processes.rank_is(rank, world, "init")
    return journal.call(
        "init",
        group=label,
        backend=str(told["backend"]) if told.get("backend") else None,
        address=_address(told),
        rank=rank,
        world=world,
        timeout_s=_seconds(told.get("timeout")),
        site=sites.site_number(3),
        in_try=covered.by_project(3),
    )


@wrapping.quietly
def _began(number: Optional[int]) -> None:
    """What the arguments did not tell, the new group does: its rank, its size, its timeout."""
    _out(number)
    torch_groups.new_life()
    world = torch_groups.known(None)
    if world is not None:
        processes.rank_is(torch_groups.learn_rank(), len(world.ranks), "init")


def _around_new_group(original: wrapping.Function) -> wrapping.Function:
    signature = inspect.signature(original)

    def new_group(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 -- torch's own
        __tracebackhide__ = True
        number = _begin_group(_told(signature, args, kwargs))
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            _ended(number, error)
            raise
        _made(number, result)
        return result

    return new_group


@wrapping.quietly
def _begin_group(told: Dict[str, Any]) -> int:
    ranks = told.get("ranks")
    named = (
        _UNNAMED
        if ranks is None
        else "{} [{}]".format(_UNNAMED, ",".join(str(one) for one in list(ranks)[:16]))
    )
    return journal.call(
        "init",
        group=named,
        backend=str(told["backend"]) if told.get("backend") else None,
        address=None,
        rank=torch_groups.rank(),
        world=None if ranks is None else len(ranks),
        timeout_s=_seconds(told.get("timeout")),
        site=sites.site_number(3),
        in_try=covered.by_project(3),
    )


@wrapping.quietly
def _made(number: Optional[int], group: Any) -> None:  # noqa: ANN401 -- torch's own
    _out(number)
    torch_groups.known(group)


def _around_destroy(original: wrapping.Function) -> wrapping.Function:
    def destroy_process_group(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 -- torch's own
        __tracebackhide__ = True
        group = args[0] if args else kwargs.get("group")
        number, is_world = _begin_end(group) or (0, False)
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            _ended(number, error)
            raise
        _over(number, group, is_world)
        return result

    return destroy_process_group


@wrapping.quietly
def _begin_end(group: Any) -> "Optional[tuple[int, bool]]":  # noqa: ANN401 -- torch's own
    """Before it is torn down: the last moment at which torch still knows the groups by name."""
    exceptions.look()
    known = torch_groups.known(group)
    is_world = known is not None and known.is_world
    if is_world:
        flight.dump_last()
    return journal.call("teardown", group=known.label if known else None), is_world


@wrapping.quietly
def _over(number: int, group: Any, is_world: bool) -> None:  # noqa: ANN401, FBT001 -- torch's own; one caller
    _out(number)
    if is_world:
        torch_groups.dissolve()
        torch_works.forget()
        asked.end()
    else:
        torch_groups.let_go(group)


@wrapping.quietly
def _ended(number: Optional[int], error: BaseException) -> None:
    _out(number, calls.noted(error))


def _out(number: Optional[int], error: Optional[int] = None) -> None:
    if number:
        journal.out(number, error)


def _told(signature: inspect.Signature, args: Any, kwargs: Dict[str, Any]) -> Dict[str, Any]:  # noqa: ANN401 -- torch's own
    try:
        return dict(signature.bind(*args, **kwargs).arguments)
    except TypeError:  # torch will say so itself
        return {}


def _rank(told: Dict[str, Any]) -> Optional[int]:
    return _whole(told.get("rank"), "RANK")


def _whole(value: object, variable: str) -> Optional[int]:
    """As it was given, else from the environment, which counts for torch only with `env://`."""
    if isinstance(value, int) and value >= 0:
        return value
    written = os.environ.get(variable, "")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 10 else None  # noqa: PLR2004 -- digits


def _address(told: Dict[str, Any]) -> Optional[str]:
    method, store = told.get("init_method"), told.get("store")
    if isinstance(method, str) and not method.startswith("env"):
        return method[:500]
    if store is not None:
        where = getattr(store, "host", None), getattr(store, "port", None)
        return "{}:{}".format(*where) if all(where) else getattr(store, "path", None) or type(store).__name__
    host, port = os.environ.get("MASTER_ADDR"), os.environ.get("MASTER_PORT")
    return "{}:{}".format(host, port) if host else None


def _seconds(timeout: object) -> Optional[float]:
    seconds: Callable[[], float] = getattr(timeout, "total_seconds", lambda: -1.0)
    found = float(seconds())
    return found if found >= 0 else None
