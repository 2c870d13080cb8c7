"""The reasons of a verdict, each a sentence that can be checked, in the order a reader wants them.

Texts hold names of jobs and branches as they came: whoever shows them escapes them.
"""

from collections.abc import Collection

from app.domain.category import Category
from app.domain.evidence import Change, ChangeKind, Evidence, Observation, Recurrence
from app.domain.outcome import OutcomeKind
from app.domain.policy import VerdictPolicy
from app.domain.reasons_open import open_questions
from app.domain.replay_evidence import replay_reasons
from app.domain.unfollowed import why_unfollowed
from app.domain.verdict import EvidenceKind, EvidenceStrength, Kind, Reason
from app.domain.weigh import Weighed, base_is_proven, distinct, is_mass_failure
from app.domain.wording import counted, flip, listed, run_ids, run_name, sentence, short

NAMED_COMMITS = 3
"""Commits of recurrences that get a sentence each; the rest are counted in one."""

RELATED_LINES = 5

_CHANGES = {
    ChangeKind.PULL: "this pull request's change",
    ChangeKind.MAIN: "the change",
    ChangeKind.BRANCH: "this branch's change",
}

_TREES = {True: "", False: ", on different trees", None: ", on trees not known to be the same"}
"""What a claim of a pass and a fail must say of itself where it stands alone."""

_DECIDES = {
    Kind.INFRASTRUCTURE: {EvidenceKind.MASS_FAILURE, EvidenceKind.INFRA_SIGNATURE},
    Kind.BROKEN_MAIN: {EvidenceKind.MAIN_STREAK},
    Kind.FLAKY: {
        EvidenceKind.SAME_TREE_FLIP,
        EvidenceKind.SAME_SHA_FLIP,
        EvidenceKind.FLIPPED_ELSEWHERE,
        EvidenceKind.REPLAY,
    },
    Kind.REGRESSION: {EvidenceKind.REPEATED_FAILURE, EvidenceKind.BASE_STATE},
    Kind.NEW_FAILURE: {EvidenceKind.FIRST_SEEN, EvidenceKind.NEW_MODE},
}


def reasons_for(
    evidence: Evidence, weighed: Weighed, policy: VerdictPolicy, kind: Kind
) -> tuple[Reason, ...]:
    """What decided first, then what surrounds it, then what is not excluded."""
    found = [
        *_pair_here(weighed),
        *_pair_elsewhere(weighed),
        *replay_reasons(evidence),
        *_siblings(evidence),
        *_outside(evidence, weighed),
        *_inside(evidence.change, weighed),
        *_repeats(weighed, policy),
        *_base(evidence, weighed, policy),
        *_main_streak(evidence, weighed, policy),
        *_novelty(evidence, weighed, policy),
        *_opaque(evidence, weighed),
        *_job_wide(evidence, policy),
        *_rank_logs(evidence),
        *open_questions(evidence, weighed, policy, kind),
    ]
    decides = _DECIDES.get(kind, set())
    return tuple(sorted(found, key=lambda reason: not _decides(reason, decides)))


def _decides(reason: Reason, kinds: Collection[EvidenceKind]) -> bool:
    return reason.kind in kinds and reason.strength is not EvidenceStrength.CONTEXT


def _job_wide(evidence: Evidence, policy: VerdictPolicy) -> list[Reason]:
    failure, tally = evidence.failure, evidence.tally
    runs = (failure.run,)
    if is_mass_failure(tally, policy):
        text = (
            f"{tally.red} of {tally.ran} tests of job {failure.job} failed together, so this is about the job"
        )
        return [Reason(EvidenceKind.MASS_FAILURE, EvidenceStrength.STRONG, sentence(text), runs)]
    if evidence.signature.category is Category.INFRA:
        strength = EvidenceStrength.WEAK if evidence.test else EvidenceStrength.STRONG
        text = f"the text speaks of the machine or the network: {evidence.signature.title}"
        return [Reason(EvidenceKind.INFRA_SIGNATURE, strength, sentence(text), runs)]
    return []


