"""The lint of one file: all rules over its syntax tree, and which tests each finding makes undiagnosable."""

import ast
from collections.abc import Callable, Iterator

from app.domain.errors import Rejected
from app.domain.lint.finding import LintFinding, Rule
from app.domain.lint.program import Program
from app.domain.lint.rules import (
    bare_exit_code_assertion,
    collective_under_rank_condition,
    exit_without_barrier,
    fixed_sleep_as_synchronisation,
    init_outside_try,
    no_early_exit_check,
    one_item_drained,
    port_found_then_released,
    rank_0_only_report,
    rank_local_raise_before_collective,
    report_asserted_too_late,
    terminate_counts_as_crash,
)
from app.domain.lint.source import parse
from app.domain.lint.suppression import Sifted, sift
from app.domain.lint.weakness import Weakness

RULES: dict[Rule, Callable[[Program], Iterator[Weakness]]] = {
    Rule.INIT_OUTSIDE_TRY: init_outside_try.find,
    Rule.ONE_ITEM_DRAINED: one_item_drained.find,
    Rule.RANK_0_ONLY_REPORT: rank_0_only_report.find,
    Rule.REPORT_ASSERTED_TOO_LATE: report_asserted_too_late.find,
    Rule.TERMINATE_COUNTS_AS_CRASH: terminate_counts_as_crash.find,
    Rule.NO_EARLY_EXIT_CHECK: no_early_exit_check.find,
    Rule.BARE_EXIT_CODE_ASSERTION: bare_exit_code_assertion.find,
    Rule.PORT_FOUND_THEN_RELEASED: port_found_then_released.find,
    Rule.EXIT_WITHOUT_BARRIER: exit_without_barrier.find,
    Rule.RANK_LOCAL_RAISE_BEFORE_COLLECTIVE: rank_local_raise_before_collective.find,
    Rule.COLLECTIVE_UNDER_RANK_CONDITION: collective_under_rank_condition.find,
    Rule.FIXED_SLEEP_AS_SYNCHRONISATION: fixed_sleep_as_synchronisation.find,
}


def lint(source: str, path: str) -> tuple[LintFinding, ...]:
    """Findings by line, then by rule, without those that comments suppress. Raises as `examine` does."""
    return examine(source, path).kept


def examine(source: str, path: str) -> Sifted:
    """Findings by line, then rule, parted by the file's comments. `path` is what the ids of tests begin with.

    Raises Rejected where the text is no Python that can be parsed, with the line and the reason.
    """
    program = Program(parse(source, path))
    try:
        found = [weakness for find in RULES.values() for weakness in find(program)]
    except RecursionError:
        raise Rejected(path, "line 1: nested too deep to be followed") from None
    findings = sorted(_findings(program, found), key=lambda f: (f.line, f.rule))
    return sift(source, program.file.tree, findings)


def _findings(program: Program, found: list[Weakness]) -> Iterator[LintFinding]:
    order = {test.node_id: place for place, test in enumerate(program.tests)}
    by_rule: dict[Rule, set[str]] = {}
    by_place: dict[tuple[Rule, int], list[Weakness]] = {}
    for weakness in found:
        by_rule.setdefault(weakness.rule, set()).update(weakness.tests)
        by_place.setdefault((weakness.rule, _line(weakness.node)), []).append(weakness)
    for (rule, line), same in by_place.items():
        here = sorted({test for weakness in same for test in weakness.tests}, key=order.__getitem__)
        others = sorted(by_rule[rule], key=order.__getitem__)
        first = here[0] if here else None
        yield _finding(program, same[0], line, first, tuple(test for test in others if test != first))


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 1))


def _finding(
    program: Program, weakness: Weakness, line: int, test: str | None, sisters: tuple[str, ...]
) -> LintFinding:
    return LintFinding(
        rule=weakness.rule,
        path=program.file.path,
        line=line,
        column=int(getattr(weakness.node, "col_offset", 0)) + 1,
        end_line=int(getattr(weakness.node, "end_lineno", line)),
        test=test,
        text=weakness.text,
        mend=weakness.mend,
        sisters=sisters,
        window=weakness.window,
    )
