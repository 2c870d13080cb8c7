"""What a run's own replay changes: the cause is named, a flake may be confirmed, and nothing is excused."""

from dataclasses import replace

import pytest
from evidence_builders import (
    ON_MAIN,
    OPAQUE,
    PASS_SAME_TREE,
    PASS_TREE_UNKNOWN,
    POLICY,
    base,
    evidence,
    failed_elsewhere,
    repeats,
)
from hypothesis import given
from hypothesis import strategies as st

from app.domain.evidence import SeenReplay
from app.domain.gap import Gap, GapKind
from app.domain.judge import judge
from app.domain.replay_words import CauseKind, ReplayVerdict
from app.domain.verdict import EvidenceKind, EvidenceStrength, Kind, Strength, Verdict, Whose

CONFIRMED = SeenReplay(
    verdict=ReplayVerdict.CONFIRMED_FLAKE,
    sentence="it failed 3 of 13 trials in the same way, and passed 10",
    cause=CauseKind.RANK_EXCEPTION,
    sentence_of_cause="rank 1 raised RuntimeError: lost the lease",
    artifact="replay-3.12",
    own_word=False,
)
STRANGERS = replace(CONFIRMED, own_word=True)
ONCE = replace(CONFIRMED, verdict=ReplayVerdict.REPRODUCED_ONCE, cause=CauseKind.INIT_FAILURE)
IN_VAIN = replace(
    CONFIRMED,
    verdict=ReplayVerdict.NOT_REPRODUCED,
    sentence="it never failed: 0 of 20 (a rate up to 14 % is not excluded at 95 %)",
    cause=CauseKind.NONE,
    sentence_of_cause="",
)

REPLAYS = st.lists(
    st.builds(
        SeenReplay,
        verdict=st.sampled_from(ReplayVerdict),
        sentence=st.text(max_size=20),
        cause=st.sampled_from(CauseKind),
        sentence_of_cause=st.text(max_size=20),
        artifact=st.text(max_size=10),
        own_word=st.booleans(),
    ),
    max_size=4,
)
SCENES = st.sampled_from(
    [
        {},
        {"same_code": (PASS_SAME_TREE,)},
        {"same_code": (PASS_TREE_UNKNOWN,)},
        {"same_code": repeats(3), "base": base(20)},
        {"same_code": repeats(5), "base": base(20)},
        {"recurrences": (failed_elsewhere(),)},
        {"signature": OPAQUE, "recurrences": (failed_elsewhere(),)},
        {"change": ON_MAIN},
    ]
)


def judged(*replays: SeenReplay, **facts: object) -> Verdict:
    return judge(evidence(replays=replays, **facts), POLICY)


def told(verdict: Verdict, kind: EvidenceKind) -> list[str]:
    return [reason.text for reason in verdict.reasons if reason.kind is kind]


def call(verdict: Verdict) -> tuple[Kind, Strength, Whose]:
    return verdict.kind, verdict.strength, verdict.whose


def test_a_likely_flake_with_a_confirmed_replay_is_a_confirmed_one() -> None:
    verdict = judged(CONFIRMED, same_code=(PASS_SAME_TREE,))
    assert call(verdict) == (Kind.FLAKY, Strength.CONFIRMED, Whose.UNKNOWN)
    assert verdict.cause == "rank-exception"
    (said,) = told(verdict, EvidenceKind.REPLAY)
    assert said == (
        "A replay in this job confirmed a flake (artifact replay-3.12): it failed 3 of 13 trials in the same "
        "way, and passed 10; what a run says of itself excuses nothing."
    )
    assert told(verdict, EvidenceKind.REPLAY_CAUSE) == [
        "Cause by a replay in this job: rank-exception: rank 1 raised RuntimeError: lost the lease."
    ]


@pytest.mark.parametrize("facts", [{"same_code": (PASS_TREE_UNKNOWN,)}, {}])
def test_a_confirmed_replay_is_itself_a_pass_and_a_fail_on_one_tree(facts: dict[str, object]) -> None:
    verdict = judged(CONFIRMED, **facts)
    assert call(verdict) == (Kind.FLAKY, Strength.LIKELY, Whose.UNKNOWN)
    assert verdict.reasons[0].kind in {EvidenceKind.REPLAY, EvidenceKind.SAME_SHA_FLIP}
    assert not [one for one in verdict.reasons if "a regression is not excluded" in one.text]
    assert [one for one in verdict.reasons if "a flake can come with a change" in one.text.lower()]


