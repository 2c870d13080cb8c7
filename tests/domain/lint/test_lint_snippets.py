"""The lint is right often enough: precision and recall per rule, over snippets that others wrote."""

import ast
from collections import Counter

import pytest
from snippet_scores import Part, score, snippets, table

from app.domain.lint.finding import Rule

FLOOR = 0.95  # of seven or eight files a part, so none may be missed and none be wrong


@pytest.mark.parametrize("part", Part)
@pytest.mark.parametrize("rule", Rule)
def test_a_rule_finds_what_is_weak_and_is_silent_on_near_misses(rule: Rule, part: Part) -> None:
    result = score(rule, part)
    assert result.recall >= FLOOR, result.errors()
    assert result.precision >= FLOOR, result.errors()


def test_the_table_of_all_rules_covers_thirty_files_each() -> None:
    print("\n".join(table()))  # noqa: T201 - the table itself, shown by -rP
    counted = Counter((s.rule, s.bad, s.part) for s in snippets())
    sizes = {Part.TUNED: 7, Part.HELD: 8}
    assert counted == {
        (rule, bad, part): sizes[part] for rule in Rule for bad in (True, False) for part in Part
    }


def test_bad_snippets_mark_lines_and_good_ones_mark_none() -> None:
    assert [s.name for s in snippets() if s.bad is not bool(s.expected)] == []


def test_a_snippet_opens_with_its_reason_and_is_never_clean_of_its_own_rule() -> None:
    for snippet in snippets():
        reason = (ast.get_docstring(ast.parse(snippet.path.read_text())) or "").splitlines()[0]
        assert reason.startswith("Bad: " if snippet.bad else "Good: "), snippet.name
        assert snippet.rule not in snippet.clean, snippet.name
