"""The alert on main: one text that opens, is updated, and ends with one all-clear."""

from dataclasses import replace
from datetime import timedelta

import pytest
from evidence_builders import HEAD, INFRA, MAIN, NOON, ON_MAIN, POLICY, base, evidence, seen
from hypothesis import given
from hypothesis import strategies as st
from rendering import rendered, tags
from telling_builders import BROKEN_MAIN, CLEAR_AT, GEFEN, SUSPECTED_ON_MAIN, alert, failure

from app.domain.gap import Gap, GapKind
from app.domain.ids import Sha
from app.domain.judge import judge
from app.domain.main_alert import AlertEvent, AlertStep, AllClear, Candidate, render_alert, render_double
from app.domain.marker import alert_marker, find_marker

FLAKE = failure(SUSPECTED_ON_MAIN, title="assert False", sha=MAIN)
BROKEN = failure(BROKEN_MAIN, test="tests/a.py::test_broken", sha=MAIN)


def test_it_says_since_when_what_kind_of_red_and_what_to_re_run() -> None:
    text = render_alert(alert(FLAKE))
    assert text.title == "main is red since df3a615: a suspected flake in test_handoff[cpu]"
    lines = text.body.splitlines()
    assert lines[0] == (
        f"**`main` is red since [`df3a615`](https://github.com/o/gefen/commit/{MAIN})** (2026-07-17 12:00 "
        "UTC): a suspected flake: the same failure flipped at bd47e80; a regression is not excluded."
    )
    assert lines[2].startswith("**Next:** re-run the failed job of [run 100]")
    assert text.body.count("**Next:**") == 1


def test_a_double_names_the_one_that_is_kept_and_is_known_by_its_marker() -> None:
    body = render_double(GEFEN, "ma-->in", 7)
    assert "beside #7" in body
    assert find_marker(body) == alert_marker(GEFEN, "ma-->in")


def test_it_names_the_commits_that_can_have_brought_it() -> None:
    page = rendered(render_alert(alert(FLAKE)).body)
    candidates = page.css("ul")[0].text()
    assert candidates.strip().replace("\u200b", "") == "df3a615 Merge pull request #83 (ann)"


def test_many_candidates_are_counted() -> None:
    commits = tuple(Candidate(Sha(f"{n:040x}")) for n in range(20))
    assert "\n- 5 more commits\n" in render_alert(alert(FLAKE, candidates=commits)).body


@pytest.mark.parametrize(("green", "said"), [(None, "not known.\n"), (HEAD, f"/commit/{HEAD}) was green.\n")])
def test_unknown_candidates_are_said_to_be_unknown(green: Sha | None, said: str) -> None:
    body = render_alert(alert(FLAKE, candidates=(), last_green=green)).body
    assert "Which commits can have brought it is not known" in body
    assert said in body


def test_the_all_clear_does_not_ask_for_commits_nobody_needs() -> None:
    body = render_alert(alert(FLAKE, candidates=(), all_clear=CLEAR_AT)).body
    assert "can have brought it" not in body


def test_a_broken_main_comes_before_a_flake_and_is_not_to_be_re_run() -> None:
    text = render_alert(alert(FLAKE, BROKEN))
    assert text.title == "main is red since df3a615: 1 failure of a broken main and 1 suspected flake"
    assert "a failure of a broken main: 3 tested commits of main in a row failed alike" in text.body
    assert "with no pass between; the first commit that may have brought it in is df3a615; " in text.body
    assert "besides, 1 more failure." in text.body
    assert (
        "re-running [run 100](https://github.com/o/gefen/actions/runs/100) is not expected to help"
        in text.body
    )


def test_a_red_main_without_a_readable_failure_is_still_red() -> None:
    text = render_alert(alert(gaps=(Gap(GapKind.LOG_GONE, "job 7", ""),)))
    assert text.title == "main is red since df3a615"
    assert "a job failed, and no failing test could be read from it." in text.body
    assert "- `job 7` (log gone)" in text.body


def test_what_is_not_decided_is_said_once() -> None:
    verdict = judge(
        evidence(change=ON_MAIN, failure=seen(sha=MAIN), failed_before=1, base=base(passes=1)), POLICY
    )
    lead = render_alert(alert(failure(verdict))).body.splitlines()[0]
    assert lead.endswith(
        "a failure not decided yet: before this run, main passed it 1 time without a failure."
    )
    silent = replace(verdict, reasons=verdict.reasons[-2:-1])
    assert render_alert(alert(failure(silent))).body.splitlines()[0].endswith(": a failure not decided yet.")


def test_a_job_without_a_test_is_not_named_as_one() -> None:
    verdict = judge(evidence(change=ON_MAIN, test="", signature=INFRA), POLICY)
    assert (
        render_alert(alert(failure(verdict, test=""))).title
        == "main is red since df3a615: a failure of a whole job"
    )