def _main_streak(evidence: Evidence, weighed: Weighed, policy: VerdictPolicy) -> list[Reason]:
    streak = weighed.streak
    if evidence.main_streak is None or not streak:
        return []
    first, last, base = streak[0], streak[-1], evidence.main_streak.base
    enough = len(streak) >= policy.broken_main_streak
    strength = EvidenceStrength.STRONG if enough else EvidenceStrength.WEAK
    text = (
        f"{counted(len(streak), 'tested commit')} of {first.branch or 'main'} in a row failed alike, with no "
        f"pass between: from {run_name(first)} at {short(first.sha)} to {run_name(last)} at {short(last.sha)}"
    )
    if base is not None:
        text += f"; what this was tested on, {short(base)}, is one of them or lies between them"
    return [Reason(EvidenceKind.MAIN_STREAK, strength, sentence(text), run_ids(streak))]


def _pair_here(weighed: Weighed) -> list[Reason]:
    pair = weighed.pair
    if pair is None:
        return []
    proven = pair.same.known is True
    kind = EvidenceKind.SAME_TREE_FLIP if proven else EvidenceKind.SAME_SHA_FLIP
    strength = EvidenceStrength.STRONG if proven else EvidenceStrength.WEAK
    text = f"{flip(pair.passed, pair.failed)}{_TREES[pair.same.known]}; {pair.same.how}"
    return [Reason(kind, strength, sentence(text), run_ids([pair.passed, pair.failed]))]


def _repeats(weighed: Weighed, policy: VerdictPolicy) -> list[Reason]:
    repeats = weighed.repeats
    if len(repeats) < 2 or weighed.pair is not None:  # noqa: PLR2004 - one failure is no repeat
        return []
    enough = len(repeats) >= policy.regression_fails
    strength = EvidenceStrength.STRONG if enough else EvidenceStrength.WEAK
    text = f"it failed {len(repeats)} of {len(repeats)} times on this tree"
    return [Reason(EvidenceKind.REPEATED_FAILURE, strength, sentence(text), run_ids(repeats))]


def _pair_elsewhere(weighed: Weighed) -> list[Reason]:
    pair = weighed.pair_elsewhere
    if pair is None:
        return []
    told = flip(pair.passed, pair.failed, place="there")
    where = f"at {short(pair.failed.sha)}{_TREES[pair.same.known]}"
    lead = "the same failure flipped" if pair.same.known else "what failed alike passed and failed"
    text = f"{lead} {where}: {told}; {pair.same.how}"
    strength = EvidenceStrength.STRONG if pair.same.known is True else EvidenceStrength.WEAK
    runs = run_ids([pair.passed, pair.failed])
    return [Reason(EvidenceKind.FLIPPED_ELSEWHERE, strength, sentence(text), runs)]


def _siblings(evidence: Evidence) -> list[Reason]:
    siblings = [o for o in distinct(evidence.siblings) if o.variant != evidence.failure.variant]
    passed = [o for o in siblings if o.outcome is OutcomeKind.PASSED]
    failed = [o for o in siblings if o.outcome.is_red]
    found: list[Reason] = []
    if passed:
        text = f"in the same run it passed in {listed(sorted({o.job for o in passed}))}"
        runs = run_ids(passed)
        found.append(Reason(EvidenceKind.SIBLING_PASSED, EvidenceStrength.WEAK, sentence(text), runs))
    if failed:
        text = f"in the same run it also failed in {listed(sorted({o.job for o in failed}))}"
        runs = run_ids(failed)
        found.append(Reason(EvidenceKind.SIBLING_FAILED, EvidenceStrength.CONTEXT, sentence(text), runs))
    return found


def _outside(evidence: Evidence, weighed: Weighed) -> list[Reason]:
    strength = EvidenceStrength.STRONG if weighed.names_cause else EvidenceStrength.WEAK
    lead = f"the same failure happened without {_CHANGES[evidence.change.kind]}"
    clearing = _recurrences(weighed.outside, EvidenceKind.SEEN_WITHOUT_CHANGE, strength, lead)
    return [*clearing, *_doubted(evidence, weighed)]


