"""Verdicts and the evidence they rest on: a new row only for a change of mind, no evidence ever dropped."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Select, UniqueConstraint, func, select
from sqlalchemy.orm import Mapped, Session, defer, mapped_column

from app.domain.gap import Gap, GapKind
from app.domain.verdict import (
    EvidenceKind,
    EvidenceStrength,
    Kind,
    Reason,
    Strength,
    Verdict,
    Whose,
    is_change_of_mind,
)
from app.store import named_runs
from app.store.base import Base, Json, LongText, ShortText
from app.store.upsert import chunks, insert_missing

FAILURES_PER_STATEMENT = 100
"""Failures whose evidence is looked up together; each has some ten pieces."""


class EvidenceRow(Base):
    """One piece of evidence: a sentence, how strong it is, and the runs it can be checked against."""

    __tablename__ = "evidence"
    __table_args__ = (UniqueConstraint("failure_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    failure_id: Mapped[int] = mapped_column(ForeignKey("failures.id"))
    digest: Mapped[str] = mapped_column(ShortText(32))
    kind: Mapped[str] = mapped_column(ShortText(40))
    strength: Mapped[str] = mapped_column(ShortText(20))
    text: Mapped[str] = mapped_column(LongText)
    runs: Mapped[list[int]] = mapped_column(Json)
    found_at: Mapped[datetime]


class VerdictRow(Base):
    __tablename__ = "verdicts"
    __table_args__ = (
        UniqueConstraint("failure_id", "number"),
        Index("ix_verdicts_judged_at", "judged_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    failure_id: Mapped[int] = mapped_column(ForeignKey("failures.id"))
    number: Mapped[int]
    """1 for the first verdict on a failure, one more for each change of mind."""
    kind: Mapped[str] = mapped_column(ShortText(30))
    strength: Mapped[str] = mapped_column(ShortText(20))
    whose: Mapped[str] = mapped_column(ShortText(20))
    cause: Mapped[str | None] = mapped_column(ShortText(40))
    opaque: Mapped[bool]
    evidence: Mapped[list[int]] = mapped_column(Json)
    """Keys of its evidence rows, in the order of its reasons."""
    gaps: Mapped[list[dict[str, str]]] = mapped_column(Json)
    facts: Mapped[dict[str, Any]] = mapped_column(Json)
    """The whole input of the judgement, so that it can be computed again."""
    digest: Mapped[str] = mapped_column(ShortText(32))
    """Of all that is told, so that an equal judgement writes nothing."""
    policy_version: Mapped[str] = mapped_column(ShortText(20))
    judged_at: Mapped[datetime]
    """When this was first said; its reasons, gaps and facts may have been brought up to date since."""


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    id: int
    failure: int
    number: int
    verdict: Verdict
    judged_at: datetime


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on one failure, with the facts that it was judged from."""

    failure: int
    verdict: Verdict
    facts: dict[str, Any]


def record_change(
    session: Session, failure: int, verdict: Verdict, *, facts: dict[str, Any], at: datetime
) -> bool:
    """Keep one verdict; False if the newest one on this failure told all the same."""
    return bool(record_changes(session, [Judgement(failure, verdict, facts)], at=at))


def record_changes(session: Session, judgements: Sequence[Judgement], *, at: datetime) -> set[int]:
    """Keep verdicts, at most one a failure; return the failures on which a mind was made up or changed.

    That is a row of its own. One more recurrence, or another gap of a known kind, is none: the newest row
    stays with its key and time, and names the newest reasons, gaps and facts; nobody is told again of that.
    """
    newest = _newest(session, [one.failure for one in judgements])
    digests = {one.failure: _digest(_plain(one.verdict)) for one in judgements}
    new = [
        one
        for one in judgements
        if one.failure not in newest or newest[one.failure].digest != digests[one.failure]
    ]
    evidence = _keep_evidence(session, new, at)
    before = {told.failure: told.verdict for told in stored(session, [newest[key] for key in newest])}
    said: set[int] = set()
    for one in new:
        last = newest.get(one.failure)
        if last is None or is_change_of_mind(before[one.failure], one.verdict):
            last = _first_said(one, number=1 if last is None else last.number + 1, at=at)
            session.add(last)
            said.add(one.failure)
        last.evidence, last.gaps, last.facts = evidence[one.failure], _gaps(one.verdict), one.facts
        last.digest, last.policy_version = digests[one.failure], one.verdict.policy_version
    session.flush()  # a second verdict on a failure in one transaction must see the first
    return said


def _newest(session: Session, failures: Collection[int]) -> dict[int, VerdictRow]:
    """Without their facts, which may be long: they are written here, never compared."""
    statement = _newest_on(failures).options(defer(VerdictRow.facts))
    return {row.failure_id: row for row in session.scalars(statement)}


def _first_said(one: Judgement, *, number: int, at: datetime) -> VerdictRow:
    verdict = one.verdict
    return VerdictRow(
        failure_id=one.failure,
        number=number,
        kind=verdict.kind.value,
        strength=verdict.strength.value,
        whose=verdict.whose.value,
        cause=verdict.cause,
        opaque=verdict.opaque,
        judged_at=at,
    )


