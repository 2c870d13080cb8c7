"""Each rule of a verdict, one case a row; the row's name is the rule."""

from dataclasses import dataclass, replace

import pytest
from evidence_builders import (
    BRANCH,
    CLEAR,
    ERRORED,
    FAILED,
    FAILURE,
    GENERIC,
    HEAD,
    INFRA,
    MAIN,
    NO_GROUP,
    OLD,
    OLDER,
    ON_MAIN,
    OPAQUE,
    PASS_OTHER_TREE,
    PASS_SAME_TREE,
    PASS_TREE_UNKNOWN,
    PASSED,
    POLICY,
    PR,
    SKIPPED,
    base,
    evidence,
    failed_elsewhere,
    flipped_elsewhere,
    merged,
    pushed,
    repeats,
    seen,
    streak,
)

from app.domain.evidence import BaseState, Evidence, JobTally, Recurrence, Relation
from app.domain.gap import Gap, GapKind
from app.domain.ids import Sha
from app.domain.judge import judge
from app.domain.tested_tree import UNKNOWN_TREE
from app.domain.verdict import EvidenceKind, Kind, Strength, Whose

FLAKY, NEW, REGRESSION = Kind.FLAKY, Kind.NEW_FAILURE, Kind.REGRESSION
BROKEN, INFRASTRUCTURE, UNDECIDED = Kind.BROKEN_MAIN, Kind.INFRASTRUCTURE, Kind.UNDECIDED
SUSPECTED, LIKELY, CONFIRMED = Strength.SUSPECTED, Strength.LIKELY, Strength.CONFIRMED
YOURS, NOT_YOURS, UNKNOWN = Whose.YOURS, Whose.NOT_YOURS, Whose.UNKNOWN
WITH, UNRELATED = Relation.WITH_CHANGE, Relation.UNKNOWN
TWO_OUTSIDE = (failed_elsewhere(), failed_elsewhere(sha=OLDER, run=51))
BASE = Sha("2f" * 20)
FAILURE_OF_UNKNOWN_TREE = seen(tested=UNKNOWN_TREE)


@dataclass(frozen=True)
class Case:
    rule: str
    evidence: Evidence
    verdict: tuple[Kind, Strength, Whose]
    says: str = ""


