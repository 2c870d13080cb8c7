"""Artifacts and the files taken from them or from job logs, each a blob with its place of origin."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, UniqueConstraint, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.store.base import Base, LongText, ShortText, storable
from app.store.runs import AttemptRow, JobRow
from app.store.upsert import insert_missing, insert_or_update


class ArtifactState(StrEnum):
    FETCHED = "fetched"
    EXPIRED = "expired"
    GONE = "gone"
    REFUSED = "refused"
    UNWANTED = "unwanted"  # nothing in it that we read


class FileKind(StrEnum):
    RESULTS = "results"
    RANK_LOG = "rank-log"
    JOB_LOG = "job-log"
    ANNOTATIONS = "annotations"  # what GitHub noted at a job whose log tells no cause
    REPLAY_REPORT = "replay-report"  # of a bundle that a job made
    TEST_SOURCE = "test-source"  # the replayed test's own file, from such a bundle


class ArtifactRow(Base):
    __tablename__ = "artifacts"
    __table_args__ = (UniqueConstraint("attempt_id", "github_id"), Index("ix_artifacts_job", "job_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"))
    github_id: Mapped[int]
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id"))
    name: Mapped[str] = mapped_column(ShortText(300))
    size_bytes: Mapped[int]
    digest: Mapped[str | None] = mapped_column(ShortText(100))
    state: Mapped[str] = mapped_column(ShortText(20))
    detail: Mapped[str] = mapped_column(LongText, default="")
    created_at: Mapped[datetime]


class SourceFileRow(Base):
    """A file that results or a log are read from; `origin` is the artifact's name, or `log` for a job log."""

    __tablename__ = "source_files"
    __table_args__ = (
        UniqueConstraint("attempt_id", "job_id", "origin", "path"),
        Index("ix_source_files_job", "job_id"),
        Index("ix_source_files_blob", "blob"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"))
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id"))
    origin: Mapped[str] = mapped_column(ShortText(300))
    path: Mapped[str] = mapped_column(ShortText(500))
    kind: Mapped[str] = mapped_column(ShortText(20))
    blob: Mapped[str] = mapped_column(ShortText(64))
    cut: Mapped[bool]


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    github_id: int
    job: int | None
    name: str
    size_bytes: int
    digest: str | None
    state: ArtifactState
    detail: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SourceFile:
    """`job` is our key of the job it belongs to, or None where that could not be told."""

    job: int | None
    origin: str
    path: str
    kind: FileKind
    blob: str
    cut: bool = False


def record(session: Session, attempt: int, artifacts: Sequence[StoredArtifact]) -> None:
    rows = [
        {
            "attempt_id": attempt,
            "github_id": artifact.github_id,
            "job_id": artifact.job,
            "name": artifact.name,
            "size_bytes": artifact.size_bytes,
            "digest": artifact.digest,
            "state": artifact.state.value,
            "detail": artifact.detail,
            "created_at": artifact.created_at,
        }
        for artifact in artifacts
    ]
    insert_or_update(
        session,
        ArtifactRow,
        rows,
        unique=["attempt_id", "github_id"],
        replace=["state", "detail", "digest", "job_id"],
    )


def made_by(session: Session, run: int, found: Collection[int]) -> dict[int, str]:
    """Names of the jobs known to have made these artifacts, by GitHub's ids; `run` is our key."""
    statement = (
        select(ArtifactRow.github_id, JobRow.name)
        .join(JobRow, JobRow.id == ArtifactRow.job_id)
        .join(AttemptRow, AttemptRow.id == ArtifactRow.attempt_id)
        .where(AttemptRow.run_id == run, ArtifactRow.github_id.in_(list(found)))
    )
    return {made.github_id: made.name for made in session.execute(statement)}


def add_files(session: Session, attempt: int, files: Sequence[SourceFile]) -> None:
    """Note files of an attempt; one of the same origin and path is not added twice."""
    known = {(file.job, file.origin, file.path) for file in files_of(session, attempt)}
    rows = [
        {
            "attempt_id": attempt,
            "job_id": file.job,
            "origin": file.origin,
            "path": file.path[-500:],
            "kind": file.kind.value,
            "blob": file.blob,
            "cut": file.cut,
        }
        for file in files
        # A missing job is NULL, and NULLs are never equal to a unique constraint.
        if (file.job, storable(file.origin, 300), storable(file.path[-500:], 500)) not in known
    ]
    insert_missing(session, SourceFileRow, rows, unique=["attempt_id", "job_id", "origin", "path"])


def files_of(session: Session, attempt: int) -> list[SourceFile]:
    statement = select(SourceFileRow).where(SourceFileRow.attempt_id == attempt).order_by(SourceFileRow.id)
    return [
        SourceFile(row.job_id, row.origin, row.path, FileKind(row.kind), row.blob, row.cut)
        for row in session.scalars(statement)
    ]
