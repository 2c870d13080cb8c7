"""Comments that suppress findings: what each covers, and what is told of those that are wrong."""

import ast
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.lint.finding import LintFinding, Rule
from app.domain.lint.suppression import Sifted, sift

SLEEP = Rule.FIXED_SLEEP_AS_SYNCHRONISATION
PORT = Rule.PORT_FOUND_THEN_RELEASED
BARE = Rule.BARE_EXIT_CODE_ASSERTION


def finding(line: int, rule: Rule = SLEEP) -> LintFinding:
    return LintFinding(rule, "test_x.py", line, 1, line, None, "text", "mend")


def sifted(source: str, *findings: LintFinding) -> Sifted:
    text = dedent(source)
    return sift(text, ast.parse(text), findings)


def kept(found: Sifted) -> list[int]:
    return [one.line for one in found.kept]


def told(found: Sifted) -> list[tuple[int, str]]:
    return [(one.line, one.text) for one in found.problems]


def test_a_file_without_comments_of_ours_keeps_everything() -> None:
    found = sifted("x = 1  # fine\n", finding(1))
    assert (kept(found), found.suppressed, found.problems) == ([1], (), ())


def test_a_comment_on_the_line_suppresses_its_rule_there_and_nowhere_else() -> None:
    found = sifted(
        """\
        wait(2)  # flake-triage: ignore[fixed-sleep-as-synchronisation] the device needs it, see #12
        wait(2)
        """,
        finding(1),
        finding(1, BARE),
        finding(2),
    )
    assert [(one.line, one.rule) for one in found.kept] == [(1, BARE), (2, SLEEP)]
    [suppressed] = found.suppressed
    assert (suppressed.finding.line, suppressed.by.reason) == (1, "the device needs it, see #12")
    assert found.problems == ()


@pytest.mark.parametrize("line", [1, 2, 3])
def test_it_may_stand_on_any_line_of_a_long_statement(line: int) -> None:
    lines = ["assert all(", "    one == 0 for one in codes", ")"]
    lines[line - 1] += "  # flake-triage: ignore[bare-exit-code-assertion] codes are printed"
    assert kept(sifted("\n".join(lines) + "\n", finding(1, BARE))) == []


def test_a_line_of_its_own_speaks_of_the_statement_below_also_past_other_comments() -> None:
    found = sifted(
        """\
        def test():
            # flake-triage: ignore[fixed-sleep-as-synchronisation] no event to
            # wait for
            wait(
                2
            )
            wait(2)
        """,
        finding(5),
        finding(7),
    )
    assert kept(found) == [7]


def test_a_blank_line_parts_a_comment_from_the_statement() -> None:
    found = sifted("# flake-triage: ignore[fixed-sleep-as-synchronisation] why\n\nwait(2)\n", finding(3))
    assert kept(found) == [3]
    assert told(found) == [(1, "there is no fixed-sleep-as-synchronisation to suppress here; remove it")]


def test_a_comment_at_the_end_of_a_file_covers_nothing() -> None:
    found = sifted("wait(2)\n# flake-triage: ignore[fixed-sleep-as-synchronisation] why\n", finding(1))
    assert (kept(found), len(found.problems)) == ([1], 1)


@pytest.mark.parametrize(
    "head",
    [
        "def test():  # flake-triage: ignore[fixed-sleep-as-synchronisation] why",
        "def test(  # flake-triage: ignore[fixed-sleep-as-synchronisation] why\n    a,\n):",
        "# flake-triage: ignore[fixed-sleep-as-synchronisation] why\nasync def test():",
        "# flake-triage: ignore[fixed-sleep-as-synchronisation] why\n@mark\n@mark(\n    2\n)\ndef test():",
        "@mark\n# flake-triage: ignore[fixed-sleep-as-synchronisation] why\ndef test():",
        "class Test:  # flake-triage: ignore[fixed-sleep-as-synchronisation] why",
    ],
)
def test_on_the_line_of_a_definition_it_covers_the_whole_body(head: str) -> None:
    body = [*head.split("\n"), "    wait(1)", "    if x:", "        wait(2)", "wait(3)"]
    inside = [finding(len(body) - 3), finding(len(body) - 1)]
    found = sifted("\n".join(body) + "\n", *inside, finding(len(body)))
    assert kept(found) == [len(body)]
    assert found.problems == ()