CASES = (
    # Flips here
    Case(
        "pass and fail on one tree is a likely flake, and excuses nothing",
        evidence(same_code=(PASS_SAME_TREE,)),
        (FLAKY, LIKELY, UNKNOWN),
        "run 100 (push, job test (3.12)) failed at bd47e80; both tested the same tree 1a2b3c4, known from",
    ),
    Case(
        "one head SHA with unknown trees is suspected at most",
        evidence(same_code=(PASS_TREE_UNKNOWN,)),
        (FLAKY, SUSPECTED, UNKNOWN),
        "on trees not known to be the same; there is no record",
    ),
    Case(
        "one head SHA with different trees is suspected at most",
        evidence(same_code=(PASS_OTHER_TREE,)),
        (FLAKY, SUSPECTED, UNKNOWN),
        "on different trees; the trees are 1a2b3c4 and 9f9f9f9",
    ),
    Case(
        "a merge whose base the head held already tests the head's tree",
        evidence(same_code=(seen(PASSED, run=90, tested=merged(None, base_in_head=True)),)),
        (FLAKY, LIKELY, UNKNOWN),
        "no base was merged that it did not hold",
    ),
    Case(
        "a merge whose base moved proves nothing of one tree",
        evidence(same_code=(seen(PASSED, run=90, tested=merged(None, base_in_head=False)),)),
        (FLAKY, SUSPECTED, UNKNOWN),
    ),
    Case(
        "a re-run that passes on the same commit is a flip",
        evidence(same_code=(seen(PASSED, attempt=2),)),
        (FLAKY, LIKELY, UNKNOWN),
        "Attempt 2 of run 100 (push, job test (3.12)) passed and attempt 1 of run 100",
    ),
    Case(
        "a re-run that passes, with nothing known of the checkout, is suspected",
        evidence(failure=FAILURE_OF_UNKNOWN_TREE, same_code=(seen(PASSED, attempt=2, tested=UNKNOWN_TREE),)),
        (FLAKY, SUSPECTED, UNKNOWN),
    ),
    Case(
        "a pass at another SHA with the same tree is a flip",
        evidence(same_code=(seen(PASSED, run=90, sha=OLD, tested=pushed(OLD)),)),
        (FLAKY, LIKELY, UNKNOWN),
        "passed at 0ld0001 and run 100 (push, job test (3.12)) failed at bd47e80",
    ),
    Case(
        "a pass at another SHA with an unknown tree is no flip",
        evidence(same_code=(seen(PASSED, run=90, sha=OLD, tested=UNKNOWN_TREE),)),
        (NEW, SUSPECTED, UNKNOWN),
    ),
    Case(
        "a pass of another variant is no flip",
        evidence(same_code=(seen(PASSED, run=90, job="test (3.11)"),)),
        (NEW, SUSPECTED, UNKNOWN),
    ),
    Case(
        "a skipped test has not passed",
        evidence(same_code=(seen(SKIPPED, attempt=2),)),
        (NEW, SUSPECTED, UNKNOWN),
    ),
    Case(
        "the pass that proves most is the one told",
        evidence(same_code=(PASS_OTHER_TREE, PASS_TREE_UNKNOWN, seen(PASSED, run=91))),
        (FLAKY, LIKELY, UNKNOWN),
        "Run 91 (push",
    ),
    # Whose
    Case(
        "the same failure without the change clears it, and names run, commit and how",
        evidence(same_code=(PASS_SAME_TREE,), recurrences=(failed_elsewhere(),)),
        (FLAKY, LIKELY, NOT_YOURS),
        "run 50 (push, job test (3.12)) failed at 0ld0001 on main; compare says that 0ld0001 does not",
    ),
    Case(
        "the same failure with the change clears nothing",
        evidence(same_code=(PASS_SAME_TREE,), recurrences=(failed_elsewhere(WITH),)),
        (FLAKY, LIKELY, UNKNOWN),
        "A flake can come with a change",
    ),
    Case(
        "a commit of unknown relation clears nothing",
        evidence(same_code=(PASS_SAME_TREE,), recurrences=(failed_elsewhere(UNRELATED),)),
        (FLAKY, LIKELY, UNKNOWN),
    ),
    Case(
        "an earlier commit of the same pull request clears nothing, whatever its relation says",
        evidence(recurrences=(failed_elsewhere(pull=83),)),
        (UNDECIDED, SUSPECTED, UNKNOWN),
        "it belongs to the same pull request",
    ),
    Case(
        "another pull request's failure clears",
        evidence(recurrences=(failed_elsewhere(pull=84),)),
        (UNDECIDED, SUSPECTED, NOT_YOURS),
    ),
    Case(
        "the head's own commit is no recurrence",
        evidence(recurrences=(failed_elsewhere(sha=HEAD),)),
        (NEW, SUSPECTED, UNKNOWN),
    ),
    Case(
        "a recurrence that did not fail is none",
        evidence(recurrences=(Recurrence(seen(PASSED, sha=OLD), Relation.WITHOUT_CHANGE, ""),)),
        (NEW, SUSPECTED, UNKNOWN),
    ),
    Case(
        "an error elsewhere counts as a failure",
        evidence(recurrences=(Recurrence(seen(ERRORED, sha=OLD), Relation.WITHOUT_CHANGE, ""),)),
        (UNDECIDED, SUSPECTED, NOT_YOURS),
    ),
    Case(
        "only a pull request has an owner: a branch's failure stays unknown",
        evidence(change=BRANCH, recurrences=(failed_elsewhere(),)),
        (UNDECIDED, SUSPECTED, UNKNOWN),
    ),
    # Opaque and generic texts
    Case(
        "an opaque failure elsewhere alone clears nothing",
        evidence(signature=OPAQUE, recurrences=TWO_OUTSIDE),
        (UNDECIDED, SUSPECTED, UNKNOWN),
        "the cause is not known to be the same",
    ),
    Case(
        "an opaque failure elsewhere with a flip on one tree here clears, as likely",
        evidence(signature=OPAQUE, same_code=(PASS_SAME_TREE,), recurrences=TWO_OUTSIDE),
        (FLAKY, LIKELY, NOT_YOURS),
        "the cause is not known to be the same",
    ),
    Case(
        "an opaque failure elsewhere with a flip on unknown trees clears nothing",
        evidence(signature=OPAQUE, same_code=(PASS_TREE_UNKNOWN,), recurrences=TWO_OUTSIDE),
        (FLAKY, SUSPECTED, UNKNOWN),
    ),
    Case(
        "an opaque signature never makes a known flake",
        evidence(signature=OPAQUE, flips_elsewhere=(flipped_elsewhere(),), recurrences=TWO_OUTSIDE),
        (FLAKY, SUSPECTED, UNKNOWN),
    ),
    Case(
        "a generic text elsewhere clears nothing either",
        evidence(signature=GENERIC, recurrences=TWO_OUTSIDE),
        (UNDECIDED, SUSPECTED, UNKNOWN),
        "fits many causes",
    ),
    Case(
        "an opaque failure that regressed, and is seen without the change too, is nobody's yet",
        evidence(signature=OPAQUE, base=base(passes=20), same_code=repeats(4), recurrences=TWO_OUTSIDE),
        (REGRESSION, CONFIRMED, UNKNOWN),
    ),
    # Known flakes
    Case(
        "a known flake's signature on two commits without the change is a likely flake",
        evidence(flips_elsewhere=(flipped_elsewhere(),), recurrences=TWO_OUTSIDE),
        (FLAKY, LIKELY, NOT_YOURS),
        "The same failure flipped at 0ld0001: run 40",
    ),
    Case(
        "on one commit without the change it is suspected",
        evidence(flips_elsewhere=(flipped_elsewhere(),), recurrences=(failed_elsewhere(),)),
        (FLAKY, SUSPECTED, NOT_YOURS),
    ),
    Case(
        "two runs of one commit are one commit",
        evidence(
            flips_elsewhere=(flipped_elsewhere(),), recurrences=(failed_elsewhere(), failed_elsewhere(run=51))
        ),
        (FLAKY, SUSPECTED, NOT_YOURS),
    ),
    Case(
        "commits with the change do not make a known flake likely",
        evidence(
            flips_elsewhere=(flipped_elsewhere(),),
            recurrences=(failed_elsewhere(), failed_elsewhere(WITH, sha=OLDER)),
        ),
        (FLAKY, SUSPECTED, NOT_YOURS),
    ),
    Case(
        "a flip elsewhere on unknown trees is suspected",
        evidence(flips_elsewhere=(flipped_elsewhere(same_tree=False),), recurrences=TWO_OUTSIDE),
        (FLAKY, SUSPECTED, NOT_YOURS),
    ),
    Case(
        "a known flake that always fails here is said to do so",
        evidence(
            flips_elsewhere=(flipped_elsewhere(),),
            recurrences=TWO_OUTSIDE,
            same_code=repeats(2),
            base=base(passes=20),
        ),
        (FLAKY, LIKELY, NOT_YOURS),
        "It failed all 3 times here",
    ),
    Case(
        "a text without a group matches nothing elsewhere",
        evidence(signature=NO_GROUP, flips_elsewhere=(flipped_elsewhere(),), recurrences=TWO_OUTSIDE),
        (UNDECIDED, SUSPECTED, UNKNOWN),
        "a text that can be compared with other failures",
    ),
    Case(
        "not even if the text is clear",
        evidence(signature=replace(CLEAR, key=None), recurrences=TWO_OUTSIDE),
        (UNDECIDED, SUSPECTED, UNKNOWN),
    ),
    # Main
    Case(
        "on main a flip elsewhere is suspected, and a regression is not excluded",
        evidence(
            change=ON_MAIN, failure=seen(sha=MAIN), signature=OPAQUE, flips_elsewhere=(flipped_elsewhere(),)
        ),
        (FLAKY, SUSPECTED, UNKNOWN),
        "A regression is not excluded",
    ),
    Case(
        "on main a flip on one tree is a likely flake of nobody",
        evidence(change=ON_MAIN, same_code=(PASS_SAME_TREE,), recurrences=(failed_elsewhere(),)),
        (FLAKY, LIKELY, UNKNOWN),
        "The first commit that may have brought it in is df3a615.",
    ),
    Case(
        "three commits of main in a row are a broken main",
        evidence(change=ON_MAIN, main_streak=streak(3), failed_before=2),
        (BROKEN, LIKELY, UNKNOWN),
        "3 tested commits of main in a row failed alike, with no pass between: from run 61 (push",
    ),
    Case(
        "two are not",
        evidence(change=ON_MAIN, main_streak=streak(2), failed_before=1),
        (UNDECIDED, SUSPECTED, UNKNOWN),
        "2 tested commits of main in a row failed alike",
    ),
    Case(
        "a broken main comes before a flip elsewhere",
        evidence(change=ON_MAIN, main_streak=streak(3), flips_elsewhere=(flipped_elsewhere(),)),
        (BROKEN, LIKELY, UNKNOWN),
    ),
    Case(
        "a pass on the same tree breaks the streak",
        evidence(change=ON_MAIN, main_streak=streak(3), same_code=(PASS_SAME_TREE,)),
        (FLAKY, LIKELY, UNKNOWN),
    ),
    Case(
        "a pull request tested on a broken main fails with it, and main's runs are named",
        evidence(main_streak=streak(3, BASE), base=base(failures=3)),
        (BROKEN, LIKELY, NOT_YOURS),
        "to run 63 (push, job test (3.12)) at 3f3f3f3; what this was tested on, 2f2f2f2, is one of them",
    ),
    Case(
        "tested on a main that failed alike twice: not broken yet, but not the change's either",
        evidence(main_streak=streak(2, BASE)),
        (UNDECIDED, SUSPECTED, NOT_YOURS),
    ),
    Case(
        "an opaque text on a broken main is no excuse, since the cause is not known to be the same",
        evidence(signature=OPAQUE, main_streak=streak(3, BASE)),
        (BROKEN, LIKELY, UNKNOWN),
        "the cause is not known to be the same",
    ),
    Case(
        "a pass here is a flake, also on a main that fails alike",
        evidence(main_streak=streak(3, BASE), same_code=(PASS_SAME_TREE,)),
        (FLAKY, LIKELY, NOT_YOURS),
    ),
    Case(
        "what main failed alike is no regression of a pull request on it",
        evidence(main_streak=streak(2, BASE), base=base(passes=20), same_code=repeats(4)),
        (UNDECIDED, SUSPECTED, NOT_YOURS),
    ),
    Case(
        "on main a regression is nobody's, and the candidates are named",
        evidence(change=ON_MAIN, base=base(passes=20), same_code=repeats(2)),
        (REGRESSION, LIKELY, UNKNOWN),
        "The first commit that may have brought it in is df3a615.",
    ),
    Case(
        "candidates that nobody knows are said to be unknown",
        evidence(change=ON_MAIN.__class__(ON_MAIN.kind)),
        (NEW, SUSPECTED, UNKNOWN),
        "no earlier green run was found",
    ),
    # Regressions
    Case(
        "a clean base and three failures on one tree are a likely regression",
        evidence(base=base(passes=20), same_code=repeats(2)),
        (REGRESSION, LIKELY, YOURS),
        "It failed 3 of 3 times on this tree",
    ),
    Case(
        "five confirm it",
        evidence(base=base(passes=20), same_code=repeats(4)),
        (REGRESSION, CONFIRMED, YOURS),
        "main passed it 20 times without a failure",
    ),
    Case(
        "two do not make one",
        evidence(base=base(passes=20), same_code=repeats(1)),
        (UNDECIDED, SUSPECTED, UNKNOWN),
        "1 more failure on it",
    ),
    Case(
        "nineteen passes do not prove a base",
        evidence(base=base(passes=19), same_code=repeats(4)),
        (NEW, SUSPECTED, UNKNOWN),
        "19 of 20 clean runs are known",
    ),
    Case(
        "a base that failed once is not clean",
        evidence(base=base(passes=30, failures=1), same_code=repeats(4)),
        (NEW, SUSPECTED, UNKNOWN),
        "main failed it 1 time in 31, last in run 31",
    ),
    Case(
        "skips of the base are not passes",
        evidence(
            base=BaseState("main", tuple(seen(SKIPPED, run=i) for i in range(30))), same_code=repeats(4)
        ),
        (NEW, SUSPECTED, UNKNOWN),
    ),
    Case(
        "one job reported twice is one failure",
        evidence(base=base(passes=20), same_code=(FAILURE, FAILURE, seen(FAILED, job_id=FAILURE.job_id))),
        (UNDECIDED, SUSPECTED, UNKNOWN),
    ),
    Case(
        "failures on unknown trees do not add up",
        evidence(
            base=base(passes=20),
            failure=FAILURE_OF_UNKNOWN_TREE,
            same_code=tuple(seen(attempt=i, tested=UNKNOWN_TREE) for i in range(2, 7)),
        ),
        (UNDECIDED, SUSPECTED, UNKNOWN),
    ),
    Case(
        "a failure known without the change is no regression of it",
        evidence(base=base(passes=20), same_code=repeats(4), recurrences=(failed_elsewhere(),)),
        (UNDECIDED, SUSPECTED, UNKNOWN),
    ),
    Case(
        "a branch without a pull request can regress, and is nobody's",
        evidence(change=BRANCH, base=base(passes=20), same_code=repeats(2)),
        (REGRESSION, LIKELY, UNKNOWN),
    ),
    Case(
        "missing results beside a regression are said",
        evidence(
            base=base(passes=20), same_code=repeats(2), gaps=(Gap(GapKind.LOG_GONE, "test (3.12)", ""),)
        ),
        (REGRESSION, LIKELY, YOURS),
        "a pass among them would make this a flake",
    ),
    # New failures, and the rest
    Case(
        "never seen, base not proven: a new failure",
        evidence(),
        (NEW, SUSPECTED, UNKNOWN),
        "this test is not known to have failed like this",
    ),
    Case(
        "never seen, base proven, too few failures: undecided",
        evidence(base=base(passes=20)),
        (UNDECIDED, SUSPECTED, UNKNOWN),
        "2 more failures on it",
    ),
    Case(
        "a new way of failing of a flaky test starts as new, whatever the base says",
        evidence(test_flipped_before=True, base=base(passes=20)),
        (NEW, SUSPECTED, UNKNOWN),
        "failed in another way then",
    ),
    Case(
        "seen before, and nothing else known: undecided",
        evidence(failed_before=1),
        (UNDECIDED, SUSPECTED, UNKNOWN),
        "Not decided yet; still missing: a pass on this same code",
    ),
    Case(
        "a text without a group cannot be called new",
        evidence(signature=NO_GROUP),
        (UNDECIDED, SUSPECTED, UNKNOWN),
    ),
    # Infrastructure
    Case(
        "most tests of a large job red at once are about the job",
        evidence(tally=JobTally(ran=20, red=16)),
        (INFRASTRUCTURE, LIKELY, UNKNOWN),
        "The tests of this job have not been judged",
    ),
    Case(
        "fewer are not",
        evidence(tally=JobTally(ran=20, red=15)),
        (NEW, SUSPECTED, UNKNOWN),
    ),
    Case(
        "a share of a small job says nothing",
        evidence(tally=JobTally(ran=19, red=19)),
        (NEW, SUSPECTED, UNKNOWN),
    ),
    Case(
        "a mass failure comes before a flip, and its tests are not judged",
        evidence(tally=JobTally(ran=100, red=100), same_code=(PASS_SAME_TREE,)),
        (INFRASTRUCTURE, LIKELY, UNKNOWN),
    ),
    Case(
        "a mass failure seen without the change is cleared by that, in words",
        evidence(tally=JobTally(ran=100, red=100), recurrences=(failed_elsewhere(),)),
        (INFRASTRUCTURE, LIKELY, NOT_YOURS),
        "without this pull request's change: run 50",
    ),
    Case(
        "a machine's message without a test is infrastructure",
        evidence(test="", signature=INFRA),
        (INFRASTRUCTURE, LIKELY, UNKNOWN),
        "No space left on device",
    ),
    Case(
        "a message that fits any failure, without a test, proves no infrastructure and is not new",
        evidence(test="", signature=NO_GROUP),
        (UNDECIDED, SUSPECTED, UNKNOWN),
        "fits many causes",
    ),
    Case(
        "a job whose first failure is clear is new, and its only reasons do not say otherwise",
        evidence(test="", signature=CLEAR),
        (NEW, SUSPECTED, UNKNOWN),
        "job test (3.12) is not known to have failed like this at any other commit",
    ),
    Case(
        "a job that failed alike elsewhere is not new",
        evidence(test="", signature=CLEAR, recurrences=(failed_elsewhere(),)),
        (UNDECIDED, SUSPECTED, NOT_YOURS),
    ),
    Case(
        "a job that passes on the same code is a flake, without a test as with one",
        evidence(test="", signature=NO_GROUP, same_code=(PASS_SAME_TREE,)),
        (FLAKY, LIKELY, UNKNOWN),
    ),
    Case(
        "a clear message without a test is not infrastructure",
        evidence(test="", signature=CLEAR),
        (NEW, SUSPECTED, UNKNOWN),
    ),
    Case(
        "a test that prints a machine's message does not excuse itself by it",
        evidence(signature=INFRA),
        (NEW, SUSPECTED, UNKNOWN),
        "speaks of the machine or the network",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=[case.rule for case in CASES])
def test_rule(case: Case) -> None:
    verdict = judge(case.evidence, POLICY)
    assert (verdict.kind, verdict.strength, verdict.whose) == case.verdict
    assert case.says in "\n".join(reason.text for reason in verdict.reasons).replace("\\", "")
    assert verdict.opaque is case.evidence.signature.opaque
    assert verdict.policy_version == POLICY.version


def test_gaps_are_carried_through_once_and_in_order() -> None:
    log, artifact = Gap(GapKind.LOG_GONE, "a", ""), Gap(GapKind.ARTIFACT_EXPIRED, "b", "")
    assert judge(evidence(gaps=(log, artifact, log)), POLICY).gaps == (artifact, log)


def test_unknown_trees_of_a_flip_are_a_gap() -> None:
    flips = (flipped_elsewhere(same_tree=False),)
    gaps = judge(evidence(same_code=(PASS_TREE_UNKNOWN,), flips_elsewhere=flips), POLICY).gaps
    assert [(gap.kind, gap.subject) for gap in gaps] == [
        (GapKind.TREE_UNKNOWN, "runs 40 and 41"),
        (GapKind.TREE_UNKNOWN, "runs 90 and 100"),
    ]


def test_different_trees_are_known_and_so_no_gap() -> None:
    assert judge(evidence(same_code=(PASS_OTHER_TREE,)), POLICY).gaps == ()


def test_a_commit_of_unknown_relation_is_a_gap() -> None:
    (gap,) = judge(evidence(recurrences=(failed_elsewhere(UNRELATED),)), POLICY).gaps
    assert (gap.kind, gap.subject) == (GapKind.HISTORY_UNKNOWN, "commit 0ld0001")


def test_incident_one_reads_as_it_happened() -> None:
    """Passed and failed at bd47e80 under two events, siblings green, again on main with the change."""
    failed = seen(run=29538416045, event="push", job="test (3.12)")
    passed = seen(PASSED, run=29538418197, event="pull_request", job="test (3.12)", tested=merged())
    again = seen(run=29538690201, sha=MAIN, job="test (3.11)", branch="main")
    siblings = (
        seen(PASSED, run=29538416045, job="test (3.11)"),
        seen(PASSED, run=29538416045, job="test (3.13)"),
    )
    verdict = judge(
        evidence(
            signature=OPAQUE,
            failure=failed,
            same_code=(passed,),
            siblings=siblings,
            recurrences=(Recurrence(again, WITH, "it is the merge of pull request 83"),),
        ),
        POLICY,
    )
    assert (verdict.kind, verdict.strength, verdict.whose, verdict.opaque) == (FLAKY, LIKELY, UNKNOWN, True)
    assert [reason.kind for reason in verdict.reasons] == [
        EvidenceKind.SAME_TREE_FLIP,
        EvidenceKind.SIBLING_PASSED,
        EvidenceKind.SEEN_WITH_CHANGE,
        EvidenceKind.OPAQUE,
        EvidenceKind.NOT_EXCLUDED,
    ]
    assert verdict.reasons[0].runs == (29538416045, 29538418197)
    assert verdict.reasons[1].text == "In the same run it passed in test (3.11) and test (3.13)."
    assert verdict.reasons[2].runs == (29538690201,)
    assert PR.pull == 83
