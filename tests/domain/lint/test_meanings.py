"""What the rules mean: each has a text within the limits of those who show it, and examples in Python."""

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from app.domain.lint import rules as rule_modules
from app.domain.lint.finding import Rule
from app.domain.lint.linted import RULES, lint
from app.domain.lint.meanings import MEANINGS
from app.domain.lint.sarif_rules import LONGEST_DESCRIPTION, rules


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_says_what_it_means_and_how_it_is_mended(rule: Rule) -> None:
    meaning = MEANINGS[rule]
    assert len(meaning.short) < 100
    assert not meaning.short.endswith(".")
    assert len(meaning.why) <= LONGEST_DESCRIPTION
    assert meaning.mend.endswith(".")


@pytest.mark.parametrize("rule", Rule)
def test_both_examples_are_python_and_fit_beside_a_result(rule: Rule) -> None:
    meaning = MEANINGS[rule]
    for example in (meaning.bad, meaning.mended):
        ast.parse(example)
        assert max(map(len, example.split("\n"))) <= 88
    assert meaning.bad != meaning.mended


def test_rules_of_sarif_stand_in_the_order_that_results_count_by() -> None:
    assert [one["id"] for one in rules()] == [rule.value for rule in Rule]


IMPORTS = """\
import queue, socket, time, traceback
import multiprocessing as mp
import pytest, torch
import torch.distributed as dist
"""
WAITING = dedent(MEANINGS[Rule.NO_EARLY_EXIT_CHECK].mended.partition("\n\n\n")[2])
WORKER = MEANINGS[Rule.INIT_OUTSIDE_TRY].mended
STARTED = """\
def started(results):
    processes = [mp.Process(target=worker, args=(rank, results)) for rank in range(2)]
    for process in processes:
        process.start()
    return processes
"""
CALLED = {
    "worker": """\
def test_worker():
    results = mp.Queue()
    processes = started(results)
    reports = [next_result(results, processes) for _ in processes]
    for process in processes:
        process.join()
    assert not any("Traceback" in str(report) for report in reports), reports
""",
    "finish": """\
def test_finish():
    results = mp.Queue()
    processes = started(results)
    reports = [next_result(results, processes) for _ in processes]
    finish(processes{more})
""",
    "collect": """\
def test_collect():
    results = mp.Queue()
    processes = started(results)
    reports = collect(results, processes)
    for process in processes:
        process.join()
    assert not any("Traceback" in str(report) for report in reports), reports
""",
}
"""A test around an example that is only a part of one, by the function that the example defines."""


def whole(example: str) -> str:
    """A file of which the example is a part, and whose other parts have no weakness."""
    parts = [IMPORTS, example]
    names = {node.name for node in ast.parse(example).body if isinstance(node, ast.FunctionDef)}
    if not any(name.startswith("test") for name in names):
        [name] = names & set(CALLED) or {"worker"}
        parts += [STARTED, CALLED[name].format(more=", reports" if "reports)" in example else "")]
    if "worker" not in names:
        parts.append(WORKER)
    if "next_result" not in names:
        parts.append(WAITING)
    return "\n\n".join(parts)


@pytest.mark.parametrize("rule", Rule)
def test_the_bad_example_has_the_weakness_alone_and_the_mended_one_has_none(rule: Rule) -> None:
    assert {one.rule for one in lint(whole(MEANINGS[rule].bad), "test_x.py")} == {rule}
    assert lint(whole(MEANINGS[rule].mended), "test_x.py") == ()


def test_each_rule_has_a_module_of_its_name_and_the_folder_holds_nothing_else() -> None:
    names = {Path(file).stem for file in Path(rule_modules.__path__[0]).glob("*.py")} - {"__init__"}
    assert names == {rule.value.replace("-", "_") for rule in Rule}
    assert all(RULES[rule].__module__.endswith(rule.value.replace("-", "_")) for rule in Rule)
