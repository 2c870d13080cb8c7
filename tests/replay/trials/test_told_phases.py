"""Phases of a bare trial: read from its results file in each style of pytest, and agreeing with a probe's."""

import io
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import Project

from app.domain.replay_words import CauseKind
from worker.replay.explain.agreement import agree
from worker.replay.explain.explain import explain
from worker.replay.facts import Phase
from worker.replay.joined.printed_failure import read_failure
from worker.replay.joined.told_phases import told_phases
from worker.replay.trial import Explained, Trial

LONG = """def test_it(plan):
>       check(plan, 1)

test_it.py:9:\x20
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
pkg/plan.py:5: in check
    inner(given)
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

given = 1

    @cached
    async def inner(given):
        def nested(): ...
>       assert given == 2
E       assert 1 == 2
E   other.py:4: in nowhere

../lib/checks.py:3: AssertionError"""
SHORT = """test_it.py:9: in test_it
    check(1)
pkg/plan.py:5: in check
    assert given == 2
E   assert 1 == 2"""
NATIVE = """Traceback (most recent call last):
  File "/env/site-packages/_pytest/runner.py", line 361, in from_call
    result = func()
  File "/w/test_it.py", line 9, in test_it
    check(1)
AssertionError: assert 1 == 2"""
CHAIN = """def test_it():
>       int("x")
E       ValueError: invalid
E         literal

test_it.py:3: ValueError

The above exception was the direct cause of the following exception:

    def test_it():
>       raise PlanError("no")
E       PlanError: no

test_it.py:5: PlanError"""


def frames_of(text: str) -> list[tuple[str, int, str, bool]]:
    frames = read_failure(text, "/w").frames
    return [(one.file, one.line, one.function, one.in_project) for one in frames]


def test_long_style_tells_every_entry_and_names_its_function() -> None:
    assert frames_of(LONG) == [
        ("test_it.py", 9, "test_it", True),
        ("pkg/plan.py", 5, "check", True),
        ("/lib/checks.py", 3, "inner", False),
    ]


def test_short_style_and_pythons_own_tell_the_same() -> None:
    assert frames_of(SHORT) == [("test_it.py", 9, "test_it", True), ("pkg/plan.py", 5, "check", True)]
    assert frames_of(NATIVE)[-1] == ("test_it.py", 9, "test_it", True)


def test_last_exception_of_a_chain_has_the_frames() -> None:
    printed = read_failure(CHAIN, "/w")
    assert [one.line for one in printed.frames] == [5]
    assert printed.behind == ("ValueError: invalid",)
    native = f"{NATIVE}\n\nDuring handling of the above exception, another exception occurred:\n\n{NATIVE}"
    assert read_failure(native, "/w").behind == ("AssertionError: assert 1 == 2",)


@given(st.lists(st.sampled_from([*LONG.splitlines(), *NATIVE.splitlines(), "a:1: in f"]) | st.text()))
def test_any_text_is_read(lines: list[str]) -> None:
    assert all(one.line >= 0 for one in read_failure("\n".join(lines), "/w").frames)


def results(kind: str, message: str, text: str = "") -> bytes:
    suites = ET.Element("testsuites")
    case = ET.SubElement(ET.SubElement(suites, "testsuite", name="pytest"), "testcase", name="test_it")
    if kind:
        ET.SubElement(case, kind, message=message).text = text
    file = io.BytesIO()
    ET.ElementTree(suites).write(file)
    return file.getvalue()


def phases(*given: str) -> tuple[Phase, ...]:
    return told_phases(results(*given), pid=3, t=9, project="/w")


def test_failure_tells_what_failed_where() -> None:
    (phase,) = phases("failure", "assert 1 == 2", SHORT)
    assert (phase.pid, phase.t, phase.when, phase.outcome) == (3, 9, "call", "failed")
    assert (phase.crash, phase.file, phase.line, phase.opaque) == ("assert 1 == 2", "pkg/plan.py", 5, False)


@pytest.mark.parametrize("when", ["setup", "teardown"])
def test_error_of_a_fixture_is_of_its_phase_and_without_its_wrapping(when: str) -> None:
    (phase,) = phases("error", f'failed on {when} with "OSError: "no""')
    assert (phase.when, phase.crash, phase.file) == (when, 'OSError: "no"', None)


def test_failed_collection_is_of_that_phase() -> None:
    assert [one.when for one in phases("error", "collection failure", "SyntaxError")] == ["collect"]


def test_exit_codes_alone_are_opaque() -> None:
    statement = "assert all(p.exitcode == 0 for p in ps)"
    text = f"def test_it():\n>       {statement}\nE       assert False\n\nx.py:3: AssertionError"
    (phase,) = phases("failure", "assert False\n +  where False = all(..)", text)
    assert phase.opaque


def test_pass_is_told_and_a_skip_is_not() -> None:
    assert [one.outcome for one in phases("", "")] == ["passed"]
    assert phases("skipped", "no GPU") == ()


@given(st.binary())
def test_any_bytes_are_read(content: bytes) -> None:
    assert isinstance(told_phases(content, pid=3, t=9, project="/w"), tuple)


PLAIN = """
import pytest

def _check(value):
    assert value == 2

@pytest.fixture
def plan():
    raise LookupError("no plan")

def test_value():
    _check(1)

def test_plan(plan):
    pass

def test_codes():
    assert all(code == 0 for code in [0, 1])
"""


def trial_of(project: Project, test: str, *, bare: bool) -> tuple[Trial, Explained]:
    shown = project.run(f"test_it.py::{test}", bare=bare)
    explanation = explain(shown.facts)
    return replace(shown.trial, explanation=explanation), explanation.cause


@pytest.mark.parametrize(
    ("test", "kind", "place"),
    [
        ("test_value", CauseKind.TEST_ASSERTION, "test_it.py:_check"),
        ("test_plan", CauseKind.RANK_EXCEPTION, "test_it.py:plan"),
    ],
)
def test_bare_trial_tells_what_a_probed_one_does(
    project: Project, test: str, kind: CauseKind, place: str
) -> None:
    project.write(PLAIN)
    (bare, seen), (probed, known) = (trial_of(project, test, bare=is_bare) for is_bare in (True, False))
    assert (seen.kind, seen.place, seen.sentence) == (known.kind, known.place, known.sentence)
    assert (seen.kind, seen.place) == (kind, place)
    assert agree(bare, probed)


def test_bare_trial_claims_nothing_of_an_opaque_assertion(project: Project) -> None:
    project.write(PLAIN)
    _, cause = trial_of(project, "test_codes", bare=True)
    assert cause.kind is CauseKind.NOT_EXPLAINED
