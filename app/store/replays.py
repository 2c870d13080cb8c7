"""What replays inside jobs claim of the tests that failed there: one row for each test of each artifact."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Double, ForeignKey, Index, UniqueConstraint, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.domain.pytest_node import to_test_id
from app.domain.replay_claim import ArmClaim, ReplayClaim
from app.domain.replay_words import Arm, CauseKind, ReplayVerdict
from app.store.base import Base, Json, LongText, ShortText, storable
from app.store.failures import FailureRow
from app.store.identities import TestRow
from app.store.upsert import insert_missing

MOST_OF_ATTEMPT = 1_000
"""Replays of one attempt that are read."""


class ReplayRow(Base):
    """`folder` is the bundle's place in its artifact, `manifest` the SHA-256 of its manifest."""

    __tablename__ = "replays"
    __table_args__ = (
        UniqueConstraint("attempt_id", "artifact", "folder"),
        Index("ix_replays_job", "job_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"))
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"))
    artifact: Mapped[int]
    """GitHub's id."""
    artifact_name: Mapped[str] = mapped_column(ShortText(300))
    artifact_digest: Mapped[str | None] = mapped_column(ShortText(100))
    folder: Mapped[str] = mapped_column(ShortText(500))
    manifest: Mapped[str] = mapped_column(ShortText(64))
    own_word: Mapped[bool]
    """Code from a fork, or whose origin is not known, ran there: anybody can have made it up."""
    test: Mapped[str] = mapped_column(LongText)
    label: Mapped[str] = mapped_column(LongText)
    """The test as results files name it."""
    verdict: Mapped[str] = mapped_column(ShortText(30))
    sentence: Mapped[str] = mapped_column(LongText)
    cause: Mapped[str] = mapped_column(ShortText(40))
    rank: Mapped[int | None]
    cause_sentence: Mapped[str] = mapped_column(LongText)
    exception: Mapped[str] = mapped_column(LongText)
    failures: Mapped[int]
    trials: Mapped[int]
    rate_low: Mapped[float] = mapped_column(Double)
    rate_high: Mapped[float] = mapped_column(Double)
    arms: Mapped[list[dict[str, Any]]] = mapped_column(Json)


@dataclass(frozen=True, slots=True)
class ArrivedReplay:
    """A claim, and where it came from. `job` is our key, None where it cannot be told which job made it."""

    job: int | None
    artifact: int
    artifact_name: str
    artifact_digest: str | None
    folder: str
    manifest: str
    own_word: bool
    claim: ReplayClaim

    @property
    def label(self) -> str:
        return to_test_id(self.claim.test).label


def record(session: Session, attempt: int, arrived: Sequence[ArrivedReplay]) -> None:
    """Safe to repeat: one of the same artifact and folder is left as it is."""
    rows = [
        {
            "attempt_id": attempt,
            "job_id": one.job,
            "artifact": one.artifact,
            "artifact_name": one.artifact_name,
            "artifact_digest": one.artifact_digest,
            "folder": one.folder,
            "manifest": one.manifest,
            "own_word": one.own_word,
            "test": one.claim.test,
            "label": one.label,
            "verdict": one.claim.verdict.value,
            "sentence": one.claim.sentence,
            "cause": one.claim.cause.value,
            "rank": one.claim.rank,
            "cause_sentence": one.claim.cause_sentence,
            "exception": one.claim.exception,
            "failures": one.claim.failures,
            "trials": one.claim.trials,
            "rate_low": one.claim.rate_low,
            "rate_high": one.claim.rate_high,
            "arms": [asdict(arm) | {"arm": arm.arm.value} for arm in one.claim.arms],
        }
        for one in arrived
    ]
    insert_missing(session, ReplayRow, rows, unique=["attempt_id", "artifact", "folder"])


def of_attempt(session: Session, attempt: int) -> list[ArrivedReplay]:
    """By test, then in the order of their artifacts."""
    return of_attempts(session, [attempt])[attempt]


def of_attempts(session: Session, attempts: Collection[int]) -> dict[int, list[ArrivedReplay]]:
    """Of each attempt at most MOST_OF_ATTEMPT. Served by the unique key."""
    statement = (
        select(ReplayRow)
        .where(ReplayRow.attempt_id.in_(list(attempts)))
        .order_by(ReplayRow.label, ReplayRow.artifact, ReplayRow.id)
        .limit(MOST_OF_ATTEMPT * max(1, len(attempts)))
    )
    found: dict[int, list[ArrivedReplay]] = {attempt: [] for attempt in attempts}
    for row in session.scalars(statement):
        found[row.attempt_id].append(_arrived(row))
    return found


def of_failure(
    session: Session, attempt: int, job: int, label: str, known: Sequence[ArrivedReplay]
) -> list[ArrivedReplay]:
    """Those of `known`, the replays of the attempt, that are about the failure of the test in this job.

    One whose job is not known is about it only if the test failed in no other job of the attempt. Where two
    tests of the job bear this name, none is about either of them.
    """
    same = [one for one in known if storable(one.label) == storable(label) and one.job in {job, None}]
    if not same:
        return []
    failed = (
        select(FailureRow.job_id, func.count())
        .join(TestRow, TestRow.id == FailureRow.test_id)
        .where(FailureRow.attempt_id == attempt, TestRow.label == label)
        .group_by(FailureRow.job_id)
        .limit(1_000)
    )
    jobs = dict(session.execute(failed).all())
    if jobs.get(job, 0) != 1:
        return []
    return [one for one in same if one.job == job or len(jobs) == 1]


def _arrived(row: ReplayRow) -> ArrivedReplay:
    return ArrivedReplay(
        job=row.job_id,
        artifact=row.artifact,
        artifact_name=row.artifact_name,
        artifact_digest=row.artifact_digest,
        folder=row.folder,
        manifest=row.manifest,
        own_word=row.own_word,
        claim=ReplayClaim(
            test=row.test,
            verdict=ReplayVerdict(row.verdict),
            sentence=row.sentence,
            cause=CauseKind(row.cause),
            rank=row.rank,
            cause_sentence=row.cause_sentence,
            exception=row.exception,
            failures=row.failures,
            trials=row.trials,
            rate_low=row.rate_low,
            rate_high=row.rate_high,
            arms=tuple(_arm(one) for one in row.arms),
        ),
    )


def _arm(plain: dict[str, Any]) -> ArmClaim:
    return ArmClaim(Arm(plain["arm"]), plain["failures"], plain["trials"], plain["limits"])
