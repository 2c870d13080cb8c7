"""Single events of one process: phases of pytest, waits for locks, and the probe's own faults."""

from worker.replay.facts import LockWait, Phase
from worker.replay.reading import fields
from worker.replay.reading.record import Record, thread_of, time_of

_WHEN = {"setup", "call", "teardown", "collect"}


def phases(record: Record) -> tuple[Phase, ...]:
    found = []
    for event in record.of("phase"):
        test, when = fields.text(event, "test", 2000), fields.text(event, "when", 20)
        outcome = fields.text(event, "outcome", 20)
        if test is None or when not in _WHEN or not outcome:
            continue
        found.append(
            Phase(
                t=time_of(event),
                pid=record.pid,
                test=test,
                when=when,
                outcome=outcome,
                crash=fields.text(event, "crash") or "",
                file=fields.text(event, "file", 1000),
                line=fields.number(event, "line"),
            )
        )
    return tuple(found)


def lock_waits(record: Record) -> tuple[LockWait, ...]:
    found = []
    for event in record.of("lock"):
        lock, holder = fields.number(event, "lock"), fields.text(event, "holder", 200)
        if lock is not None:
            waiting = thread_of(event)
            found.append(LockWait(time_of(event), record.pid, waiting, lock, holder, record.site(event)))
    return tuple(found)


def troubles(record: Record) -> tuple[str, ...]:
    return tuple(
        f"{record.pid}: {fields.text(event, 'where', 200)}: {fields.text(event, 'text', 200)}"
        for event in record.of("probe-error")
    )


def sources(record: Record) -> dict[tuple[str, int], str]:
    """Source lines that the journal holds with its frames: faulthandler writes none."""
    told = [*record.sites.values()]
    for event in record.of("raised", "signal", "put", "got", "lock", "done"):
        told.extend(fields.frames(event, "frames"))
        if (site := record.site(event)) is not None:
            told.append(site)
    return {(one.file, one.line): one.source for one in told if one.source}
