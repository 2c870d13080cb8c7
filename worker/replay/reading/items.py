"""Items put on and taken off queues and pipes: what was put says what a digest that was taken stands for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from worker.replay.facts import QueueItem
from worker.replay.reading import fields
from worker.replay.reading.lines import Event
from worker.replay.reading.record import Record, time_of


def read_items(records: Sequence[Record], ranks: Mapping[int, int]) -> tuple[QueueItem, ...]:
    """Of all processes, in order of time. An item that names no rank has the one of who put it."""
    ends = _same_pipes(records)
    put = [one for record in records for one in _put(record, ends, ranks)]
    said: dict[tuple[str, str | None], QueueItem] = {
        (one.channel, one.digest): one for one in put if one.digest is not None
    }
    got = [_as_said(one, said) for record in records for one in _got(record, ends)]
    return tuple(sorted(put + got, key=lambda one: one.t))


def _same_pipes(records: Iterable[Record]) -> Mapping[str, str]:
    """Of a two-way pipe, whose ends have inodes of their own: the name of one for both."""
    ends = {}
    for record in records:
        for event in record.of("pipe"):
            channel, other = fields.text(event, "channel", 100), fields.text(event, "other", 100)
            if channel and other:
                ends[other] = channel
    return ends


def _put(record: Record, ends: Mapping[str, str], ranks: Mapping[int, int]) -> Iterable[QueueItem]:
    """An item that was put and never sent has no digest: its feeder had no time, or could not pickle it."""
    sent = {fields.number(event, "n"): event for event in record.of("sent")}
    for event in record.of("put"):
        flushed = sent.get(fields.number(event, "n"))
        rank = fields.number(event, "rank")
        yield replace(
            _item(record, event, ends, is_put=True),
            digest=fields.text(flushed, "digest", 100) if flushed else None,
            rank=ranks.get(record.pid) if rank is None else rank,
        )
    for event in record.of("sent"):
        if not fields.number(event, "n"):  # bytes that went by no `put`
            yield replace(_item(record, event, ends, is_put=True), rank=ranks.get(record.pid))


def _got(record: Record, ends: Mapping[str, str]) -> Iterable[QueueItem]:
    return (_item(record, event, ends, is_put=False) for event in record.of("got"))


def _item(record: Record, event: Event, ends: Mapping[str, str], *, is_put: bool) -> QueueItem:
    channel = fields.text(event, "channel", 100) or "?"
    return QueueItem(
        t=time_of(event),
        pid=record.pid,
        is_put=is_put,
        channel=ends.get(channel, channel),
        digest=fields.text(event, "digest", 100),
        holds_traceback=fields.flag(event, "trace") is True,
        rank=fields.number(event, "rank"),
        text=fields.text(event, "text", 500) or "",
        site=record.site(event),
    )


def _as_said(item: QueueItem, said: Mapping[tuple[str, str | None], QueueItem]) -> QueueItem:
    put = said.get((item.channel, item.digest))
    if put is None:
        return item
    return replace(
        item, rank=put.rank, text=put.text, holds_traceback=put.holds_traceback or item.holds_traceback
    )