def test_a_whole_file_is_covered_from_a_line_of_its_own() -> None:
    found = sifted(
        """\
        import time

        # flake-triage: ignore-file[fixed-sleep-as-synchronisation] these tests are of sleeping

        wait(2)
        wait(2)
        """,
        finding(5),
        finding(6, PORT),
    )
    assert [one.rule for one in found.kept] == [PORT]


def test_a_whole_file_is_not_covered_from_behind_a_statement() -> None:
    found = sifted("wait(2)  # flake-triage: ignore-file[fixed-sleep-as-synchronisation] why\n", finding(1))
    assert told(found) == [(1, "ignore-file has to stand on a line of its own")]
    assert kept(found) == [1]


def test_the_nearest_comment_gives_the_reason_and_none_that_covers_is_called_unused() -> None:
    found = sifted(
        """\
        # flake-triage: ignore-file[fixed-sleep-as-synchronisation] of the file
        def test():  # flake-triage: ignore[fixed-sleep-as-synchronisation] of the function
            wait(2)  # flake-triage: ignore[fixed-sleep-as-synchronisation] of the line
            wait(2)
        """,
        finding(3),
        finding(4),
    )
    assert [one.by.reason for one in found.suppressed] == ["of the line", "of the function"]
    assert found.problems == ()


def test_several_rules_share_a_reason_and_each_must_be_needed() -> None:
    found = sifted(
        "wait(2)  # flake-triage: ignore[fixed-sleep-as-synchronisation, port-found-then-released,] why\n",
        finding(1),
    )
    assert kept(found) == []
    assert [(one.line, one.rule) for one in found.problems] == [(1, PORT)]


@pytest.mark.parametrize("reason", ["", " ", " -", "  # noqa: S311", " # type: ignore[misc]", ": ..."])
def test_without_a_reason_nothing_is_suppressed(reason: str) -> None:
    found = sifted(f"wait(2)  # flake-triage: ignore[fixed-sleep-as-synchronisation]{reason}\n", finding(1))
    assert kept(found) == [1]
    assert told(found) == [(1, "it gives no reason, so it suppresses nothing")]


def test_a_comment_may_stand_among_those_of_other_tools() -> None:
    found = sifted(
        "wait(2)  # noqa: X1  # Flake-Triage:ignore[fixed-sleep-as-synchronisation]: why  # type: ignore\n",
        finding(1),
    )
    assert [one.by.reason for one in found.suppressed] == ["why"]


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("ignore[fixed-sleep] why", "'fixed-sleep' is no rule; is fixed-sleep-as-synchronisation meant?"),
        ("ignore[x!] why", "'x!' is no rule"),
        (
            "ignore the sleep",
            "it names no rule; `ignore[rule] reason` and `ignore-file[rule] reason` are understood",
        ),
        (
            "ignore[] why",
            "it names no rule; `ignore[rule] reason` and `ignore-file[rule] reason` are understood",
        ),
        (
            "ignored[x] why",
            "'ignored[x] why' is not understood; `ignore[rule] reason` and `ignore-file[rule] reason` are",
        ),
        ("", "'' is not understood; `ignore[rule] reason` and `ignore-file[rule] reason` are"),
    ],
)
def test_what_is_not_understood_is_told_and_suppresses_nothing(written: str, problem: str) -> None:
    found = sifted(f"wait(2)  # flake-triage: {written}\n", finding(1))
    assert (kept(found), told(found)) == ([1], [(1, problem)])


def test_nothing_inside_a_string_is_a_comment() -> None:
    found = sifted(
        'text = """\n# flake-triage: ignore[fixed-sleep-as-synchronisation] why\n"""; wait(2)\n', finding(3)
    )
    assert (kept(found), found.problems) == ([3], ())


def test_problems_are_told_in_the_order_of_the_file() -> None:
    found = sifted(
        "x = 1  # flake-triage: ignore[port-found-then-released] why\nx = 1  # flake-triage: what\n"
    )
    assert [one.line for one in found.problems] == [1, 2]


@given(st.text(alphabet="#()[]:\\'\"\n \tdefx=1@,-ignore", max_size=60))
def test_any_text_behind_a_comment_of_ours_is_read_to_an_end(text: str) -> None:
    source = f"# flake-triage: ignore[port-found-then-released] why\nx = 1\n{text}"
    found = sift(source, ast.parse(""), [finding(2, PORT)])
    assert kept(found) == []