def _doubted(evidence: Evidence, weighed: Weighed) -> list[Reason]:
    """One sentence a doubt, however many failures it is about: what clears nothing is still told."""
    by_why: dict[str, list[Observation]] = {}
    for one in weighed.doubted:
        by_why.setdefault(one.why, []).append(one.recurrence.observation)
    lead = f"what looks the same failed without {_CHANGES[evidence.change.kind]}"
    found = []
    for why, seen in by_why.items():
        places = listed(f"{run_name(one)} at {short(one.sha)}" for one in seen)
        text = sentence(f"{lead}: {places}; it clears nothing, since {why}")
        found.append(Reason(EvidenceKind.SEEN_ALIKE, EvidenceStrength.CONTEXT, text, run_ids(seen)))
    return found


def _inside(change: Change, weighed: Weighed) -> list[Reason]:
    lead = f"the same failure happened with {_CHANGES[change.kind]}"
    return _recurrences(weighed.inside, EvidenceKind.SEEN_WITH_CHANGE, EvidenceStrength.CONTEXT, lead)


def _recurrences(
    seen: tuple[Recurrence, ...], kind: EvidenceKind, strength: EvidenceStrength, lead: str
) -> list[Reason]:
    named = [Reason(kind, strength, _recurrence(lead, r), (r.observation.run,)) for r in seen[:NAMED_COMMITS]]
    rest = [r.observation for r in seen[NAMED_COMMITS:]]
    if rest:
        commits = listed(short(o.sha) for o in rest)
        text = f"{lead} at {counted(len(rest), 'more commit')}: {commits}"
        named.append(Reason(kind, strength, sentence(text), run_ids(rest)))
    return named


def _recurrence(lead: str, recurrence: Recurrence) -> str:
    seen = recurrence.observation
    branch = f" on {seen.branch}" if seen.branch else ""
    known = f"; {recurrence.how}" if recurrence.how else ""
    return sentence(f"{lead}: {run_name(seen)} failed at {short(seen.sha)}{branch}{known}")


def _base(evidence: Evidence, weighed: Weighed, policy: VerdictPolicy) -> list[Reason]:
    passes, failures = weighed.base_passes, weighed.base_failures
    if evidence.base is None or not (passes or failures):
        return []
    branch = evidence.base.branch
    runs = run_ids([*passes, *failures])
    if failures:
        latest = failures[0]
        text = (
            f"before this run, {branch} failed it {counted(len(failures), 'time')} in "
            f"{len(passes) + len(failures)}, last in {run_name(latest)} at {short(latest.sha)}"
        )
    else:
        text = f"before this run, {branch} passed it {counted(len(passes), 'time')} without a failure"
    strength = EvidenceStrength.STRONG if base_is_proven(weighed, policy) else EvidenceStrength.WEAK
    return [Reason(EvidenceKind.BASE_STATE, strength, sentence(text), runs)]


def _novelty(evidence: Evidence, weighed: Weighed, policy: VerdictPolicy) -> list[Reason]:
    if evidence.signature.key is None or evidence.failed_before or weighed.seen_before:
        return []
    if weighed.pair_elsewhere is not None or why_unfollowed(evidence) is not None:
        return []
    runs = (evidence.failure.run,)
    if evidence.test_flipped_before:
        text = "this test flipped before, but it failed in another way then: that excuses nothing here"
        return [Reason(EvidenceKind.NEW_MODE, EvidenceStrength.WEAK, sentence(text), runs)]
    subject = "this test" if evidence.test else f"job {evidence.failure.job}"
    text = (
        f"in the last {policy.window_days} days {subject} is not known to have failed like this at any other "
        "commit"
    )
    return [Reason(EvidenceKind.FIRST_SEEN, EvidenceStrength.WEAK, sentence(text), runs)]


def _opaque(evidence: Evidence, weighed: Weighed) -> list[Reason]:
    if weighed.names_cause:
        return []
    opaque = evidence.signature.opaque
    text = "this failure's text holds no cause" if opaque else "this failure's text fits many causes"
    if weighed.seen_before or weighed.pair_elsewhere:
        text += "; where it looks the same elsewhere, the cause is not known to be the same"
    return [Reason(EvidenceKind.OPAQUE, EvidenceStrength.CONTEXT, sentence(text), (evidence.failure.run,))]


def _rank_logs(evidence: Evidence) -> list[Reason]:
    runs = (evidence.failure.run,)
    return [
        Reason(EvidenceKind.RANK_LOG, EvidenceStrength.CONTEXT, f"Beside it in the log: {line}", runs)
        for line in sorted(set(evidence.related))[:RELATED_LINES]
    ]
