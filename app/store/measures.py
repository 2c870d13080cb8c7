"""Small numbers that no table holds: totals of what retention removes, and what only a worker sees."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.store.base import Base, ShortText
from app.store.upsert import insert_missing, insert_or_update

GITHUB_LIMIT, GITHUB_REMAINING, GITHUB_RESET = "github limit", "github remaining", "github reset"
"""The hourly budget as last seen: requests, requests, and when it begins anew, in seconds since 1970."""

REMOVAL = "removal"
"""When what is past its time was last removed."""


class MeasureRow(Base):
    __tablename__ = "measures"

    name: Mapped[str] = mapped_column(ShortText(60), primary_key=True)
    label: Mapped[str] = mapped_column(ShortText(200), primary_key=True)
    """What tells several of one name apart; empty where there is one."""
    value: Mapped[int]
    at: Mapped[datetime]
    """When it was seen or, of a total, until when it counts."""


@dataclass(frozen=True, slots=True)
class Measure:
    value: int
    at: datetime


Measures = Mapping[tuple[str, str], Measure]
"""By name and label."""


def note(session: Session, name: str, values: Mapping[str, int], *, at: datetime) -> None:
    """Keep the newest values of a name, by label."""
    insert_or_update(
        session, MeasureRow, _rows(name, values, at), unique=["name", "label"], replace=["value", "at"]
    )


def add(session: Session, name: str, counts: Mapping[str, int], *, at: datetime) -> None:
    """Add to the totals of a name, by label. Not safe to repeat: see `advance`."""
    insert_or_update(
        session, MeasureRow, _rows(name, counts, at), unique=["name", "label"], replace=["at"], add=["value"]
    )


def advance(session: Session, name: str, *, start: datetime, end: datetime) -> bool:
    """Move a mark from one instant to a later one; False if another process moved it meanwhile.

    What is written in the same transaction is then written once for each such span.
    """
    moved = session.execute(
        update(MeasureRow)
        .where(MeasureRow.name == name, MeasureRow.label == "", MeasureRow.at == start)
        .values(at=end)
        .returning(MeasureRow.name)
    )
    return moved.first() is not None


def begin(session: Session, name: str, *, at: datetime) -> None:
    """Set a mark where there is none yet."""
    insert_missing(session, MeasureRow, _rows(name, {"": 0}, at), unique=["name", "label"])


def one(session: Session, name: str, label: str = "") -> Measure | None:
    row = session.get(MeasureRow, (name, label))
    return None if row is None else Measure(row.value, row.at)


def every(session: Session) -> Measures:
    return {(row.name, row.label): Measure(row.value, row.at) for row in session.scalars(select(MeasureRow))}


def _rows(name: str, values: Mapping[str, int], at: datetime) -> list[dict[str, object]]:
    """In the order of their key, so that two writers cannot deadlock."""
    return [
        {"name": name, "label": label[:200], "value": value, "at": at}
        for label, value in sorted(values.items())
    ]
