"""The summary of a step: what it says, that it stays within bounds, and that no text of others breaks it."""

import re
from dataclasses import replace

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from told_jobs import FAILED, diverged, hostile, job, not_reproduced

from app.domain.replay_words import CauseKind, FindingKind, ReplayVerdict
from worker.commands.in_job.advice import advice
from worker.commands.in_job.summary import LIMIT_BYTES, summary
from worker.commands.in_job.told import Replayed
from worker.replay.engine import INTERRUPTED
from worker.replay.limits import Held, Hold
from worker.replay.trial import Explained, Explanation, Finding

HOSTILE = [
    "a | b |\n| --- |\n| c",
    "</details></table><script>alert(1)</script><img src=x onerror=alert(1)>",
    "```\n# heading\n```",
    "[click](https://evil.example) @octocat #12 :+1: https://evil.example/x",
    "<!-- a comment -->",
    "`|` \\| **bold** $$x$$ ~~~",
    "\x1b[31mred\u202egnirts\x00",
    "::error::x\n##[error]y",
    "",
]


def page_of(markdown: str) -> LexborHTMLParser:
    return LexborHTMLParser(cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE))


def shape(markdown: str) -> list[tuple[str, int]]:
    """The elements that others' text must not change: tables with their cells, headings, folds, lists."""
    page = page_of(markdown)
    tables = [("row", len(row.css("td, th"))) for row in page.css("tr")]
    return [*tables, *((name, len(page.css(name))) for name in ("h2", "h3", "details", "summary", "pre"))]


def test_verdict_cause_table_and_what_to_do_are_told() -> None:
    told = summary(job(diverged(), red=3, not_tried={"b.py::t": "the budget was used up"}))
    page = page_of(told)
    assert "rank 0 raised ValueError after matched WORLD collective 14" in told
    assert "**rank-divergence, rank 0**" in told
    assert "- after planner.py:16 in" in told
    assert "Have all ranks agree on the outcome" in told
    assert "flake-triage replay test_planner.py::test_plan --out evidence" in told
    assert "`flake-triage lint test_planner.py`" in told
    heads = [[cell.text() for cell in row.css("th")] for row in page.css("thead tr")]
    assert ["s", "the test", "rank 0", "rank 1"] in heads
    assert ["limits by", "CPU", "memory", "processes", "isolation"] in heads
    assert "13 collectives before it, which every rank entered" in told
    assert "**all_reduce(MIN) number 15**: failed after" in told
    assert "*never entered it*" in told
    assert told.count("the quota held the tree still for 120 ms here") == 1
    assert "b.py::t" in told
    assert "the budget was used up" in told


def test_a_test_that_did_not_fail_again_has_its_rate_and_no_table() -> None:
    told = summary(job(not_reproduced()))
    assert "**not-reproduced**: it passed 31 of 31 trials: a rate up to 9.2 % is not excluded" in told
    assert "What the ranks did" not in told
    assert "Re-run the job." in told


def test_what_could_not_be_held_is_said_with_the_reason() -> None:
    held = Held(
        "stop-and-continue", Hold.APPROXIMATED, Hold.ABSENT, Hold.APPROXIMATED, "none", ("Why | not.",)
    )
    one = diverged()
    trials = tuple(replace(trial, held=held) for trial in one.replay.trials)
    told = summary(job(replace(one, replay=replace(one.replay, trials=trials)), notes=("No sandbox here.",)))
    assert "| stop-and-continue | approximated | absent | approximated | none: the job's own rights |" in told
    assert "- Why \\| not." in told
    assert "> No sandbox here." in told


def test_a_step_that_ended_early_says_so() -> None:
    assert "The step ended before it was done." in summary(job(diverged(), is_ended=False))
    assert "The step ended" not in summary(job(diverged()))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_changes_no_table_and_no_heading(text: str) -> None:
    calm, told = summary(job(hostile("calm"))), summary(job(hostile(text)))
    assert shape(told) == shape(calm)
    page = page_of(told)
    assert not page.css("script, img, a, input, h1, strong script")
    assert "<!--" not in told


@given(st.text(max_size=80), st.text(max_size=40))
def test_no_text_changes_the_tables(text: str, why: str) -> None:
    not_tried = {f"a.py::{text}": why}
    told = summary(job(hostile(text), red=2, not_tried=not_tried, unread={text: why}, notes=(text,)))
    calm = summary(
        job(hostile("calm"), red=2, not_tried={"a.py::calm": "why"}, unread={"b": "c"}, notes=("n",))
    )
    assert shape(told) == shape(calm)


