"""Inits, groups, teardowns and store operations of one process, from its journal."""

from worker.replay.facts import WORLD, Group, Init, StoreCall, Teardown
from worker.replay.reading import fields
from worker.replay.reading.record import Record, time_of

_MOST_RANKS = 4096


def inits(record: Record) -> tuple[Init, ...]:
    found = []
    for event in record.of("init"):
        end = record.end_of(event)
        found.append(
            Init(
                pid=record.pid,
                t_in=time_of(event),
                t_out=end.t if end else None,
                group=fields.text(event, "group", 300) or WORLD,
                backend=fields.text(event, "backend", 100),
                address=fields.text(event, "address", 500),
                rank=fields.number(event, "rank"),
                world=fields.number(event, "world"),
                timeout_s=fields.real(event, "timeout_s"),
                error=end.error if end else None,
                site=record.site(event),
                in_try=fields.flag(event, "in_try"),
            )
        )
    return tuple(found)


def teardowns(record: Record) -> tuple[Teardown, ...]:
    found = []
    for event in record.of("teardown"):
        end = record.end_of(event)
        group = fields.text(event, "group", 300) or WORLD
        t_out, error = (end.t, end.error) if end else (None, None)
        found.append(Teardown(record.pid, time_of(event), t_out, group, error))
    return tuple(found)


def groups(record: Record, ended: tuple[Teardown, ...]) -> tuple[Group, ...]:
    """A group ends with its own teardown, or with the next one of the world that it belongs to."""
    found = []
    for event in record.of("group"):
        name, t = fields.text(event, "group", 300), time_of(event)
        if name is None:
            continue
        over = (one for one in ended if one.t_in >= t and (one.group == name or is_world(one.group)))
        last = next((one for one in over if one.error is None and one.t_out is not None), None)
        ranks = fields.numbers(event, "ranks", _MOST_RANKS)
        destroyed = last.t_out if last else None
        found.append(Group(record.pid, name, ranks, t, fields.real(event, "timeout_s"), destroyed))
    return tuple(found)


def store_calls(record: Record) -> tuple[StoreCall, ...]:
    found = []
    for event in record.of("store"):
        end = record.end_of(event)
        found.append(
            StoreCall(
                pid=record.pid,
                op=fields.text(event, "op", 100) or "?",
                key=fields.text(event, "key", 500) or "",
                t_in=time_of(event),
                t_out=end.t if end else None,
                error=end.error if end else None,
                site=record.site(event),
            )
        )
    return tuple(found)


def is_world(group: str) -> bool:
    """`WORLD`, or `WORLD~2` where a process initialised it again."""
    return group == WORLD or group.startswith(WORLD + "~")
