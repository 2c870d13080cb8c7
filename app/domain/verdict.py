"""The verdict on one failure: what it is, how sure, whose, with reasons that can be checked."""

from dataclasses import dataclass
from enum import StrEnum

from app.domain.gap import Gap


class Kind(StrEnum):
    FLAKY = "flaky"
    NEW_FAILURE = "new-failure"
    REGRESSION = "regression"
    BROKEN_MAIN = "broken-main"
    INFRASTRUCTURE = "infrastructure"
    ORDER_DEPENDENT = "order-dependent"
    UNDECIDED = "undecided"


class Strength(StrEnum):
    SUSPECTED = "suspected"
    LIKELY = "likely"
    CONFIRMED = "confirmed"


class Whose(StrEnum):
    YOURS = "yours"
    NOT_YOURS = "not-yours"
    UNKNOWN = "unknown"


class EvidenceKind(StrEnum):
    """The kinds of evidence a verdict may rest on; each stored piece has one."""

    SAME_TREE_FLIP = "same-tree-flip"
    SAME_SHA_FLIP = "same-sha-flip"
    SIBLING_PASSED = "sibling-passed"
    SIBLING_FAILED = "sibling-failed"
    SEEN_WITHOUT_CHANGE = "seen-without-change"
    SEEN_ALIKE = "seen-alike"  # without the change, and not enough to clear it
    SEEN_WITH_CHANGE = "seen-with-change"
    FLIPPED_ELSEWHERE = "flipped-elsewhere"
    BASE_STATE = "base-state"
    MASS_FAILURE = "mass-failure"
    INFRA_SIGNATURE = "infra-signature"
    MAIN_STREAK = "main-streak"
    REPEATED_FAILURE = "repeated-failure"
    FIRST_SEEN = "first-seen"
    OPAQUE = "opaque"
    NEW_MODE = "new-mode"
    RANK_LOG = "rank-log"
    REPLAY = "replay"  # inside the failed job, by its own claim
    REPLAY_CAUSE = "replay-cause"
    NOT_EXCLUDED = "not-excluded"


class EvidenceStrength(StrEnum):
    STRONG = "strong"
    WEAK = "weak"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence with the ids of the runs it stands on (GitHub's run ids, oldest first)."""

    kind: EvidenceKind
    strength: EvidenceStrength
    text: str
    runs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    kind: Kind
    strength: Strength
    whose: Whose
    reasons: tuple[Reason, ...]
    gaps: tuple[Gap, ...]
    opaque: bool
    policy_version: str
    cause: str | None = None


def is_change_of_mind(before: Verdict, after: Verdict) -> bool:
    """Whether another thing is said, or it rests on, or lacks, evidence of another kind.

    The words of a reason, the runs it names, and one more gap of a kind that was missing already, are none.
    """
    return _said(before) != _said(after)


def _said(verdict: Verdict) -> tuple[object, ...]:
    return (
        verdict.kind,
        verdict.strength,
        verdict.whose,
        verdict.cause,
        verdict.opaque,
        frozenset(reason.kind for reason in verdict.reasons),
        frozenset(gap.kind for gap in verdict.gaps),
    )
