"""What a verdict leaves open: what is not excluded, and which evidence would settle it."""

from app.domain.evidence import ChangeKind, Evidence
from app.domain.gap import GapKind
from app.domain.policy import VerdictPolicy
from app.domain.replay_evidence import is_confirmed
from app.domain.verdict import EvidenceKind, EvidenceStrength, Kind, Reason
from app.domain.weigh import Weighed, base_is_proven
from app.domain.wording import counted, listed, sentence, short


def open_questions(evidence: Evidence, weighed: Weighed, policy: VerdictPolicy, kind: Kind) -> list[Reason]:
    told = [
        *_not_excluded(evidence, weighed, policy, kind),
        *_missing(evidence, weighed, policy, kind),
        *_candidates(evidence),
    ]
    return [Reason(EvidenceKind.NOT_EXCLUDED, EvidenceStrength.CONTEXT, sentence(text)) for text in told]


def _not_excluded(evidence: Evidence, weighed: Weighed, policy: VerdictPolicy, kind: Kind) -> list[str]:
    if kind is Kind.INFRASTRUCTURE:
        told = "the tests of this job have not been judged one by one"
        cleared = evidence.change.kind is ChangeKind.PULL and weighed.seen_without_change
        return [told if cleared else f"{told}; that the change brought this about is not excluded"]
    if kind is Kind.FLAKY:
        return [*_of_a_flake(evidence, weighed), *_always_red(weighed, policy)]
    if kind is Kind.REGRESSION and any(gap.kind is not GapKind.BUNDLE_REFUSED for gap in evidence.gaps):
        return ["some results are missing; a pass among them would make this a flake"]
    return []


def _of_a_flake(evidence: Evidence, weighed: Weighed) -> list[str]:
    is_proven = weighed.flipped_on_one_tree or is_confirmed(evidence.replays)
    if not (is_proven or (weighed.is_known_flake and weighed.seen_without_change)):
        here = short(evidence.failure.sha)
        return [f"a regression is not excluded: no pass and fail on one tree is known at {here}"]
    if evidence.change.kind is ChangeKind.MAIN or weighed.seen_without_change:
        return []
    return ["a flake can come with a change: this failure was not seen without this one"]


def _always_red(weighed: Weighed, policy: VerdictPolicy) -> list[str]:
    if weighed.pair is not None or len(weighed.repeats) < policy.regression_fails:
        return []
    return [
        f"it failed all {len(weighed.repeats)} times here: the change may have made a rare failure certain"
    ]


def _missing(evidence: Evidence, weighed: Weighed, policy: VerdictPolicy, kind: Kind) -> list[str]:
    """What an open verdict waits for, in one sentence."""
    if kind not in {Kind.NEW_FAILURE, Kind.UNDECIDED}:
        return []
    wanted = ["a pass on this same code (re-run the job), which would show a flake"]
    if evidence.signature.key is None:
        wanted.append("a text that can be compared with other failures")
    more = policy.regression_fails - len(weighed.repeats)
    if more > 0 and not weighed.seen_without_change:
        wanted.append(f"{counted(more, 'more failure')} on it, which would point to a regression")
    if not base_is_proven(weighed, policy):
        known = f"{len(weighed.base_passes)} of {policy.clean_base_runs} clean runs are known"
        if weighed.base_failures:
            known = f"it failed {counted(len(weighed.base_failures), 'time')} itself"
        unseen = [one.gap.subject for one in evidence.base.unseen] if evidence.base else []
        known += f", and nothing of {listed(unseen)}" if unseen else ""
        wanted.append(f"the base's state ({known})")
    state = "not decided yet" if kind is Kind.UNDECIDED else "a flake and a regression are both possible"
    return [f"{state}; still missing: {'; '.join(wanted)}"]


def _candidates(evidence: Evidence) -> list[str]:
    if evidence.change.kind is not ChangeKind.MAIN:
        return []
    commits = [short(sha) for sha in evidence.change.candidates]
    if not commits:
        return ["which commits can have brought it is not known: no earlier green run was found"]
    if len(commits) == 1:
        return [f"the first commit that may have brought it in is {commits[0]}"]
    return [f"the first commits that may have brought it in, newest first, are {listed(commits, most=10)}"]
