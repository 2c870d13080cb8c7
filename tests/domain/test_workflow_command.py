"""Workflow commands: what is written is one command, and what others wrote is none, as the runner reads."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.markdown import BREAK
from app.domain.workflow_command import MOST_OF_A_LEVEL, Annotation, Level, defused, shown, written

COMMAND = re.compile(r"::(?P<name>[^ :]+)(?: (?P<properties>[^:]*(?::(?!:)[^:]*)*))?::(?P<message>.*)")
HOSTILE = st.text(alphabet=st.sampled_from(list("ab:,%#[]=\n\r\t \u2028\x1b")), max_size=60)


def unescaped(text: str) -> str:
    for code, char in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(code, char)
    return text


def read(line: str) -> tuple[str, dict[str, str], str]:
    """As the runner reads a line: name, properties, message."""
    found = COMMAND.fullmatch(line)
    assert found is not None, line
    pairs = (part.split("=", 1) for part in (found["properties"] or "").split(",") if part)
    return found["name"], {name: unescaped(value) for name, value in pairs}, unescaped(found["message"])


def is_command(line: str) -> bool:
    return line.lstrip().startswith("::") or "##[" in line


def test_an_annotation_names_its_line() -> None:
    told = Annotation(
        Level.ERROR, "rank-exception in rank 1: t[a,b]", "100 % sure:\nit raised", "a:b,c.py", 7
    )
    line = written(told)
    assert line.startswith("::error file=a%3Ab%2Cc.py,line=7,title=rank-exception in rank 1%3A t[a%2Cb]::")
    name, properties, message = read(line)
    assert (name, message) == ("error", "100 % sure:\nit raised")
    assert properties == {"file": "a:b,c.py", "line": "7", "title": "rank-exception in rank 1: t[a,b]"}


def test_an_annotation_of_no_file_stands_at_the_run() -> None:
    assert written(Annotation(Level.NOTICE, "t", "m")) == "::notice title=t::m"


@given(HOSTILE, HOSTILE, HOSTILE)
def test_no_text_makes_a_second_command_of_an_annotation(title: str, message: str, file: str) -> None:
    line = written(Annotation(Level.WARNING, title, message, file, 3))
    assert not re.search(r"[\n\r]", line)
    assert "##[" not in line
    name, properties, _ = read(line)
    assert name == "warning"
    assert properties.keys() <= {"file", "line", "title"}
    assert properties["line"] == "3"


def test_a_long_message_is_cut_with_a_mark() -> None:
    line = written(Annotation(Level.ERROR, "t" * 500, "x" * 100_000))
    assert len(line) < 4000
    assert "characters cut" in line


def test_of_each_level_as_many_are_kept_as_github_shows() -> None:
    many = [Annotation(level, str(n), "") for n in range(30) for level in (Level.ERROR, Level.NOTICE)]
    kept = list(shown(many))
    assert [one.title for one in kept if one.level is Level.ERROR] == [str(n) for n in range(MOST_OF_A_LEVEL)]
    assert len(kept) == 2 * MOST_OF_A_LEVEL


@pytest.mark.parametrize("text", ["::error::x", "  ::add-mask::x", "a\n\t::stop-commands::y", "a ##[error]b"])
def test_lines_that_the_runner_would_obey_are_defused(text: str) -> None:
    told = defused(text)
    assert not any(is_command(line) for line in told.split("\n"))
    assert told.replace(BREAK, "") == text


@given(HOSTILE)
def test_defusing_leaves_no_command_and_changes_nothing_else(text: str) -> None:
    told = defused(text)
    assert not any(is_command(line) for line in told.split("\n"))
    assert told.replace(BREAK, "") == text


@pytest.mark.parametrize("text", ["", "a::b", "tests/a.py::test_b", "## [x]", "a: b"])
def test_other_lines_stay_as_they_are(text: str) -> None:
    assert defused(text) == text


def test_defusing_is_linear() -> None:
    assert len(defused("\n \t" * 200_000)) == 600_000
