"""Fingerprints of findings: the same wherever a line has moved to, and GitHub's own as it computes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.lint.finding import LintFinding, Rule
from app.domain.lint.fingerprint import line_hashes, own_fingerprints

BEFORE = "import time\n\n\ndef test():\n    time.sleep(2)\n    time.sleep(2)\n"


def finding(
    line: int, *, test: str | None = "t.py::test", rule: Rule = Rule.FIXED_SLEEP_AS_SYNCHRONISATION
) -> LintFinding:
    return LintFinding(rule, "t.py", line, 5, line, test, "text", "mend")


def own(source: str, *findings: LintFinding) -> list[str]:
    return list(own_fingerprints(findings, source))


def test_a_line_that_moved_and_was_indented_anew_keeps_its_fingerprint() -> None:
    after = BEFORE.replace("import time\n", "import os\nimport time\n").replace("    time", "        time")
    assert own(BEFORE, finding(5)) == own(after, finding(6))


def test_findings_that_are_alike_are_told_apart_by_their_order() -> None:
    first, second = own(BEFORE, finding(5), finding(6))
    assert first.removesuffix(":1") == second.removesuffix(":2")


@pytest.mark.parametrize(
    "other",
    [
        finding(5, test="t.py::test_other"),
        finding(5, test=None),
        finding(5, rule=Rule.NO_EARLY_EXIT_CHECK),
        finding(1),
    ],
)
def test_another_rule_test_or_line_has_another_fingerprint(other: LintFinding) -> None:
    assert own(BEFORE, finding(5)) != own(BEFORE, other)


# Computed by running the upload action's published algorithm under Node.
@pytest.mark.parametrize(
    ("source", "hashes"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (
            "x\n\nx\n",
            ["455c7456ac3db555:1", "9b880b129a60314b:1", "828973aa50c68d6d:1", "c129715d7a2bc9a3:1"],
        ),
    ],
)
def test_hashes_of_lines_are_those_of_the_upload_action(source: str, hashes: list[str]) -> None:
    assert line_hashes(source) == hashes


def test_equal_stretches_of_a_file_are_counted() -> None:
    alike = "    check(value)\n" * 20
    assert [one.partition(":")[2] for one in line_hashes(alike)[:3]] == ["1", "2", "3"]


@given(st.text(alphabet="ab \t\n\N{GRINNING FACE}", max_size=300))
def test_every_line_has_a_hash_that_blanks_do_not_change(source: str) -> None:
    hashes = line_hashes(source)
    assert len(hashes) == source.count("\n") + 1
    assert hashes == line_hashes(source.replace(" ", "\t \t"))