def test_strangers_code_confirms_nothing_and_its_word_is_marked() -> None:
    without, verdict = judged(same_code=(PASS_SAME_TREE,)), judged(STRANGERS, same_code=(PASS_SAME_TREE,))
    assert call(verdict) == call(without) == (Kind.FLAKY, Strength.LIKELY, Whose.UNKNOWN)
    assert verdict.cause == "rank-exception"
    (said,) = told(verdict, EvidenceKind.REPLAY)
    assert "the job's own word, which strangers' code can have written: it confirms nothing" in said
    (cause,) = told(verdict, EvidenceKind.REPLAY_CAUSE)
    assert cause.startswith("Cause by a replay in this job, by the job's own word: rank-exception")
    assert {one.strength for one in verdict.reasons if one.kind.startswith("replay")} == {
        EvidenceStrength.CONTEXT
    }


def test_a_regression_stays_one_whatever_its_own_run_says() -> None:
    facts = {"same_code": repeats(5), "base": base(20)}
    assert call(judged(CONFIRMED, **facts)) == (Kind.REGRESSION, Strength.CONFIRMED, Whose.YOURS)


def test_a_refused_bundle_leaves_no_result_missing() -> None:
    gap = Gap(GapKind.BUNDLE_REFUSED, "replay", "report.json is not what was sealed")
    verdict = judged(same_code=repeats(5), base=base(20), gaps=(gap,))
    assert call(verdict) == (Kind.REGRESSION, Strength.CONFIRMED, Whose.YOURS)
    assert verdict.gaps == (gap,)
    assert not [one for one in verdict.reasons if "results are missing" in one.text]


@given(REPLAYS, SCENES)
def test_no_replay_of_its_own_changes_whose_it_is(
    replays: list[SeenReplay], facts: dict[str, object]
) -> None:
    assert judged(*replays, **facts).whose is judged(**facts).whose


@given(REPLAYS, SCENES)
def test_strangers_replays_never_change_the_call(replays: list[SeenReplay], facts: dict[str, object]) -> None:
    strangers = [replace(one, own_word=True) for one in replays]
    assert call(judged(*strangers, **facts)) == call(judged(**facts))


@given(REPLAYS, st.randoms())
def test_the_order_of_replays_changes_nothing(replays: list[SeenReplay], random: object) -> None:
    shuffled = list(replays)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis types it as Random
    assert judged(*shuffled) == judged(*replays)


def test_a_replay_in_vain_is_told_and_changes_nothing() -> None:
    verdict = judged(IN_VAIN)
    assert call(verdict) == call(judged())
    assert verdict.cause is None
    (said,) = told(verdict, EvidenceKind.REPLAY)
    assert said.startswith(
        "A replay in this job did not reproduce it (artifact replay-3.12): it never failed"
    )
    assert told(verdict, EvidenceKind.REPLAY_CAUSE) == []


def test_the_surest_replay_names_the_cause() -> None:
    assert judged(ONCE, CONFIRMED).cause == "rank-exception"
    assert judged(ONCE, STRANGERS).cause == "init-failure"


def test_equally_sure_replays_that_differ_name_no_cause_and_are_both_told() -> None:
    other = replace(CONFIRMED, cause=CauseKind.LATE_RANK, sentence_of_cause="")
    verdict = judged(CONFIRMED, other)
    assert verdict.cause is None
    assert told(verdict, EvidenceKind.REPLAY_CAUSE) == [
        "Cause by a replay in this job: late-rank.",
        "Cause by a replay in this job: rank-exception: rank 1 raised RuntimeError: lost the lease.",
    ]


def test_a_replay_that_explains_nothing_names_no_cause() -> None:
    verdict = judged(replace(CONFIRMED, cause=CauseKind.NOT_EXPLAINED))
    assert (verdict.kind, verdict.cause) == (Kind.FLAKY, None)
