"""Signals that one process sent, and where in their targets' files of stacks the answers stand."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from worker.replay.facts import Sent, Stack
from worker.replay.reading import fields
from worker.replay.reading.record import Record, time_of


def sent(record: Record) -> tuple[Sent, ...]:
    found = []
    for event in record.of("signal"):
        target, signal = fields.number(event, "target"), fields.number(event, "signal")
        if target is None or signal is None:
            continue
        found.append(
            Sent(
                t=time_of(event),
                sender=record.pid,
                target=target,
                signal=signal,
                site=record.site(event),
                how=fields.text(event, "how", 30) or "kill",
                target_state=fields.text(event, "state", 1),
                target_cpu_grew=fields.flag(event, "grew"),
            )
        )
    return tuple(found)


def answers(records: Iterable[Record]) -> dict[int, list[tuple[int, int, int]]]:
    """For each target: from, to, and when, of each dump that a sender waited for."""
    found: dict[int, list[tuple[int, int, int]]] = {}
    for record in records:
        for event in record.of("signal"):
            target, span = fields.number(event, "target"), fields.numbers(event, "stacks", 2)
            if target is not None and len(span) == 2 and span[0] < span[1]:  # noqa: PLR2004 -- from and to
                found.setdefault(target, []).append((span[0], span[1], time_of(event)))
    return found


def with_stacks(one: Sent, stacks: Sequence[Stack]) -> Sent:
    mine = (each for each in stacks if each.reason == "terminate" and each.t == one.t)
    return replace(one, target_stacks=tuple(each for each in mine if each.pid == one.target))
