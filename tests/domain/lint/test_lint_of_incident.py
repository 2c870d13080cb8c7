"""The lint on a file of the incident's shape with two sisters, and on the same file after the mend."""

import ast
from pathlib import Path

import pytest

from app.domain.lint.finding import LintFinding, Rule
from app.domain.lint.linted import lint

FILES = Path(__file__).parent / "incident"
FIRST = "test_weak.py::test_full_state_is_exact"
SISTERS = (
    "test_weak.py::test_sharded_state_is_exact",
    "test_weak.py::TestHandOff::test_to_the_same_topology",
)


@pytest.fixture(scope="module")
def weak() -> tuple[LintFinding, ...]:
    return lint((FILES / "weak_checkpoint.py").read_text(), "test_weak.py")


def line_of(text: str) -> int:
    lines = (FILES / "weak_checkpoint.py").read_text().splitlines()
    [number] = [number for number, line in enumerate(lines, start=1) if text in line]
    return number


def test_the_weaknesses_are_found_by_line(weak: tuple[LintFinding, ...]) -> None:
    get, codes = line_of("result_queue.get("), line_of("assert all(process.exitcode")
    assert [(one.line, one.rule) for one in weak if one.rule in OF_PROCESSES] == [
        (line_of("    _join(rank, port)"), Rule.INIT_OUTSIDE_TRY),
        (get, Rule.NO_EARLY_EXIT_CHECK),
        (get, Rule.ONE_ITEM_DRAINED),
        (line_of("process.terminate()"), Rule.TERMINATE_COUNTS_AS_CRASH),
        (codes, Rule.BARE_EXIT_CODE_ASSERTION),
        (codes, Rule.REPORT_ASSERTED_TOO_LATE),
    ]


OF_PROCESSES = {
    Rule.INIT_OUTSIDE_TRY,
    Rule.ONE_ITEM_DRAINED,
    Rule.RANK_0_ONLY_REPORT,
    Rule.REPORT_ASSERTED_TOO_LATE,
    Rule.TERMINATE_COUNTS_AS_CRASH,
    Rule.NO_EARLY_EXIT_CHECK,
    Rule.BARE_EXIT_CODE_ASSERTION,
}


def test_each_finding_names_the_test_and_both_sisters(weak: tuple[LintFinding, ...]) -> None:
    assert {(one.test, one.sisters) for one in weak} == {(FIRST, SISTERS)}


def test_each_finding_speaks_in_the_names_of_the_file(weak: tuple[LintFinding, ...]) -> None:
    texts = {one.rule: one.text for one in weak}
    assert "`_save_and_load` calls `_join(rank, port)`" in texts[Rule.INIT_OUTSIDE_TRY]
    assert "`result_queue`, on which all 2 of `processes`" in texts[Rule.ONE_ITEM_DRAINED]
    assert "`process.terminate()`" in texts[Rule.TERMINATE_COUNTS_AS_CRASH]
    assert "`result_queue`" in texts[Rule.REPORT_ASSERTED_TOO_LATE]
    assert "`processes`" in texts[Rule.BARE_EXIT_CODE_ASSERTION]


def test_each_mend_is_python_in_the_names_of_the_file(weak: tuple[LintFinding, ...]) -> None:
    known = {"result_queue", "processes", "process", "_save_and_load"}
    for one in weak:
        names = {node.id for node in ast.walk(ast.parse(one.mend)) if isinstance(node, ast.Name)}
        names |= {node.name for node in ast.walk(ast.parse(one.mend)) if isinstance(node, ast.FunctionDef)}
        assert one.rule not in OF_PROCESSES or names & known or "assert all(process" in one.mend, one.mend


def test_the_mend_of_init_destroys_only_a_group_that_was_joined(weak: tuple[LintFinding, ...]) -> None:
    [mend] = [one.mend for one in weak if one.rule is Rule.INIT_OUTSIDE_TRY]
    assert mend.index("try:") < mend.index("_join(rank, port)") < mend.index("except BaseException:")
    assert mend.index("if dist.is_initialized()") < mend.index("dist.destroy_process_group()")


def test_on_the_mended_file_nothing_is_found() -> None:
    assert lint((FILES / "mended_checkpoint.py").read_text(), "test_mended.py") == ()
