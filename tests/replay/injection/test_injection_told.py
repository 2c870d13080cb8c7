"""What a person is told of a grade: what would make it better, and nothing where it is good."""

import pytest

from app.domain.injection import Answer, Injected, Shown
from worker.replay.bundle.injected import injected_lines, injected_part, next_steps
from worker.replay.injection.judged import fault_of

TEST = "tests/test a.py::test_sum[gloo]"


def graded(how: str, *, names_rank: bool = True, names_cause: bool = True) -> Injected:
    fault = fault_of(f"rank=1,how={how}")
    return Injected((Answer(fault, Shown.FAILURE, names_rank, names_cause, "says so", seconds=3.0),))


@pytest.mark.parametrize("how", ["raise", "hang"])
def test_a_good_grade_has_no_next_step(how: str) -> None:
    assert list(next_steps(TEST, graded(how))) == []


def test_a_test_that_hides_a_rank_is_sent_to_the_lint_of_its_file() -> None:
    [step] = next_steps(TEST, graded("raise", names_cause=False))
    assert "`flake-triage lint 'tests/test a.py'`" in step


def test_a_hang_that_nobody_tells_wants_a_time_limit_of_the_group() -> None:
    injected = graded("hang", names_rank=False)
    [step] = next_steps(TEST, injected)
    assert "`init_process_group` a timeout" in step
    assert any(f"next: {step}" in line.words for line in injected_lines(TEST, injected))
    assert step.split(";")[0] in "".join(injected_part(TEST, injected))
