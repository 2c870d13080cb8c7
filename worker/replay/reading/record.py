"""The journal of one process by kind, with the sites and the ends of calls that its lines refer to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from worker.replay.facts import Frame
from worker.replay.reading import fields
from worker.replay.reading.lines import Event


@dataclass(frozen=True, slots=True)
class Ended:
    """When a call ended, and with which exception's identity."""

    t: int
    error: int | None


@dataclass(slots=True)
class Record:
    """What one process wrote."""

    pid: int
    events: Sequence[Event]
    by_kind: dict[str, list[Event]] = field(init=False, default_factory=dict)
    sites: dict[int, Frame] = field(init=False, default_factory=dict)
    ends: dict[int, Ended] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for event in self.events:
            kind, t = event["k"], fields.number(event, "t")
            if isinstance(kind, str) and t is not None:
                self.by_kind.setdefault(kind, []).append(event)
        for event in self.of("site"):
            number, frame = fields.number(event, "id"), fields.frame(event.get("frame"))
            if number is not None and frame is not None:
                self.sites.setdefault(number, frame)
        for event in self.of("out"):
            call = fields.number(event, "call")
            if call is not None:
                self.ends.setdefault(call, Ended(time_of(event), fields.number(event, "error")))

    def of(self, *kinds: str) -> Iterator[Event]:
        """Events of these kinds, in the order in which they were written within each kind."""
        for kind in kinds:
            yield from self.by_kind.get(kind, ())

    def end_of(self, event: Event) -> Ended | None:
        call = fields.number(event, "call")
        return None if call is None else self.ends.get(call)

    def site(self, event: Event) -> Frame | None:
        """A call site, whether it is written out or by the number of a `site` event."""
        value = event.get("site")
        if isinstance(value, int) and not isinstance(value, bool):
            return self.sites.get(value)
        return fields.frame(value)


def time_of(event: Event) -> int:
    return fields.number(event, "t") or 0


def thread_of(event: Event) -> str:
    return fields.text(event, "th", 200) or "?"