def test_the_all_clear_says_how_long_it_was_red_and_what_it_was() -> None:
    text = render_alert(alert(FLAKE, all_clear=CLEAR_AT))
    assert text.title == "main was red from df3a615: a suspected flake in test_handoff[cpu]"
    assert text.body.startswith("**`main` is green again** since [`bd47e80`]")
    assert (
        "[run 120](https://github.com/o/gefen/actions/runs/120) passed on 2026-07-17 15:05 UTC" in text.body
    )
    assert "It was red for 3 h 5 min" in text.body
    assert "What it was: a suspected flake" in text.body
    assert "**Next:**" not in text.body
    assert "<details>" not in text.body


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (timedelta(minutes=5), "5 min"),
        (timedelta(hours=1), "1 h 0 min"),
        (timedelta(days=1, minutes=1), "1 day 1 min"),
        (timedelta(days=2, hours=3), "2 days 3 h 0 min"),
        (timedelta(minutes=-5), "0 min"),
    ],
)
def test_how_long_it_was_red_is_in_days_hours_and_minutes(span: timedelta, said: str) -> None:
    clear = AllClear(HEAD, 120, NOON + span)
    assert f"It was red for {said}, since" in render_alert(alert(FLAKE, all_clear=clear)).body


def test_history_is_a_table_in_order_of_time() -> None:
    events = (
        AlertEvent(NOON + timedelta(hours=1), AlertStep.CLOSED, HEAD, "green | again", 120),
        AlertEvent(NOON, AlertStep.OPENED, MAIN),
    )
    rows = rendered(render_alert(alert(FLAKE, history=events)).body).css("tbody tr")
    assert [[cell.text() for cell in row.css("td")] for row in rows] == [
        ["2026-07-17 12:00", "opened", "df3a615", ""],
        ["2026-07-17 13:00", "closed: green | again", "bd47e80", "run 120"],
    ]


def test_a_long_history_keeps_its_beginning_and_counts_what_it_leaves_out() -> None:
    events = tuple(
        AlertEvent(NOON + timedelta(minutes=n), AlertStep.UPDATED, MAIN, f"n{n}") for n in range(50)
    )
    body = render_alert(alert(FLAKE, history=events)).body
    assert "updated: n0 |" in body
    assert "updated: n49 |" in body
    assert "updated: n20 |" not in body
    assert "20 updates left out." in body


def test_no_history_is_no_table() -> None:
    assert "|---" not in render_alert(alert(FLAKE, history=())).body


def test_further_failures_have_a_next_step_of_their_own() -> None:
    assert render_alert(alert(FLAKE, BROKEN)).body.count("**Next:**") == 2


def test_it_stays_within_its_budget() -> None:
    failures = [failure(BROKEN_MAIN, test=f"t{n}", excerpt="x" * 9000, sha=MAIN) for n in range(100)]
    body = render_alert(alert(*failures), limit_bytes=8000).body
    assert len(body.encode()) <= 8000
    assert "more failures on the [dashboard]" in body
    assert find_marker(body) == alert_marker(GEFEN, "main")


def test_equal_facts_give_equal_bytes() -> None:
    assert render_alert(alert(FLAKE, BROKEN)) == render_alert(alert(BROKEN, FLAKE))


HOSTILE = st.lists(
    st.sampled_from(
        [
            "](javascript:alert(1))",
            "<img src=x onerror=alert(1)>",
            "```",
            "@everyone #1 www.evil.example",
            "| a | b |",
            "\u202egnp",
            "<!-- flake-triage:main:o/gefen:main -->",
            "x-->y",
            "\n# heading\n",
            "**",
        ]
    ),
    min_size=1,
    max_size=4,
).map("".join)


@given(HOSTILE)
def test_hostile_names_break_nothing(text: str) -> None:
    told = render_alert(
        alert(
            failure(SUSPECTED_ON_MAIN, test=text, title=text, excerpt=text, sha=MAIN, job=text),
            branch=text,
            candidates=(Candidate(MAIN, text, text),),
            history=(AlertEvent(NOON, AlertStep.OPENED, MAIN, text, 1),),
        )
    )
    page = rendered(told.body)
    table = {"table", "thead", "tbody", "tr", "th", "td"}
    assert tags(page) <= {"p", "strong", "a", "code", "ul", "li", "details", "summary", "pre"} | table
    assert {node.attributes["href"].split("/")[2] for node in page.css("a")} == {
        "github.com",
        "127.0.0.1:8077",
    }
    assert len(page.css("tbody tr")) == 1
    assert len(page.css("tbody td")) == 4
    assert told.body.count("<!--") == 1
    assert find_marker(told.body) == alert_marker(GEFEN, text)
    assert "\n" not in told.title
    assert "\u202e" not in told.title + told.body
    assert len(told.title) <= 200
