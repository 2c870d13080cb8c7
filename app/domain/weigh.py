"""What the evidence amounts to, counted once: pairs, repeats and occurrences elsewhere that rules may use.

Observations of one job execution count once, and nothing here depends on the order they came in.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from app.domain.evidence import ChangeKind, Evidence, Flip, JobTally, Observation, Recurrence, Relation
from app.domain.excuse import Doubted, sort_outside
from app.domain.outcome import OutcomeKind
from app.domain.policy import VerdictPolicy
from app.domain.tested_tree import SameTree, compare_trees


@dataclass(frozen=True, slots=True)
class Pair:
    """A pass and a fail, and whether both ran the same code."""

    passed: Observation
    failed: Observation
    same: SameTree


@dataclass(frozen=True, slots=True)
class Weighed:
    """`pair` is the best pass beside this failure, `pair_elsewhere` the best flip of its group elsewhere.

    `repeats` are the failures known to be on this failure's tree, itself included, one an attempt. `outside`,
    `inside` and `unrelated` hold one recurrence a commit, newest first: without the change, with it, and not
    known; `doubted` are those without the change that clear nothing (`excuse`).
    """

    pair: Pair | None
    pair_elsewhere: Pair | None
    repeats: tuple[Observation, ...]
    outside: tuple[Recurrence, ...]
    doubted: tuple[Doubted, ...]
    inside: tuple[Recurrence, ...]
    unrelated: tuple[Recurrence, ...]
    base_passes: tuple[Observation, ...]
    base_failures: tuple[Observation, ...]
    streak: tuple[Observation, ...]
    """Commits of main that failed alike around this one, or around what a pull request was tested on."""
    base_fails_alike: bool
    """Whether what the change was tested on is inside that streak: it fails so without the change."""
    names_cause: bool
    """Whether an equal signature can mean an equal cause: false for opaque and generic texts."""

    @property
    def flipped_on_one_tree(self) -> bool:
        return self.pair is not None and self.pair.same.known is True

    @property
    def is_known_flake(self) -> bool:
        return self.pair_elsewhere is not None and self.pair_elsewhere.same.known is True

    @property
    def looks_same_without_change(self) -> bool:
        return bool(self.outside) or self.base_fails_alike

    @property
    def seen_without_change(self) -> bool:
        """Evidence from outside the change that clears it; an opaque text needs a flip on one tree too."""
        return self.looks_same_without_change and (self.names_cause or self.flipped_on_one_tree)

    @property
    def is_left_open(self) -> bool:
        """Seen without the change so alike that it accuses nobody, and too seldom to clear."""
        return any(one.leaves_open for one in self.doubted)

    @property
    def seen_before(self) -> bool:
        return bool(self.looks_same_without_change or self.doubted or self.inside or self.unrelated)


def is_mass_failure(tally: JobTally, policy: VerdictPolicy) -> bool:
    """So many tests of the job were red that the job, not one of its tests, is the matter."""
    return tally.ran >= policy.infra_min_tests and tally.red >= policy.infra_share * tally.ran


def base_is_proven(weighed: Weighed, policy: VerdictPolicy) -> bool:
    """The base passed often enough, and never failed, in what is known of it."""
    return len(weighed.base_passes) >= policy.clean_base_runs and not weighed.base_failures


def weigh(evidence: Evidence, policy: VerdictPolicy) -> Weighed:
    failure = evidence.failure
    signature = evidence.signature
    comparable = _comparable(evidence)
    passes = [o for o in comparable if o.outcome is OutcomeKind.PASSED]
    reds = [o for o in comparable if o.outcome.is_red and _pair(o, failure).same.known is True]
    has_group = signature.key is not None
    recurrences = _by_commit(evidence) if has_group else ()
    base = evidence.base.outcomes if evidence.base else ()
    streak = evidence.main_streak if has_group else None
    if streak is not None and streak.same_values is False and evidence.change.kind is ChangeKind.PULL:
        streak = None  # the base fails in the same place in another way, which explains nothing here
    pair = _best(_pairs_here(failure, passes))
    outside, doubted = sort_outside(
        [r for r in recurrences if r.relation is Relation.WITHOUT_CHANGE],
        evidence.base,
        policy,
        flipped_here=pair is not None and pair.same.known is True,
    )
    return Weighed(
        pair=pair,
        pair_elsewhere=_best(_pairs_of(evidence.flips_elsewhere)) if has_group else None,
        repeats=one_a_run([failure, *reds], attempts=True),
        outside=outside,
        doubted=doubted,
        inside=tuple(r for r in recurrences if r.relation is Relation.WITH_CHANGE),
        unrelated=tuple(r for r in recurrences if r.relation is Relation.UNKNOWN),
        base_passes=one_a_run(o for o in base if o.outcome is OutcomeKind.PASSED),
        base_failures=distinct(o for o in base if o.outcome.is_red),
        streak=() if streak is None else streak.failures,
        base_fails_alike=evidence.change.kind is ChangeKind.PULL and streak is not None,
        names_cause=not (signature.opaque or signature.generic),
    )


def distinct(observations: Iterable[Observation]) -> tuple[Observation, ...]:
    """Each job execution once, newest first: a job that is reported twice is still one observation."""
    by_execution = {
        (o.run, o.attempt, o.job_id, o.job): o for o in sorted(observations, key=_order, reverse=True)
    }
    return tuple(sorted(by_execution.values(), key=_order, reverse=True))


def one_a_run(observations: Iterable[Observation], *, attempts: bool = False) -> tuple[Observation, ...]:
    """The newest observation of each run, or of each attempt: jobs beside each other are one event."""
    newest: dict[tuple[int, int], Observation] = {}
    for one in distinct(observations):
        newest.setdefault((one.run, one.attempt if attempts else 0), one)
    return tuple(newest.values())


def _comparable(evidence: Evidence) -> list[Observation]:
    """Results of this variant in other attempts, where one job of the name had the test.

    Jobs beside each other in one attempt are shards or jobs of one name: a pass in one is no pass of another.
    """
    failure = evidence.failure
    others = [o for o in evidence.same_code if o.variant == failure.variant]
    jobs: dict[tuple[int, int, str], set[int]] = {}
    for one in (failure, *others):
        jobs.setdefault((one.run, one.attempt, one.job), set()).add(one.job_id)
    if len(jobs[failure.run, failure.attempt, failure.job]) > 1:
        return []
    return [
        one
        for one in others
        if (one.run, one.attempt) != (failure.run, failure.attempt)
        and len(jobs[one.run, one.attempt, one.job]) == 1
    ]


def _order(observation: Observation) -> tuple[datetime, int, int, int, str]:
    """By time; what is left decides ties, so that equal sets of evidence give equal words."""
    o = observation
    return (o.at, o.run, o.attempt, o.job_id, repr(o))


def _pair(passed: Observation, failed: Observation) -> Pair:
    same = compare_trees(passed.tested, failed.tested, same_head=passed.sha == failed.sha)
    return Pair(passed=passed, failed=failed, same=same)


def _pairs_here(failure: Observation, passes: Iterable[Observation]) -> list[Pair]:
    pairs = [_pair(passed, failure) for passed in passes]
    return [pair for pair in pairs if pair.same.known is True or pair.passed.sha == failure.sha]


def _pairs_of(flips: Iterable[Flip]) -> list[Pair]:
    return [_pair(flip.passed, flip.failed) for flip in flips]


def _likeliest(known: Recurrence | None, new: Recurrence) -> Recurrence:
    """Of several at one commit the one most like this failure, then the newer."""
    if known is None:
        return new
    return max(known, new, key=_likeness)


def _likeness(recurrence: Recurrence) -> tuple[bool, bool, bool, bool, datetime]:
    return (
        not recurrence.from_fork,
        recurrence.same_values is not False,
        recurrence.same_test,
        recurrence.same_variant,
        recurrence.observation.at,
    )


def _best(pairs: list[Pair]) -> Pair | None:
    """The pair that proves most: same tree before unknown before different, then the newest."""
    rank = {True: 2, None: 1, False: 0}
    return max(pairs, key=lambda p: (rank[p.same.known], _order(p.failed), _order(p.passed)), default=None)


def _by_commit(evidence: Evidence) -> tuple[Recurrence, ...]:
    """One a commit, newest first. The pull request's own runs never count as without its change."""
    failure, change = evidence.failure, evidence.change
    by_commit: dict[tuple[str, Relation], Recurrence] = {}
    for recurrence in sorted(evidence.recurrences, key=lambda r: (_order(r.observation), r.how)):
        seen = recurrence.observation
        if seen.sha == failure.sha or not seen.outcome.is_red:
            continue
        own = change.pull is not None and seen.pull == change.pull
        relation = Relation.WITH_CHANGE if own else recurrence.relation
        how = "it belongs to the same pull request" if own else recurrence.how
        by_commit[seen.sha, relation] = _likeliest(
            by_commit.get((seen.sha, relation)), replace(recurrence, relation=relation, how=how)
        )
    return tuple(sorted(by_commit.values(), key=lambda r: (_order(r.observation), r.how), reverse=True))
