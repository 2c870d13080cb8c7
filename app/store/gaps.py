"""Gaps: evidence known to be missing, kept with the attempt it is missing from."""

from collections.abc import Collection, Iterable
from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.gap import Gap, GapKind
from app.store.base import Base, LongText, ShortText
from app.store.upsert import insert_missing


class GapRow(Base):
    __tablename__ = "gaps"
    __table_args__ = (
        UniqueConstraint("attempt_id", "job_id", "kind", "subject"),
        Index("ix_gaps_noted_at", "noted_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"))
    job_id: Mapped[int] = mapped_column(default=0)
    """Our key of the job it concerns, 0 for the whole attempt."""
    kind: Mapped[str] = mapped_column(ShortText(40))
    subject: Mapped[str] = mapped_column(ShortText(500))
    detail: Mapped[str] = mapped_column(LongText)
    noted_at: Mapped[datetime]


def note(session: Session, attempt: int, job: int | None, gaps: Iterable[Gap], *, at: datetime) -> None:
    """Keep gaps; the same one noted again changes nothing."""
    rows = [
        {
            "attempt_id": attempt,
            "job_id": job or 0,
            "kind": gap.kind.value,
            "subject": gap.subject,
            "detail": gap.detail,
            "noted_at": at,
        }
        for gap in gaps
    ]
    insert_missing(session, GapRow, rows, unique=["attempt_id", "job_id", "kind", "subject"])


def of_attempts(session: Session, attempts: Collection[int]) -> dict[int, list[tuple[int, Gap]]]:
    """Gaps by attempt, each with the job it concerns (0 for the whole attempt), in the order noted."""
    statement = select(GapRow).where(GapRow.attempt_id.in_(list(attempts))).order_by(GapRow.id).limit(5000)
    found: dict[int, list[tuple[int, Gap]]] = {attempt: [] for attempt in attempts}
    for row in session.scalars(statement):
        found[row.attempt_id].append((row.job_id, Gap(GapKind(row.kind), row.subject, row.detail)))
    return found
