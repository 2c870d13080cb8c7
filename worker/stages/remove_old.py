"""Once a day: remove what is past its time."""

import structlog

from app.store import measures
from app.store.outbox import ask
from app.store.session import unit_of_work
from worker.deps import Deps, Payload
from worker.housekeeping import closed_pulls
from worker.housekeeping.horizon import Horizon
from worker.housekeeping.orders import reached_before, removal_order
from worker.housekeeping.removal import Removal

CHUNKS = 100
"""Transactions of one task, which take some seconds: a worker that is asked to stop does not wait longer."""

log = structlog.get_logger(__name__)


def remove_old(deps: Deps, payload: Payload) -> None:
    """Safe to repeat. What one task does not finish, the next one goes on with."""
    horizon = Horizon.seen_from(deps.clock.now(), deps.settings)
    part: int = payload["part"]
    if part == 1:
        closed_pulls.look(deps, horizon)
    removal = Removal(deps.store, deps.inbox, horizon, reached=reached_before(payload))
    removed, reached = removal.run(chunks=CHUNKS)
    log.info(
        "removed what was past its time",
        part=part,
        is_all=reached is None,
        texts=removed.texts,
        bytes=removed.bytes,
        **removed.rows,
    )
    with unit_of_work(deps.store) as session:
        if reached is None:
            measures.note(session, measures.REMOVAL, {"": part}, at=horizon.now)
        else:
            ask(session, removal_order(payload["day"], part=part + 1, reached=reached))