def test_thousands_of_tests_stay_below_githubs_bound_and_none_is_dropped_in_silence() -> None:
    many = [not_reproduced(f"test_calm.py::test_{n}" + "x" * 200) for n in range(3000)]
    left = {f"test_b.py::test_{n}": "the budget was used up " * 20 for n in range(5000)}
    told = summary(job(*many, red=8000, not_tried=left))
    assert len(told.encode()) <= LIMIT_BYTES
    assert "more tests in the evidence." in told
    assert "and 4800 more" in told
    assert "Not tried: 5000 tests" in told
    short = summary(job(*many, not_tried=left), limit_bytes=20_000)
    assert len(short.encode()) <= 20_000


def test_a_giant_text_is_cut_within_the_bound() -> None:
    told = summary(job(*[hostile("x|\n" * 100_000)] * 5))
    assert len(told.encode()) <= LIMIT_BYTES


def test_what_is_folded_stays_folded_however_much_it_is() -> None:
    """A dollar sign takes most bytes of all that are escaped."""
    first = diverged()
    others = tuple(Explained(CauseKind.NOT_EXPLAINED, sentence=f"{n} {'$' * 900}") for n in range(40))
    first = replace(first, replay=replace(first.replay, collateral=others))
    page = page_of(summary(job(first, not_reproduced())))
    assert [len(page.css(name)) for name in ("h3", "details")] == [3, 2]
    assert not page.css("details h3")
    assert "More in the evidence." in page.css("details")[0].text()


@pytest.mark.parametrize("kind", [one for one in CauseKind if one is not CauseKind.NONE])
@pytest.mark.parametrize("verdict", list(ReplayVerdict))
def test_there_is_something_to_do_about_everything(kind: CauseKind, verdict: ReplayVerdict) -> None:
    explained = Explanation(Explained(kind, "so it was"))
    replay = replace(diverged().replay, verdict=verdict, explanation=explained, findings=())
    assert len(list(advice(replay))) == 2


def test_weaknesses_that_hide_the_cause_are_to_be_mended_once_each() -> None:
    found = tuple(Finding(FindingKind.UNREAD_REPORT, f"in trial {n}") for n in range(3))
    told = list(advice(replace(diverged().replay, findings=found)))
    assert sum("Read one report of every process" in one for one in told) == 1


def test_many_ranks_and_rows_are_counted_where_they_are_left_out() -> None:
    one = diverged()
    assert one.scene is not None
    lanes = one.scene.lanes
    rank = next(lane for lane in lanes if lane.rank == 1)
    wide = replace(one.scene, lanes=(*lanes, *(replace(rank, rank=n, bars=()) for n in range(2, 12))))
    told = summary(job(replace(one, scene=wide, failed=FAILED)))
    assert "8 other processes in the bundle's page." in told
    busy = replace(rank, marks=tuple(replace(rank.marks[0], at=0.01 * n) for n in range(60)))
    long = replace(one.scene, lanes=(*(lane for lane in lanes if lane.rank != 1), busy))
    assert "earlier rows in the bundle's page." in summary(job(replace(one, scene=long)))


def test_a_cell_of_the_table_is_cut_once() -> None:
    one = diverged()
    assert one.scene is not None
    rank = next(lane for lane in one.scene.lanes if lane.rank == 1)
    said = f"uncaught: RuntimeError: {'word and ' * 21} ..."
    busy = replace(rank, marks=(replace(rank.marks[0], words=said),))
    lanes = (*(lane for lane in one.scene.lanes if lane.rank != 1), busy)
    (cell,) = (
        one.text()
        for one in page_of(summary(job(replace(one, scene=replace(one.scene, lanes=lanes))))).css("td")
        if "word and" in one.text()
    )
    assert (cell.count("…"), cell.count("...")) == (1, 0)
    assert cell.endswith(("word …", "and …"))


@pytest.mark.parametrize("verdict", list(ReplayVerdict))
def test_nobody_is_told_to_give_an_interrupted_replay_a_larger_budget(verdict: ReplayVerdict) -> None:
    one = replace(diverged().replay, verdict=verdict, decisions=(INTERRUPTED,))
    told = summary(job(Replayed(one)))
    assert re.search(r"^\*\*([a-z-]+, )?interrupted\*\*: ", told, re.MULTILINE)
    assert "budget-exhausted" not in told
    assert "a larger `--budget`" not in told


def test_a_single_process_needs_no_table() -> None:
    one = diverged()
    assert one.scene is not None
    alone = replace(
        one.scene, lanes=tuple(lane for lane in one.scene.lanes if lane.rank is None), divergence=None
    )
    assert "What the ranks did" not in summary(job(replace(one, scene=alone)))
