"""The failures of a results file are explained by their texts."""

from app.domain.category import Category
from app.domain.explaining.explanation import FailureTold, Quoted
from app.domain.explaining.results_explanation import explain_results
from app.domain.explaining.root_sentence import NOTHING_NAMED
from app.domain.outcome import Errored, Failed, Outcome, Passed, Result, TestId


def result(name: str, outcome: Outcome) -> Result:
    return Result(TestId("", "", "t.a", name), outcome)


def test_the_failure_nearest_to_a_cause_is_the_one_that_is_told() -> None:
    told = explain_results(
        [
            result("passes", Passed()),
            result(
                "exits",
                Failed(
                    "assert 1 == 0", ">   assert p.exitcode == 0\nE   assert 1 == 0\nE    +  where exitcode"
                ),
            ),
            result("raises", Errored("m", "noise\nE   KeyError: 'a'\nE   more")),
            result("silent", Failed("", "")),
            result("message", Failed("TypeError: x is not a function", "")),
        ]
    )
    assert (told.category, told.test) == (Category.EXCEPTION, "t.a::raises")
    assert told.key == Quoted(None, "E   KeyError: 'a'")
    assert told.failures[2] == FailureTold("t.a::silent", Category.UNKNOWN, None)
    assert told.failures[3].key == Quoted(None, "TypeError: x is not a function")


def test_a_failure_without_words_is_told_by_its_name() -> None:
    told = explain_results([result("silent", Failed("went wrong", ""))])
    assert (told.category, told.key) == (Category.UNKNOWN, None)
    assert told.root_cause == "t.a::silent failed: went wrong"


def test_a_file_without_a_failure_names_none() -> None:
    assert explain_results([result("passes", Passed())]).root_cause == NOTHING_NAMED
