"""Records of one test become one result, and no repetition is ever read as a retry that passed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.outcome import Errored, Failed, Outcome, OutcomeKind, Passed, Result, Skipped, TestId
from app.domain.results.repeated_ids import MAX_MERGED, ResultLedger

TEST = TestId("", "", "t.m", "test_a")


def record(outcome: Outcome, test: TestId = TEST) -> Result:
    return Result(test, outcome)


def told(*outcomes: Outcome, pytest_report: bool = False) -> tuple[Outcome, list[str]]:
    ledger = ResultLedger()
    for outcome in outcomes:
        ledger.add(record(outcome), pytest=pytest_report)
    (result,) = ledger.results
    return result.outcome, ledger.problems()


def test_a_failure_then_a_pass_stays_a_failure_and_is_said() -> None:
    outcome, problems = told(Failed("first try", "boom"), Passed())
    assert outcome == Failed("first try", "boom")
    assert problems == ["t.m::test_a is reported 2 times with different outcomes; the worst was kept"]


def test_a_pass_then_a_failure_is_a_failure_and_is_said() -> None:
    outcome, problems = told(Passed(), Failed("m", "boom"))
    assert outcome == Failed("m", "boom")
    assert len(problems) == 1


def test_equal_passes_are_one_pass_and_flagged() -> None:
    assert told(Passed(), Passed(), Passed()) == (Passed(), ["t.m::test_a is reported 3 times"])


def test_failures_of_one_test_are_joined() -> None:
    outcome, problems = told(Failed("one", "text one"), Failed("two", ""))
    assert outcome == Failed("one", "text one\n\ntwo")
    assert problems == []


def test_bare_records_before_the_last_one_of_pytest_are_attempts_of_unknown_outcome() -> None:
    outcome, problems = told(Passed(), Passed(), Failed("never", "E assert False"), pytest_report=True)
    assert outcome == Failed("never", "E assert False")
    assert problems == ["t.m::test_a is reported 3 times; the outcome of earlier attempts is unknown"]


def test_hidden_attempts_before_a_pass_are_said_too() -> None:
    outcome, problems = told(Passed(), Passed(), pytest_report=True)
    assert outcome == Passed()
    assert problems == ["t.m::test_a is reported 2 times; the outcome of earlier attempts is unknown"]


def test_call_and_teardown_of_pytest_are_one_test_without_a_problem() -> None:
    outcome, problems = told(
        Failed("call failed", "the call"),
        Errored('failed on teardown with "x"', "the teardown"),
        pytest_report=True,
    )
    assert outcome == Errored("call failed", "the call\n\nthe teardown")
    assert problems == []


def test_a_pass_after_a_failure_in_a_pytest_report_is_no_retry() -> None:
    outcome, problems = told(Failed("m", "t"), Passed(), pytest_report=True)
    assert outcome == Failed("m", "t")
    assert len(problems) == 1


def test_a_test_repeated_without_end_keeps_a_bounded_text_and_its_worst_outcome() -> None:
    outcomes = [Failed("m", "t")] * (MAX_MERGED * 3)
    outcome, _ = told(*outcomes, Errored("last", "worst"))
    assert isinstance(outcome, Errored)
    assert len(outcome.text) < 10 * MAX_MERGED


def test_many_repeated_tests_are_counted_not_listed() -> None:
    ledger = ResultLedger()
    for number in range(30):
        test = TestId("", "", "c", f"{number:0>300}")
        ledger.add(record(Passed(), test), pytest=False)
        ledger.add(record(Skipped(), test), pytest=False)
    problems = ledger.problems()
    assert len(problems) == 21
    assert problems[-1] == "10 more tests are reported more than once"
    assert all(len(problem) < 300 for problem in problems)


def test_results_beyond_the_limit_are_left_out_and_said() -> None:
    ledger = ResultLedger(limit=1)
    ledger.add(record(Passed()), pytest=False)
    assert ledger.cuts() == []
    ledger.add(record(Failed("m", "t"), TestId("", "", "c", "other")), pytest=False)
    assert [result.test for result in ledger.results] == [TEST]
    assert ledger.cuts() == ["1 results beyond the first 1 were left out"]


OUTCOMES = st.sampled_from([Passed(), Skipped("why"), Failed("m", "t"), Errored("m", "t")])
BADNESS = [OutcomeKind.PASSED, OutcomeKind.SKIPPED, OutcomeKind.FAILED, OutcomeKind.ERRORED]


@given(st.lists(OUTCOMES, min_size=1, max_size=8))
def test_the_worst_outcome_wins_in_any_order(outcomes: list[Outcome]) -> None:
    outcome, _ = told(*outcomes)
    assert outcome.kind is max((one.kind for one in outcomes), key=BADNESS.index)


@pytest.mark.parametrize("is_pytest", [True, False])
@given(st.lists(OUTCOMES, min_size=1, max_size=8))
def test_red_is_never_lost(is_pytest: bool, outcomes: list[Outcome]) -> None:  # noqa: FBT001 - a parameter of the test
    outcome, _ = told(*outcomes, pytest_report=is_pytest)
    assert outcome.kind.is_red == any(one.kind.is_red for one in outcomes)


@given(
    batches=st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=6), max_size=4),
    limit=st.integers(1, 4),
    pytest_report=st.booleans(),
)
def test_many_at_once_are_added_as_one_by_one(
    batches: list[list[tuple[str, bool]]], limit: int, *, pytest_report: bool
) -> None:
    once, singly = ResultLedger(limit), ResultLedger(limit)
    for batch in batches:
        results = [
            record(Passed() if passed else Failed("m", "t"), TEST._replace(name=name))
            for name, passed in batch
        ]
        once.add_all([result.test for result in results], results, pytest=pytest_report)
        for result in results:
            singly.add(result, pytest=pytest_report)
    assert (once.results, once.problems(), once.cuts()) == (singly.results, singly.problems(), singly.cuts())
