"""One account of each process: the probe's where it reached it, the outside's where it did not."""

from collections.abc import Sequence
from dataclasses import replace

from worker.replay.facts import Exit, Process, Sent
from worker.replay.joined.tree import Tree
from worker.replay.observed import Observed


def merge(
    tree: Tree, journalled: Sequence[Process], reported: Sequence[Exit], observed: Observed
) -> tuple[tuple[Process, ...], tuple[Exit, ...]]:
    """Processes by their start, exits by their time.

    How a process ended is taken from the kernel before any parent's word: a parent that is told by a
    library may have it from elsewhere.
    """
    processes = dict(tree.processes)
    for one in journalled:
        seen = processes.get(one.pid)
        processes[one.pid] = one if seen is None else _joined(one, seen)
    exits = dict(tree.exits)
    for end in reported:
        by_us = observed.killed_from is not None and end.t >= observed.killed_from and end.code < 0
        exits.setdefault(end.pid, replace(end, by_us=by_us))
    return (
        tuple(sorted(processes.values(), key=lambda one: (one.started, one.pid))),
        tuple(sorted(exits.values(), key=lambda one: (one.t, one.pid))),
    )


def signals_sent(tree: Tree, journalled: Sequence[Sent]) -> tuple[Sent, ...]:
    """The probe's account, which knows from where; of those that it did not see, the kernel's."""
    known = {(one.sender, one.target, one.signal) for one in journalled}
    seen = [
        Sent(
            one.t,
            sender,
            target,
            one.signal,
            how="kernel",
            target_state=one.target_state,
            target_cpu_grew=one.target_cpu_grew,
        )
        for one in tree.signals
        if (sender := tree.hosts.get(one.sender)) is not None
        and (target := tree.hosts.get(one.target)) is not None
        and sender != target
        and (sender, target, one.signal) not in known
    ]
    return tuple(sorted((*journalled, *seen), key=lambda one: one.t))


def _joined(inside: Process, outside: Process) -> Process:
    """The probe knows more, the kernel knows the start, the parent and the program."""
    knows_rank = inside.rank is not None
    return replace(
        inside,
        parent=outside.parent if outside.parent is not None else inside.parent,
        argv=inside.argv or outside.argv,
        started=min(inside.started, outside.started) if inside.started else outside.started,
        began=outside.began,
        rank=inside.rank if knows_rank else outside.rank,
        world=inside.world if knows_rank else outside.world,
        rank_source=inside.rank_source if knows_rank else outside.rank_source,
        is_python=outside.is_python or inside.python is not None,
    )
