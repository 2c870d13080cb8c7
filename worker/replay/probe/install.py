"""Starts the probe in this process, once, if it belongs to a probed trial."""

from __future__ import annotations

import sys

from . import (
    address,
    asked,
    children,
    exceptions,
    exits,
    forks,
    handlers,
    imports,
    journal,
    locks,
    processes,
    pytest_phases,
    queues,
    signals,
    sites,
    stacks,
)

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from collections.abc import Callable

_MARK = "_flake_triage_probe_began"


def begin() -> bool:
    """Whether the probe rides in this process now. Never raises, and never twice: both ways in end here."""
    if getattr(sys, _MARK, False):
        return True
    try:
        known = address.read()
        folder = known.get(address.JOURNAL)
        if not folder or not journal.begin(folder):
            return False
        setattr(sys, _MARK, True)
        sites.begin(known.get(address.PROJECT, ""))
        if known.get(address.INJECT):
            from . import inject_acts  # noqa: PLC0415 -- few trials have a fault

            inject_acts.arm(known[address.INJECT], folder)
    except Exception:  # noqa: BLE001 -- the suspect runs without us, and that is a finding
        return False
    for name, part in _PARTS:
        try:
            part()
        except Exception as error:  # noqa: BLE001 -- the other parts still see what they can
            journal.trouble("begin " + name, error)
    return True


def _begin_torch(_: object) -> None:
    """Early in the import of torch: most processes never do, and need not pay for what watches it."""
    from . import torch_hooks  # noqa: PLC0415 -- as above

    torch_hooks.begin()


_PARTS: tuple[tuple[str, Callable[[], None]], ...] = (
    ("imports", imports.begin),
    ("forks", forks.begin),
    ("processes", processes.begin),
    ("sites", lambda: forks.after(sites.forget_numbers)),
    ("stacks", stacks.begin),
    ("stacks in children", lambda: forks.after(stacks.begin)),
    ("exceptions", exceptions.begin),
    ("signals", signals.begin),
    ("exits", exits.begin),
    ("queues", queues.begin),
    ("handlers", handlers.begin),
    ("children", children.begin),
    ("locks", locks.begin),
    ("pytest", pytest_phases.begin),
    ("asked", asked.begin),
    ("torch", lambda: imports.after("torch.version", _begin_torch)),
)
