"""The outbox: work that a transaction asks for, written with the facts it follows from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Index, String, or_, select, text, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.store.base import Base, Json
from app.store.upsert import insert_missing


class OutboxRow(Base):
    __tablename__ = "outbox"
    __table_args__ = (
        Index(
            "ix_outbox_waiting",
            "id",
            sqlite_where=text("relayed_at IS NULL"),
            postgresql_where=text("relayed_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(300), unique=True)
    stage: Mapped[str] = mapped_column(String(60))
    payload: Mapped[dict[str, Any]] = mapped_column(Json)
    partition: Mapped[str | None] = mapped_column(String(400))
    run_after: Mapped[datetime | None]
    relayed_at: Mapped[datetime | None]


@dataclass(frozen=True, slots=True)
class Order:
    """One wish for work. `key` names it for ever: asking twice under one key runs it once.

    `partition` serialises: two orders of one stage and partition never run at the same time.
    """

    key: str
    stage: str
    payload: Mapping[str, Any]
    partition: str | None = None
    run_after: datetime | None = None


def ask(session: Session, *orders: Order) -> int:
    """Write the orders into the caller's transaction; return how many keys were new."""
    rows = [
        {
            "key": order.key,
            "stage": order.stage,
            "payload": dict(order.payload),
            "partition": order.partition,
            "run_after": order.run_after,
            "relayed_at": None,
        }
        for order in orders
    ]
    return insert_missing(session, OutboxRow, rows, unique=["key"])


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
        Order(row.key, row.stage, row.payload, row.partition, row.run_after)
        for row in session.scalars(statement)
    ]


def mark_relayed(session: Session, keys: Sequence[str], *, at: datetime) -> None:
    session.execute(update(OutboxRow).where(OutboxRow.key.in_(keys)).values(relayed_at=at))
