"""A finding as the object that the command line prints."""

from app.domain.lint.finding import LintFinding, Rule, Window

FOUND = LintFinding(
    Rule.RANK_LOCAL_RAISE_BEFORE_COLLECTIVE,
    "tests/test_x.py",
    7,
    5,
    8,
    "tests/test_x.py::test_a",
    "Rank 1 alone may raise here.",
    "agree_on(outcome)",
    ("tests/test_x.py::test_b",),
    Window(6, "dist.barrier()", 9, "dist.all_reduce(t)"),
)


def test_a_finding_names_its_place_its_tests_and_the_window_of_its_mend() -> None:
    assert FOUND.as_json() == {
        "path": "tests/test_x.py",
        "line": 7,
        "rule": "rank-local-raise-before-collective",
        "test": "tests/test_x.py::test_a",
        "text": "Rank 1 alone may raise here.",
        "mend": "agree_on(outcome)",
        "sisters": ["tests/test_x.py::test_b"],
        "column": 5,
        "end_line": 8,
        "window": {
            "after": {"line": 6, "call": "dist.barrier()"},
            "before": {"line": 9, "call": "dist.all_reduce(t)"},
        },
    }


def test_a_finding_without_a_window_says_so() -> None:
    told = LintFinding(Rule.INIT_OUTSIDE_TRY, "t.py", 1, 1, 1, None, "text", "mend").as_json()
    assert (told["window"], told["test"], told["sisters"]) == (None, None, [])
