"""Puts the wrappers into torch.distributed as it is imported, before anyone takes a name out of it."""

from __future__ import annotations

import sys
from types import ModuleType

from . import (
    address,
    asked,
    calls,
    delays,
    exceptions,
    flight,
    forks,
    imports,
    torch_collectives,
    torch_groups,
    torch_life,
    torch_store,
    torch_works,
)

_WRAPPED = "torch.distributed.distributed_c10d"
_DYNAMO_SKIPS = ("torch._dynamo.trace_rules", "torch._dynamo.skipfiles")  # the second until torch 2.1
_OTHER_HOLDERS = ("torch.distributed", "torch.distributed.device_mesh")


def begin() -> None:
    told = delays.read(address.read().get(address.DELAYS))
    imports.after(_WRAPPED, lambda c10d: _hook(c10d, told))
    for module in _DYNAMO_SKIPS:
        imports.after(module, _keep_out_dynamo)
    exceptions.counting(torch_groups.counters)
    asked.on_ask(flight.dump_asked)
    forks.after(_forget)
    if told is not None:
        forks.after(told.in_child)


def _hook(c10d: ModuleType, told: "delays.Delays | None") -> None:
    before = dict(vars(c10d))
    torch_groups.begin(c10d)
    torch_works.begin(c10d)
    torch_collectives.begin(c10d, told)
    torch_life.begin(c10d, told)
    torch_store.begin(c10d, told)
    for name, original in before.items():
        wrapped = getattr(c10d, name)
        if wrapped is not original:
            _replace_elsewhere(name, original, wrapped)


def _replace_elsewhere(name: str, original: object, wrapped: object) -> None:
    """Only where torch was imported before the probe: names that were taken already, and dynamo's table."""
    for holder in _OTHER_HOLDERS:
        module = sys.modules.get(holder)
        if module is not None and getattr(module, name, None) is original:
            setattr(module, name, wrapped)
    functional = sys.modules.get("torch.distributed._functional_collectives")
    remaps = getattr(functional, "traceable_collective_remaps", {})
    if original in remaps:
        remaps[wrapped] = remaps[original]


def _keep_out_dynamo(skips: ModuleType) -> None:
    """What runs outside of a graph is not to be compiled: dynamo warns of each call that it cannot follow.

    Inside of a graph it replaces the collectives that it knows by its own, whose table holds our wrappers.
    """
    add = getattr(skips, "add", None)
    if add is not None and __package__:
        add(__package__)


def _forget() -> None:
    calls.forget()
    torch_collectives.forget()
    torch_groups.forget()
    torch_works.forget()
    torch_store.forget()
    flight.forget()