def _gaps(verdict: Verdict) -> list[dict[str, str]]:
    return [{"kind": gap.kind.value, "subject": gap.subject, "detail": gap.detail} for gap in verdict.gaps]


def _keep_evidence(session: Session, judgements: Sequence[Judgement], at: datetime) -> dict[int, list[int]]:
    """Our keys of each failure's evidence, in the order of its reasons."""
    digests = {
        one.failure: [
            _digest([reason.kind.value, reason.text, list(reason.runs)]) for reason in one.verdict.reasons
        ]
        for one in judgements
    }
    rows = [
        {
            "failure_id": one.failure,
            "digest": digest,
            "kind": reason.kind.value,
            "strength": reason.strength.value,
            "text": reason.text,
            "runs": list(reason.runs),
            "found_at": at,
        }
        for one in judgements
        for digest, reason in zip(digests[one.failure], one.verdict.reasons, strict=True)
    ]
    insert_missing(session, EvidenceRow, rows, unique=["failure_id", "digest"])
    named_runs.name(
        session, ((one.failure, reason.runs) for one in judgements for reason in one.verdict.reasons)
    )
    keys: dict[tuple[int, str], int] = {}
    columns = (EvidenceRow.failure_id, EvidenceRow.digest, EvidenceRow.id)
    for some in chunks(sorted(digests), FAILURES_PER_STATEMENT):
        named = {digest for failure in some for digest in digests[failure]}
        found = select(*columns).where(EvidenceRow.failure_id.in_(some), EvidenceRow.digest.in_(named))
        keys |= {(failure, digest): key for failure, digest, key in session.execute(found)}
    return {failure: [keys[failure, digest] for digest in told] for failure, told in digests.items()}


def latest(session: Session, failures: Collection[int]) -> dict[int, StoredVerdict]:
    """The newest verdict on each failure that has one."""
    rows = list(session.scalars(_newest_on(failures)))
    return {newest.failure: newest for newest in stored(session, rows)}


def _newest_on(failures: Collection[int]) -> Select[VerdictRow]:
    last = (
        select(VerdictRow.failure_id, func.max(VerdictRow.number).label("number"))
        .where(VerdictRow.failure_id.in_(list(failures)))
        .group_by(VerdictRow.failure_id)
        .subquery()
    )
    return select(VerdictRow).join(
        last, (VerdictRow.failure_id == last.c.failure_id) & (VerdictRow.number == last.c.number)
    )


def history(session: Session, failures: Collection[int]) -> list[StoredVerdict]:
    """Every verdict on these failures, oldest first."""
    statement = (
        select(VerdictRow)
        .where(VerdictRow.failure_id.in_(list(failures)))
        .order_by(VerdictRow.id)
        .limit(5000)
    )
    return stored(session, list(session.scalars(statement)))


def any_flaky(session: Session, failures: Collection[int]) -> bool:
    """Whether any of these failures was ever called a flake that flipped."""
    statement = select(VerdictRow.id).where(
        VerdictRow.failure_id.in_(list(failures)), VerdictRow.kind == Kind.FLAKY.value
    )
    return bool(failures) and session.scalars(statement.limit(1)).one_or_none() is not None


def by_id(session: Session, verdict: int) -> tuple[StoredVerdict, dict[str, Any]] | None:
    """A verdict with the facts it was judged from."""
    row = session.get(VerdictRow, verdict)
    return None if row is None else (stored(session, [row])[0], row.facts)


def stored(session: Session, rows: Sequence[VerdictRow]) -> list[StoredVerdict]:
    """What rows hold, in their order, with the evidence they name; for the reads of this package."""
    keys = {key for row in rows for key in row.evidence}
    statement = select(EvidenceRow).where(EvidenceRow.id.in_(keys))
    reasons = {row.id: _reason(row) for row in session.scalars(statement)} if keys else {}
    return [
        StoredVerdict(
            id=row.id,
            failure=row.failure_id,
            number=row.number,
            verdict=Verdict(
                kind=Kind(row.kind),
                strength=Strength(row.strength),
                whose=Whose(row.whose),
                reasons=tuple(reasons[key] for key in row.evidence),
                gaps=tuple(Gap(GapKind(gap["kind"]), gap["subject"], gap["detail"]) for gap in row.gaps),
                opaque=row.opaque,
                policy_version=row.policy_version,
                cause=row.cause,
            ),
            judged_at=row.judged_at,
        )
        for row in rows
    ]


def _reason(row: EvidenceRow) -> Reason:
    return Reason(EvidenceKind(row.kind), EvidenceStrength(row.strength), row.text, tuple(row.runs))


def _plain(verdict: Verdict) -> list[object]:
    return [
        verdict.kind.value,
        verdict.strength.value,
        verdict.whose.value,
        verdict.cause,
        verdict.opaque,
        verdict.policy_version,
        [[reason.kind.value, reason.text, list(reason.runs)] for reason in verdict.reasons],
        [[gap.kind.value, gap.subject, gap.detail] for gap in verdict.gaps],
    ]


def _digest(plain: object) -> str:
    text = json.dumps(plain, ensure_ascii=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
