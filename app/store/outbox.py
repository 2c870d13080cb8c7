"""The outbox: work that a transaction asks for, written with the facts it follows from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Index, UniqueConstraint, func, or_, select, text, tuple_, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.store.base import Base, Json, ShortText
from app.store.upsert import insert_missing


class OutboxRow(Base):
    __tablename__ = "outbox"
    __table_args__ = (
        UniqueConstraint("key", "number"),
        Index(
            "ix_outbox_waiting",
            "id",
            sqlite_where=text("relayed_at IS NULL"),
            postgresql_where=text("relayed_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(ShortText(300))
    number: Mapped[int]
    stage: Mapped[str] = mapped_column(ShortText(60))
    payload: Mapped[dict[str, Any]] = mapped_column(Json)
    partition: Mapped[str | None] = mapped_column(ShortText(400))
    run_after: Mapped[datetime | None]
    relayed_at: Mapped[datetime | None]


@dataclass(frozen=True, slots=True)
class Order:
    """One wish for work. `key` names it for ever: asking twice under one key runs it once.

    `partition` serialises: of the stages that share a partitioned queue, no two tasks of one partition
    run at the same time. `run_after` is the earliest start; None means at once. `number` tells the tries
    of one task apart: whoever asks for new work leaves it at 1 (`app.store.tasks` writes the others).
    """

    key: str
    stage: str
    payload: Mapping[str, Any]
    partition: str | None = None
    run_after: datetime | None = None
    number: int = 1


def ask(session: Session, *orders: Order) -> int:
    """Write the orders into the caller's transaction; return how many keys were new."""
    rows = [
        {
            "key": order.key,
            "number": order.number,
            "stage": order.stage,
            "payload": dict(order.payload),
            "partition": order.partition,
            "run_after": order.run_after,
            "relayed_at": None,
        }
        for order in orders
    ]
    return insert_missing(session, OutboxRow, rows, unique=["key", "number"])


def waiting(session: Session, *, now: datetime, limit: int) -> list[Order]:
    """Orders that are due, in the order they were written."""
    statement = (
        select(OutboxRow)
        .where(
            OutboxRow.relayed_at.is_(None),
            or_(OutboxRow.run_after.is_(None), OutboxRow.run_after <= now),
        )
        .order_by(OutboxRow.id)
        .limit(limit)
    )
    return [
        Order(row.key, row.stage, row.payload, row.partition, row.run_after, row.number)
        for row in session.scalars(statement)
    ]


def count_waiting(session: Session) -> int:
    """Orders that the engine does not have yet, due or not."""
    waiting_rows = select(func.count()).select_from(OutboxRow).where(OutboxRow.relayed_at.is_(None))
    return session.scalars(waiting_rows).one()


def mark_relayed(session: Session, orders: Sequence[Order], *, at: datetime) -> None:
    """Note that the engine has the orders; at most a few hundred at a time."""
    names = [(order.key, order.number) for order in orders]
    session.execute(
        update(OutboxRow).where(tuple_(OutboxRow.key, OutboxRow.number).in_(names)).values(relayed_at=at)
    )
