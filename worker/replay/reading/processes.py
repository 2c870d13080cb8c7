"""Who wrote a journal, how it ended by its own word, and how its children ended by its word."""

from collections.abc import Sequence

from worker.replay.facts import WORLD, Ending, Exit, Init, Process, Raised, Seen, Teardown
from worker.replay.reading import fields
from worker.replay.reading.life import is_world
from worker.replay.reading.lines import Event
from worker.replay.reading.record import Record, time_of

_SURER = {"argument": 0, "env": 1, "thread": 2, "init": 3}  # how a rank is known, weakest first
_ENDINGS = {one.value: one for one in Ending}
_MOST_ARGUMENTS = 64


def process(
    record: Record, inits: Sequence[Init], teardowns: Sequence[Teardown], raised: Sequence[Raised]
) -> Process | None:
    """None where the journal does not say whose it is."""
    told = list(record.of("process"))
    begun = [event for event in told if "argv" in event]
    if not begun:
        return None
    program = begun[-1]  # the last that this process executed
    rank, world, source = _rank(told, inits)
    done, leaving = _last(record, "done"), _last(record, "exiting")
    return Process(
        pid=record.pid,
        parent=fields.number(begun[0], "parent"),
        argv=fields.texts(program, "argv", _MOST_ARGUMENTS),
        started=time_of(begun[0]),
        began="fork" if fields.text(program, "began", 10) == "fork" else "exec",
        name=_told(told, "name"),
        python=_told(told, "python"),
        torch=_told(told, "torch"),
        rank=rank,
        world=world,
        rank_source=source,
        observed=True,
        exiting_at=time_of(leaving) if leaving else None,
        work_done_at=_work_done(done, teardowns),
        ending=_ending(done, leaving, raised),
        exit_code_said=_said(done) if _said(done) is not None else _said(leaving),
    )


def exits(record: Record) -> tuple[Exit, ...]:
    """Of its children, as it waited for them; its own where it named a status itself."""
    found = []
    for event in record.of("child"):
        pid, code = fields.number(event, "target"), fields.number(event, "code")
        if pid is not None and code is not None:
            found.append(Exit(pid, time_of(event), code, "parent"))
    leaving = _last(record, "exiting")
    code = _said(leaving)
    if leaving is not None and code is not None and not fields.text(leaving, "ending"):
        found.append(Exit(record.pid, time_of(leaving), code, "journal"))
    return tuple(found)


def main_thread(record: Record) -> int | None:
    """The number by which faulthandler names the main thread."""
    told = [fields.number(event, "main") for event in record.of("process")]
    return next((one for one in reversed(told) if one is not None), None)


def wall_offset(record: Record) -> int | None:
    """Wall clock minus monotonic clock, in nanoseconds."""
    told = (fields.number(event, "wall") for event in record.of("process"))
    return next((one for one in told if one is not None), None)


def _rank(told: Sequence[Event], inits: Sequence[Init]) -> tuple[int | None, int | None, str | None]:
    claims = [
        (_SURER.get(fields.text(event, "rank_source", 20) or "", 0), fields.number(event, "rank"), event)
        for event in told
    ]
    best = max((one for one in claims if one[1] is not None), key=lambda one: one[0], default=None)
    joined = next((one for one in inits if one.group == WORLD and one.rank is not None), None)
    if joined is not None and (best is None or best[0] < _SURER["init"]):
        return joined.rank, joined.world, "init"
    if best is None:
        return None, None, None
    return best[1], fields.number(best[2], "world"), fields.text(best[2], "rank_source", 20)


def _told(told: Sequence[Event], name: str) -> str | None:
    values = (fields.text(event, name, 300) for event in reversed(told))
    return next((one for one in values if one), None)


def _last(record: Record, kind: str) -> Event | None:
    found = list(record.of(kind))
    return found[-1] if found else None


def _said(event: Event | None) -> int | None:
    return None if event is None else fields.number(event, "code")


def _work_done(done: Event | None, teardowns: Sequence[Teardown]) -> int | None:
    if done is not None:
        return time_of(done)
    over = [one.t_out for one in teardowns if is_world(one.group) and one.t_out and one.error is None]
    return over[-1] if over else None


def _ending(done: Event | None, leaving: Event | None, raised: Sequence[Raised]) -> Ending | None:
    for event in (done, leaving):
        if event is not None and (said := _ENDINGS.get(fields.text(event, "ending", 20) or "")):
            return said
    if leaving is None:
        return None
    left = any(one.seen is Seen.UNCAUGHT and one.thread == "MainThread" for one in raised)
    return Ending.UNCAUGHT if left else Ending.RETURNED
