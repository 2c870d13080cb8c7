"""Grades of a test by what it says of faults in its ranks: each rule, its borders, the worst of several."""

from dataclasses import replace

import pytest

from app.domain.injection import (
    PATIENCE_S,
    PROMPT_S,
    RULES,
    Answer,
    Fault,
    Grade,
    Injected,
    Shown,
    worst_of,
)

RAISE = Fault(1, "collective=1", "raise", "rank=1,at=collective=1,how=raise,raise=E:T", "T")
HANG = Fault(1, "init", "hang", "rank=1,at=init,how=hang")
GOOD = Answer(RAISE, Shown.FAILURE, names_rank=True, names_cause=True, seconds=5.0, extra_s=1.0)


@pytest.mark.parametrize(
    ("answer", "grade"),
    [
        (GOOD, Grade.A),
        (replace(GOOD, extra_s=PROMPT_S), Grade.A),
        (replace(GOOD, extra_s=PROMPT_S + 0.1), Grade.B),
        (replace(GOOD, fault=HANG, extra_s=PATIENCE_S), Grade.A),
        (replace(GOOD, fault=HANG, extra_s=PATIENCE_S + 0.1), Grade.B),
        (replace(GOOD, names_rank=False), Grade.C),
        (replace(GOOD, names_cause=False, shown=Shown.NOWHERE), Grade.C),
        (replace(GOOD, names_rank=False, names_cause=False, shown=Shown.OUTPUT), Grade.D),
        (replace(GOOD, names_rank=False, names_cause=False, shown=Shown.NOWHERE), Grade.E),
        (replace(GOOD, shown=Shown.PASSED), Grade.F),
        (replace(GOOD, shown=Shown.NO_END), Grade.F),
        (replace(GOOD, shown=Shown.CUT_SHORT), None),
        (replace(GOOD, shown=Shown.NOT_REACHED), None),
        (replace(GOOD, shown=Shown.NO_TRIAL), None),
    ],
)
def test_a_grade_is_by_what_the_message_names_and_how_long_that_takes(
    answer: Answer, grade: Grade | None
) -> None:
    assert answer.grade == grade
    assert (answer.rule is None) == (grade is None)


def test_each_grade_has_rules_with_reasons_from_the_worst_to_the_best() -> None:
    assert list(dict.fromkeys(rule.grade for rule in RULES)) == sorted(Grade, reverse=True)
    assert all(rule.text and rule.reason for rule in RULES)


def test_a_test_has_the_grade_of_its_worst_fault() -> None:
    bad = replace(GOOD, shown=Shown.PASSED)
    unreached = replace(GOOD, shown=Shown.NOT_REACHED)
    found = Injected((unreached, GOOD, bad), ranks=2, passes_in_s=4.0)
    assert (found.grade, found.worst, found.ungraded) == (Grade.F, bad, "")
    told = found.as_json()
    assert (told["grade"], told["distributed"], told["ranks"]) == ("F", True, 2)
    assert worst_of([unreached, GOOD]) == GOOD


def test_what_cannot_be_graded_says_why() -> None:
    assert Injected((), why_not="not distributed").ungraded == "not distributed"
    unreached = Injected((replace(GOOD, shown=Shown.NOT_REACHED),), ranks=2)
    assert (unreached.grade, unreached.worst) == (None, None)
    assert "no such rank or place" in unreached.ungraded
    told = unreached.as_json()
    assert (told["grade"], told["passes_in_seconds"]) == (None, None)
    assert "no such rank" in str(told["why"])


def test_an_answer_tells_scripts_what_it_rests_on() -> None:
    told = replace(GOOD, waited="a time limit of 4 s", left=("1 process: sleep",), trial=3).as_json()
    assert told["whole_timeout"] is True
    assert (told["grade"], told["at"], told["how"], told["text"]) == ("A", "collective=1", "raise", "T")
    assert (told["seconds"], told["trial"], told["left_behind"]) == (5.0, 3, ["1 process: sleep"])
    nothing = Answer(HANG, Shown.NO_TRIAL).as_json()
    assert (nothing["seconds"], nothing["why"], nothing["text"], nothing["waited"]) == (
        None,
        None,
        None,
        None,
    )
    assert replace(GOOD, shown=Shown.NO_END).takes_whole_timeout
    assert RAISE.words == "raise at collective 1"


def test_what_hides_a_fault_is_opaque() -> None:
    opaque = {one for one in Shown if one.is_opaque}
    assert opaque == {Shown.OUTPUT, Shown.NOWHERE, Shown.PASSED, Shown.NO_END}
