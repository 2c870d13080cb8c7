"""The verdict on one failure: the rules in the order they are tried, the first that fits wins."""

from app.domain.category import Category
from app.domain.evidence import ChangeKind, Evidence
from app.domain.gap import Gap, GapKind
from app.domain.policy import VerdictPolicy
from app.domain.reasons import reasons_for
from app.domain.replay_evidence import Call, cause_of, strengthened
from app.domain.unfollowed import why_unfollowed
from app.domain.verdict import Kind, Strength, Verdict, Whose
from app.domain.weigh import Weighed, base_is_proven, is_mass_failure, weigh
from app.domain.wording import short


def judge(evidence: Evidence, policy: VerdictPolicy) -> Verdict:
    """Say what a failure is, how sure that is, and whose, from the evidence alone.

    The order of the evidence changes nothing. A replay can strengthen the call; whose it is, is decided
    before that, since a run cannot excuse itself. Gaps are carried through, with those of the evidence itself
    added; none makes a verdict stronger.
    """
    weighed = weigh(evidence, policy)
    call = _call(evidence, weighed, policy)
    kind, strength = strengthened(call, evidence.replays)
    cause = cause_of(evidence.replays)
    return Verdict(
        kind=kind,
        strength=strength,
        whose=_whose(evidence, weighed, call[0]),
        reasons=reasons_for(evidence, weighed, policy, kind),
        gaps=tuple(sorted({*evidence.gaps, *_gaps(evidence, weighed)})),
        opaque=evidence.signature.opaque,
        policy_version=policy.version,
        cause=None if cause is None else cause.value,
    )


def _call(evidence: Evidence, weighed: Weighed, policy: VerdictPolicy) -> Call:
    """Table 3.3 of the reference, without what replays say."""
    return (
        _infrastructure(evidence, policy)
        or _broken_main(weighed, policy)
        or _flaky(weighed, policy)
        or _regression(weighed, policy)
        or _new_failure(evidence, weighed, policy)
        or (Kind.UNDECIDED, Strength.SUSPECTED)
    )


def _infrastructure(evidence: Evidence, policy: VerdictPolicy) -> Call | None:
    """A job that failed as a whole, or whose own log says so: words in a test's own text prove nothing.

    A text that fits any failure, such as an exit code, names no machine: what the change broke ends so too.
    """
    if is_mass_failure(evidence.tally, policy):
        return Kind.INFRASTRUCTURE, Strength.LIKELY
    if not evidence.test and evidence.signature.category is Category.INFRA:
        return Kind.INFRASTRUCTURE, Strength.LIKELY
    return None


def _broken_main(weighed: Weighed, policy: VerdictPolicy) -> Call | None:
    """On main, and on a pull request whose base is inside the range (table 3.3)."""
    if len(weighed.streak) >= policy.broken_main_streak and not weighed.flipped_on_one_tree:
        return Kind.BROKEN_MAIN, Strength.LIKELY
    return None


def _flaky(weighed: Weighed, policy: VerdictPolicy) -> Call | None:
    """Only ever from a pass and a fail: silence is never a flake."""
    if weighed.flipped_on_one_tree:
        return Kind.FLAKY, Strength.LIKELY
    if weighed.is_known_flake and weighed.names_cause and len(weighed.outside) >= policy.known_flake_commits:
        return Kind.FLAKY, Strength.LIKELY
    if weighed.pair is not None or weighed.pair_elsewhere is not None:
        return Kind.FLAKY, Strength.SUSPECTED
    return None


def _regression(weighed: Weighed, policy: VerdictPolicy) -> Call | None:
    """A proven base and only failures here; not if the same failure is known without the change."""
    if not base_is_proven(weighed, policy) or weighed.seen_without_change or weighed.is_left_open:
        return None
    if len(weighed.repeats) >= policy.regression_confirmed_fails:
        return Kind.REGRESSION, Strength.CONFIRMED
    if len(weighed.repeats) >= policy.regression_fails:
        return Kind.REGRESSION, Strength.LIKELY
    return None


def _new_failure(evidence: Evidence, weighed: Weighed, policy: VerdictPolicy) -> Call | None:
    """Never seen, base not proven; a new failure mode of a flaky test starts here whatever its base says."""
    if evidence.signature.key is None or evidence.failed_before or weighed.seen_before:
        return None
    if why_unfollowed(evidence) is not None:
        return None
    if base_is_proven(weighed, policy) and not evidence.test_flipped_before:
        return None
    return Kind.NEW_FAILURE, Strength.SUSPECTED


def _whose(evidence: Evidence, weighed: Weighed, kind: Kind) -> Whose:
    """Of a pull request alone (CONTRACTS 1). Excusing rests on what was seen without the change, only."""
    if evidence.change.kind is not ChangeKind.PULL:
        return Whose.UNKNOWN
    if weighed.seen_without_change:
        return Whose.NOT_YOURS
    if weighed.looks_same_without_change:  # whether it is the same cannot be told
        return Whose.UNKNOWN
    return Whose.YOURS if kind is Kind.REGRESSION else Whose.UNKNOWN


def _gaps(evidence: Evidence, weighed: Weighed) -> list[Gap]:
    found = [one.gap for one in evidence.base.unseen] if evidence.base else []
    found += [
        Gap(GapKind.TREE_UNKNOWN, f"runs {pair.passed.run} and {pair.failed.run}", pair.same.how)
        for pair in (weighed.pair, weighed.pair_elsewhere)
        if pair is not None and pair.same.known is None
    ]
    found += [
        Gap(GapKind.HISTORY_UNKNOWN, f"commit {short(r.observation.sha)}", r.how) for r in weighed.unrelated
    ]
    if (why := why_unfollowed(evidence)) is not None:
        told = f"the test's name holds {why}, so its history cannot be followed"
        found.append(Gap(GapKind.ID_UNSTABLE, evidence.test, told))
    return found
