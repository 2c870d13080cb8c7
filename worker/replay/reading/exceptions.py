"""Exceptions of one process, from its journal."""

from worker.replay.facts import Linked, Raised, Seen
from worker.replay.reading import fields
from worker.replay.reading.lines import Event
from worker.replay.reading.record import Record, thread_of, time_of

_DEEPEST = 8
_WAYS = {one.value: one for one in Seen}


def raised(record: Record) -> tuple[Raised, ...]:
    found = []
    for event in record.of("raised"):
        seen, kind = _WAYS.get(fields.text(event, "seen", 20) or ""), fields.text(event, "type", 300)
        if seen is None or kind is None:
            continue
        found.append(
            Raised(
                t=time_of(event),
                pid=record.pid,
                thread=thread_of(event),
                seen=seen,
                type=kind,
                message=fields.text(event, "message") or "",
                identity=fields.number(event, "id") or 0,
                frames=fields.frames(event, "frames"),
                cause=_linked(event.get("cause"), _DEEPEST),
                context=_linked(event.get("context"), _DEEPEST),
                counters=fields.counts(event, "counters"),
                errno=fields.number(event, "errno"),
            )
        )
    return tuple(found)


def _linked(value: object, left: int) -> Linked | None:
    if not isinstance(value, dict) or not left:
        return None
    link: Event = value
    kind = fields.text(link, "type", 300)
    if kind is None:
        return None
    message, frames = fields.text(link, "message") or "", fields.frames(link, "frames")
    behind = (_linked(link.get(name), left - 1) for name in ("cause", "context"))
    return Linked(kind, message, frames, *behind)
