"""The inbox: one row a delivery, committed before GitHub gets its answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index, LargeBinary, select, text, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.ids import DeliveryId
from app.store.base import InboxBase, Json, LongText, ShortText
from app.store.expressions import by_code_points
from app.store.upsert import insert_missing


class DeliveryState(StrEnum):
    WAITING = "waiting"  # starts the pipeline, not yet handed to the engine
    RELAYED = "relayed"
    IGNORED = "ignored"  # recorded only; `note` says why
    UNREADABLE = "unreadable"  # recorded, but it does not say what it should; `note` says what is missing


class DeliveryRow(InboxBase):
    __tablename__ = "deliveries"
    __table_args__ = (
        # The relay asks ten times a second; "greater than the last seen" would lose late commits.
        Index(
            "ix_deliveries_waiting",
            "received_at",
            sqlite_where=text("state = 'waiting'"),
            postgresql_where=text("state = 'waiting'"),
        ),
        Index("ix_deliveries_received_at", "received_at"),
    )

    guid: Mapped[str] = mapped_column(ShortText(100), primary_key=True)
    event: Mapped[str] = mapped_column(ShortText(100))
    action: Mapped[str | None] = mapped_column(ShortText(100))
    repo: Mapped[str | None] = mapped_column(ShortText(300))
    headers: Mapped[dict[str, str]] = mapped_column(Json)
    body: Mapped[bytes] = mapped_column(LargeBinary)
    state: Mapped[str] = mapped_column(ShortText(20))
    note: Mapped[str] = mapped_column(LongText, default="")
    received_at: Mapped[datetime]
    relayed_at: Mapped[datetime | None]
    deliveries_seen: Mapped[int] = mapped_column(default=1)


@dataclass(frozen=True, slots=True)
class StoredDelivery:
    guid: DeliveryId
    event: str
    action: str | None
    repo: str | None
    state: DeliveryState
    note: str
    received_at: datetime
    seen: int
    body: bytes


_NEVER_STARTED = (DeliveryState.IGNORED.value, DeliveryState.UNREADABLE.value)
_DECIDED_AGAIN = ("event", "action", "repo", "headers", "body", "state", "note", "received_at")


def record_once(session: Session, delivery: StoredDelivery, headers: dict[str, str]) -> bool:
    """Store a delivery; False if its GUID was there already, whose count of arrivals then rises.

    One that was ignored or unreadable and would start the pipeline today, under other settings or a newer
    version of ours, waits for the engine from now on.
    """
    row = {
        "guid": delivery.guid,
        "event": delivery.event,
        "action": delivery.action,
        "repo": delivery.repo,
        "headers": headers,
        "body": delivery.body,
        "state": delivery.state.value,
        "note": delivery.note,
        "received_at": delivery.received_at,
        "relayed_at": None,
        "deliveries_seen": 1,
    }
    if insert_missing(session, DeliveryRow, [row], unique=["guid"]):
        return True
    session.execute(
        update(DeliveryRow)
        .where(DeliveryRow.guid == delivery.guid)
        .values(deliveries_seen=DeliveryRow.deliveries_seen + 1)
    )
    if delivery.state is DeliveryState.WAITING:
        session.execute(
            update(DeliveryRow)
            .where(DeliveryRow.guid == delivery.guid, DeliveryRow.state.in_(_NEVER_STARTED))
            .values({name: row[name] for name in _DECIDED_AGAIN})
        )
    return False


def waiting(session: Session, *, limit: int) -> list[DeliveryId]:
    """Deliveries to hand to the engine, oldest first; their bodies, up to 25 MB each, stay where they are."""
    statement = (
        select(DeliveryRow.guid)
        .where(DeliveryRow.state == DeliveryState.WAITING.value)
        .order_by(DeliveryRow.received_at, by_code_points(DeliveryRow.guid))
        .limit(limit)
    )
    return [DeliveryId(guid) for guid in session.scalars(statement)]


def mark_relayed(session: Session, guids: Sequence[DeliveryId], *, at: datetime) -> None:
    session.execute(
        update(DeliveryRow)
        .where(DeliveryRow.guid.in_(guids))
        .values(state=DeliveryState.RELAYED.value, relayed_at=at)
    )


def wait_again(session: Session, *, since: datetime) -> None:
    """Have deliveries received since then handed over once more, whatever became of them."""
    session.execute(
        update(DeliveryRow)
        .where(DeliveryRow.received_at >= since, DeliveryRow.state == DeliveryState.RELAYED.value)
        .values(state=DeliveryState.WAITING.value)
    )


def by_guid(session: Session, guid: DeliveryId) -> StoredDelivery | None:
    row = session.get(DeliveryRow, guid)
    return None if row is None else _stored(row)


def newest(session: Session, *, limit: int) -> list[StoredDelivery]:
    newest_first = (DeliveryRow.received_at.desc(), by_code_points(DeliveryRow.guid))
    statement = select(DeliveryRow).order_by(*newest_first).limit(limit)
    return [_stored(row) for row in session.scalars(statement)]


def _stored(row: DeliveryRow) -> StoredDelivery:
    return StoredDelivery(
        guid=DeliveryId(row.guid),
        event=row.event,
        action=row.action,
        repo=row.repo,
        state=DeliveryState(row.state),
        note=row.note,
        received_at=row.received_at,
        seen=row.deliveries_seen,
        body=row.body,
    )
