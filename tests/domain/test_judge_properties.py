"""What holds of every verdict, whatever the evidence."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from evidence_builders import (
    CLEAR,
    GENERIC,
    HEAD,
    INFRA,
    MAIN,
    NO_GROUP,
    NOON,
    OLD,
    OLDER,
    OPAQUE,
    POLICY,
    merged,
    pushed,
    seen,
    streak,
)
from hypothesis import given
from hypothesis import strategies as st

from app.domain.evidence import (
    BaseState,
    Change,
    ChangeKind,
    Evidence,
    Flip,
    JobTally,
    Recurrence,
    Relation,
    Unseen,
)
from app.domain.gap import Gap, GapKind
from app.domain.judge import judge
from app.domain.outcome import OutcomeKind
from app.domain.tested_tree import UNKNOWN_TREE
from app.domain.verdict import EvidenceKind, Kind, Strength, Verdict, Whose

STRENGTHS = list(Strength)
SEQUENCES = ("same_code", "siblings", "recurrences", "flips_elsewhere", "gaps")

shas = st.sampled_from([HEAD, MAIN, OLD, OLDER])
trees = st.one_of(
    st.just(UNKNOWN_TREE),
    st.builds(pushed, shas, st.sampled_from(["1111111", "2222222"])),
    st.builds(
        merged,
        st.sampled_from(["1111111", "2222222", None]),
        commit=st.sampled_from(["cafe001", "cafe002"]),
        base_in_head=st.sampled_from([True, False, None]),
    ),
)


def observed(outcomes: st.SearchStrategy[OutcomeKind]) -> st.SearchStrategy:
    return st.builds(
        seen,
        outcomes,
        run=st.integers(1, 6),
        attempt=st.integers(1, 2),
        job_id=st.integers(1, 4),
        sha=shas,
        event=st.sampled_from(["push", "pull_request"]),
        job=st.sampled_from(["test (3.11)", "test (3.12)"]),
        pull=st.sampled_from([None, 83, 84]),
        tested=trees,
    )


anything = observed(st.sampled_from(OutcomeKind))
red = observed(st.sampled_from([OutcomeKind.FAILED, OutcomeKind.ERRORED]))
green = observed(st.just(OutcomeKind.PASSED))
gaps = st.builds(Gap, st.sampled_from(GapKind), st.sampled_from("ab"), st.just("x"))


def some(strategy: st.SearchStrategy, most: int = 4) -> st.SearchStrategy:
    return st.lists(strategy, max_size=most).map(tuple)


evidences = st.builds(
    Evidence,
    test=st.sampled_from(["", "tests/a.py::test_a"]),
    failure=red,
    signature=st.sampled_from([CLEAR, OPAQUE, GENERIC, NO_GROUP, INFRA]),
    change=st.builds(
        Change, st.sampled_from(ChangeKind), pull=st.sampled_from([None, 83]), candidates=some(shas)
    ),
    same_code=some(anything, 6),
    siblings=some(anything),
    recurrences=some(
        st.builds(Recurrence, anything, st.sampled_from(Relation), st.sampled_from(["", "compare"]))
    ),
    flips_elsewhere=some(st.builds(Flip, red, green)),
    base=st.one_of(
        st.none(),
        st.builds(BaseState, st.just("main"), some(anything)),
        st.just(BaseState("main", tuple(seen(OutcomeKind.PASSED, run=i, sha=OLD) for i in range(20)))),
    ),
    tally=st.sampled_from([JobTally(0, 0), JobTally(30, 1), JobTally(30, 30)]),
    main_streak=st.one_of(st.none(), st.builds(streak, st.integers(2, 4), shas)),
    failed_before=st.integers(0, 2),
    test_flipped_before=st.booleans(),
    related=some(st.sampled_from(["rank 1: killed", "rank 0: lost its peer"])),
    gaps=some(gaps),
)


@given(evidences, st.randoms(use_true_random=False))
def test_the_order_of_the_evidence_changes_nothing(evidence: Evidence, random: object) -> None:
    def shuffled(items: tuple) -> tuple:
        return tuple(random.sample(items, len(items)))

    base = evidence.base
    other = replace(
        evidence,
        **{name: shuffled(getattr(evidence, name)) for name in (*SEQUENCES, "related")},
        base=replace(base, outcomes=shuffled(base.outcomes)) if base else None,
    )
    assert judge(other, POLICY) == judge(evidence, POLICY)


def with_less(evidence: Evidence) -> Iterator[Evidence]:
    """The evidence with one piece of it taken away, each in turn; of the base it is known that it ran."""
    for name in SEQUENCES:
        pieces = getattr(evidence, name)
        for index in range(len(pieces)):
            yield replace(evidence, **{name: pieces[:index] + pieces[index + 1 :]})
    if evidence.base is not None:
        runs = len({seen.run for seen in evidence.base.outcomes})
        unseen = Unseen(runs, NOON + timedelta(days=2), Gap(GapKind.RESULTS_REMOVED, "runs of main", "gone"))
        yield replace(evidence, base=BaseState(evidence.base.branch, unseen=(unseen,)))
    yield replace(evidence, tally=JobTally(0, 0))
    yield replace(evidence, main_streak=None)
    yield replace(evidence, failed_before=0)
    yield replace(evidence, test_flipped_before=False)


@given(evidences)
def test_missing_evidence_never_excuses(evidence: Evidence) -> None:
    if judge(evidence, POLICY).whose is Whose.NOT_YOURS:
        return
    assert all(judge(less, POLICY).whose is not Whose.NOT_YOURS for less in with_less(evidence))


@given(evidences, gaps)
def test_a_gap_makes_nothing_stronger(evidence: Evidence, gap: Gap) -> None:
    before, after = judge(evidence, POLICY), judge(replace(evidence, gaps=(*evidence.gaps, gap)), POLICY)
    assert STRENGTHS.index(after.strength) <= STRENGTHS.index(before.strength)
    assert (after.kind, after.whose) == (before.kind, before.whose)
    assert gap in after.gaps


@given(evidences)
def test_silence_is_never_flaky(evidence: Evidence) -> None:
    silent = replace(
        evidence,
        same_code=tuple(o for o in evidence.same_code if o.outcome is not OutcomeKind.PASSED),
        flips_elsewhere=(),
    )
    assert judge(silent, POLICY).kind is not Kind.FLAKY


@given(evidences)
def test_an_excuse_names_the_run_the_commit_and_how_it_is_known(evidence: Evidence) -> None:
    verdict = judge(evidence, POLICY)
    if verdict.whose is not Whose.NOT_YOURS:
        return
    outside = [
        reason
        for reason in verdict.reasons
        if reason.kind in {EvidenceKind.SEEN_WITHOUT_CHANGE, EvidenceKind.MAIN_STREAK}
    ]
    on_main = evidence.main_streak.failures if evidence.main_streak else ()
    assert any(
        str(seen.run) in reason.text and seen.sha[:7] in reason.text for reason in outside for seen in on_main
    ) or any(
        str(recurrence.observation.run) in reason.text
        and recurrence.observation.sha[:7] in reason.text
        and recurrence.how in reason.text
        for reason in outside
        for recurrence in evidence.recurrences
        if recurrence.relation is Relation.WITHOUT_CHANGE
    )


@given(evidences)
def test_nobody_is_blamed_or_cleared_outside_a_pull_request(evidence: Evidence) -> None:
    if evidence.change.kind is not ChangeKind.PULL:
        assert judge(evidence, POLICY).whose is Whose.UNKNOWN


@given(evidences)
def test_every_run_a_reason_stands_on_is_in_the_evidence(evidence: Evidence) -> None:
    known = {o.run for o in (evidence.failure, *evidence.same_code, *evidence.siblings)}
    known |= {recurrence.observation.run for recurrence in evidence.recurrences}
    known |= {o.run for flip in evidence.flips_elsewhere for o in (flip.failed, flip.passed)}
    known |= {o.run for o in (evidence.base.outcomes if evidence.base else ())}
    known |= {o.run for o in (evidence.main_streak.failures if evidence.main_streak else ())}
    verdict: Verdict = judge(evidence, POLICY)
    assert {run for reason in verdict.reasons for run in reason.runs} <= known
    assert verdict.reasons
