"""Processes and exits as they were seen from outside: those that pytest's own process began."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from worker.replay.facts import Exit, Process
from worker.replay.observed import Observed, code_of
from worker.replay.outside_events import Event, Executed, Forked, Left, Signalled


@dataclass(slots=True)
class Tree:
    """By number inside; `hosts` gives that number for the engine's own."""

    processes: dict[int, Process] = field(default_factory=dict)
    exits: dict[int, Exit] = field(default_factory=dict)
    signals: list[Signalled] = field(default_factory=list)
    hosts: dict[int, int] = field(default_factory=dict)


def read_tree(events: Iterable[Event], observed: Observed) -> Tree:
    """Keep what descends from pytest's process; supervisor, sandbox and all before them are left out."""
    tree = Tree()
    for event in events:
        match event:
            case Forked():
                _fork(tree, event, observed)
            case Executed():
                _execute(tree, event)
            case Left():
                pid = tree.hosts.get(event.host)
                if pid is not None and event.status is not None:
                    tree.exits[pid] = exit_of(pid, event.t, event.status, event.source, observed)
            case Signalled():
                tree.signals.append(event)
    for waited in observed.waits:
        if waited.pid in tree.processes or not tree.processes:
            tree.exits.setdefault(waited.pid, exit_of(waited.pid, waited.t, waited.status, "wait", observed))
    return tree


def exit_of(pid: int, t: int, status: int, source: str, observed: Observed) -> Exit:
    code = code_of(status)
    by_us = observed.killed_from is not None and t >= observed.killed_from and code < 0
    return Exit(pid, t, code, source, core_dumped=code < 0 and bool(status & 0x80), by_us=by_us)


def _fork(tree: Tree, event: Forked, observed: Observed) -> None:
    is_main = event.pid == observed.main and not tree.processes
    parent = tree.hosts.get(event.host_parent)
    if event.pid is None or not (is_main or parent is not None):
        return
    tree.hosts[event.host] = event.pid
    argv = event.argv or (tree.processes[parent].argv if parent is not None else ())
    tree.processes[event.pid] = Process(
        event.pid,
        parent,
        argv,
        event.t,
        began="fork",
        is_python=event.is_python,
    )


def _execute(tree: Tree, event: Executed) -> None:
    pid = tree.hosts.get(event.host)
    if pid is None:
        return
    known = tree.processes[pid]
    tree.processes[pid] = Process(
        pid,
        known.parent,
        event.argv,
        known.started,
        began="exec",
        rank=event.rank,
        world=event.world,
        rank_source=None if event.rank is None else "env",
        is_python=event.is_python,
    )
