"""Remove deliveries, orders and ended tasks that are past their time; a little in each transaction."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select
from sqlalchemy.orm import Session

from app.store.inbox import DeliveryRow, DeliveryState
from app.store.outbox import OutboxRow
from app.store.tasks import TaskRow, TaskState

AT_ONCE = 500
DELIVERIES_AT_ONCE = 50
BYTES_AT_ONCE = 8 * 1024 * 1024
"""Of bodies, of which one can be 25 MB."""

_ENDED = (TaskState.DONE.value, TaskState.DEAD.value)


def old_deliveries(session: Session, *, before: datetime) -> list[str]:
    """Some deliveries received before then that wait for nobody, oldest first."""
    statement = (
        select(DeliveryRow.guid, func.length(DeliveryRow.body))
        .where(*_old_delivery(before))
        .order_by(DeliveryRow.received_at)
        .limit(DELIVERIES_AT_ONCE)
    )
    chosen: list[str] = []
    size = 0
    for guid, body in session.execute(statement):
        size += body
        if chosen and size > BYTES_AT_ONCE:
            break
        chosen.append(guid)
    return chosen


def remove_deliveries(session: Session, guids: Sequence[str], *, before: datetime) -> int:
    """Remove those of them that are still old: one that was delivered again may wait anew."""
    gone = delete(DeliveryRow).where(DeliveryRow.guid.in_(guids), *_old_delivery(before))
    return len(session.scalars(gone.returning(DeliveryRow.guid)).all())


def count_deliveries(session: Session, *, before: datetime) -> int:
    return _count(session, *_old_delivery(before))


def remove_some_tasks(session: Session, *, done_before: datetime, dead_before: datetime) -> int:
    """Remove some ended tasks with their orders; a dead one stays as long as a person could retry it."""
    keys = session.scalars(
        select(TaskRow.key).where(_old_task(done_before, dead_before)).limit(AT_ONCE)
    ).all()
    session.execute(delete(OutboxRow).where(OutboxRow.key.in_(keys)))
    session.execute(delete(TaskRow).where(TaskRow.key.in_(keys)))
    return len(keys)


def count_tasks(session: Session, *, done_before: datetime, dead_before: datetime) -> int:
    return _count(session, _old_task(done_before, dead_before))


def old_orders(session: Session, *, before: datetime, after: int) -> tuple[list[int], int | None]:
    """Some relayed orders of key above `after` that no unfinished task needs, and the last key looked at.

    The latter is None once there are no older ones: orders are relayed in about the order of their keys.
    """
    statement = (
        select(OutboxRow.id, OutboxRow.relayed_at, _is_needed().label("needed"))
        .where(OutboxRow.id > after)
        .order_by(OutboxRow.id)
        .limit(AT_ONCE)
    )
    found = session.execute(statement).all()
    old = [row for row in found if row.relayed_at is not None and row.relayed_at < before]
    if not old:
        return [], None
    return [row.id for row in old if not row.needed], found[-1].id


def remove_orders(session: Session, orders: Sequence[int], *, before: datetime) -> int:
    """Remove those of them that are still old: one of an unfinished task may have been asked for again."""
    gone = delete(OutboxRow).where(OutboxRow.id.in_(orders), OutboxRow.relayed_at < before, ~_is_needed())
    return len(session.scalars(gone.returning(OutboxRow.id)).all())


def _is_needed() -> ColumnElement[bool]:
    """A worker's start has the newest order of an unfinished task carried again."""
    return exists().where(TaskRow.key == OutboxRow.key, TaskRow.state.not_in(_ENDED))


def _old_delivery(before: datetime) -> tuple[ColumnElement[bool], ...]:
    return DeliveryRow.received_at < before, DeliveryRow.state != DeliveryState.WAITING.value


def _old_task(done_before: datetime, dead_before: datetime) -> ColumnElement[bool]:
    """Served by ix_tasks_state."""
    return or_(
        and_(TaskRow.state == TaskState.DONE.value, TaskRow.updated_at < done_before),
        and_(TaskRow.state == TaskState.DEAD.value, TaskRow.updated_at < dead_before),
    )


def _count(session: Session, *where: ColumnElement[bool]) -> int:
    return session.scalars(select(func.count()).where(*where)).one()
