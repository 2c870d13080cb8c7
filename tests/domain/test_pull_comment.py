"""The pull request comment: what it says first, what it folds, and that hostile text stays text."""

import pytest
from evidence_builders import HEAD, NOON, OLD
from hypothesis import given
from hypothesis import strategies as st
from rendering import rendered, tags, text_of
from telling_builders import (
    DASHBOARD,
    GEFEN,
    KNOWN_FLAKE,
    LIKELY_FLAKE,
    NEW,
    OPAQUE_FLAKE,
    REGRESSION,
    SEEN_ELSEWHERE,
    UNDECIDED,
    comment,
    failure,
)

from app.domain.failure_entry import FailureLine
from app.domain.gap import Gap, GapKind
from app.domain.generic import NO_EVIDENCE, NO_TEST_NAMED
from app.domain.marker import comment_marker, find_marker
from app.domain.pull_comment import PullComment, Resolved, render_comment
from app.domain.verdict import EvidenceKind, EvidenceStrength, Kind, Reason, Strength, Verdict, Whose

LIMIT = 60_000


def told(*failures: FailureLine, limit_bytes: int = LIMIT, **facts: object) -> str:
    return render_comment(comment(*failures, **facts), limit_bytes=limit_bytes)


def first_line(*failures: FailureLine, **facts: object) -> str:
    return told(*failures, **facts).splitlines()[0]


@pytest.mark.parametrize(
    ("verdicts", "line"),
    [
        ((KNOWN_FLAKE,), "**1 failure, not yours**: a likely flake"),
        ((NEW,), "**1 failure, may be yours**: a new failure"),
        ((REGRESSION,), "**1 failure, yours**: a likely regression"),
        ((UNDECIDED,), "**1 failure, may be yours**: a failure not decided yet"),
        (
            (SEEN_ELSEWHERE,),
            "**1 failure, not yours**: seen without this change; its kind is not decided yet",
        ),
        (
            (SEEN_ELSEWHERE, SEEN_ELSEWHERE),
            "**2 failures, not yours**: seen without this change; their kind is not decided yet",
        ),
        ((NEW, NEW), "**2 failures, may be yours**: 2 new failures"),
        ((LIKELY_FLAKE, NEW), "**2 failures, may be yours**: 1 new failure and 1 likely flake"),
        ((KNOWN_FLAKE, NEW), "**2 failures: 1 may be yours, 1 likely flake (not yours)**"),
        ((KNOWN_FLAKE, NEW, KNOWN_FLAKE), "**3 failures: 1 may be yours, 2 likely flakes (not yours)**"),
        ((REGRESSION, NEW, SEEN_ELSEWHERE), "**3 failures: 1 yours, 1 may be yours, 1 not yours**"),
    ],
)
def test_line_one_is_the_verdict_in_words_with_counts(verdicts: tuple[Verdict, ...], line: str) -> None:
    failures = [failure(verdict, test=f"tests/t.py::test_{n}") for n, verdict in enumerate(verdicts)]
    assert first_line(*failures) == line


def test_nothing_read_is_no_verdict_and_not_green() -> None:
    gap = Gap(GapKind.ARTIFACT_EXPIRED, "junit-3.12", "gone since yesterday")
    body = told(gaps=(gap,))
    assert body.startswith("**No verdict**")
    assert "- `junit-3.12` (artifact expired): gone since yesterday" in body


def test_green_again_is_short_and_keeps_what_was_red() -> None:
    resolved = Resolved(run=120, at=NOON, earlier=(failure(LIKELY_FLAKE),))
    body = told(resolved=resolved)
    assert body.startswith("**Green again**")
    assert "[run 120](https://github.com/o/gefen/actions/runs/120) on 2026-07-17 12:00 UTC" in body
    assert "`tests/test_dcp.py::test_handoff[cpu]`: **likely flake**." in body
    assert "<details>" not in body


def test_green_again_without_a_past_says_only_that() -> None:
    assert "red before" not in told(resolved=Resolved(run=120, at=NOON))


def test_what_needs_a_person_comes_first() -> None:
    body = told(
        failure(KNOWN_FLAKE, test="a"),
        failure(LIKELY_FLAKE, test="b"),
        failure(NEW, test="c"),
        failure(REGRESSION, test="d"),
    )
    places = [body.index(f"- `{test}`") for test in "dcba"]
    assert places == sorted(places)


def test_an_entry_links_run_job_and_commit_and_says_what_to_do() -> None:
    body = told(failure(KNOWN_FLAKE))
    assert "[`test (3.12)`](https://github.com/o/gefen/actions/runs/100/job/1001)" in body
    assert "[run 100](https://github.com/o/gefen/actions/runs/100)" in body
    assert f"[`bd47e80`](https://github.com/o/gefen/commit/bd47e80{'0' * 33})" in body
    assert "**Next:** re-run the failed job of [run 100]" in body
    assert f"[dashboard]({DASHBOARD})" in body


def test_a_dashboard_that_readers_cannot_reach_is_named_without_a_link() -> None:
    assert "History and all evidence: dashboard." in told(failure(NEW), dashboard_url=None)


def test_evidence_is_folded_with_its_runs_linked_where_they_are_named() -> None:
    page = rendered(told(failure(KNOWN_FLAKE)))
    folded = page.css_first("details")
    assert folded.css_first("summary").text() == "Why: 2 reasons, and the text of the failure"
    links = {node.text(): node.attributes["href"] for node in folded.css("a")}
    assert links == {
        f"{word} {run}": f"https://github.com/o/gefen/actions/runs/{run}"
        for word, run in (("Run", 90), ("run", 100), ("run", 50))
    }


def test_runs_that_a_reason_does_not_name_follow_it_and_old_ones_are_counted() -> None:
    reason = Reason(EvidenceKind.BASE_STATE, EvidenceStrength.STRONG, "It passed.", tuple(range(1, 13)))
    verdict = Verdict(
        Kind.UNDECIDED, Strength.SUSPECTED, Whose.UNKNOWN, (reason,), (), opaque=False, policy_version="1"
    )
    body = told(failure(verdict))
    assert "- It passed. ([run 5](" in body
    assert "4 earlier)" in body


def test_an_opaque_failure_is_said_to_hold_no_cause() -> None:
    assert "This failure's text holds no cause: `assert False`" in told(
        failure(OPAQUE_FLAKE, title="assert False")
    )
    assert "This failure's text holds no cause\n" in told(failure(OPAQUE_FLAKE, title=""))


def test_a_failure_without_text_is_told_without_a_block() -> None:
    body = told(failure(NEW, title="", excerpt=" \n"))
    assert "```" not in body
    assert "Why: 2 reasons</summary>" in body


@pytest.mark.parametrize("words", [NO_EVIDENCE, NO_TEST_NAMED])
def test_our_own_words_are_not_passed_off_as_a_failure_s_text(words: str) -> None:
    body = told(failure(OPAQUE_FLAKE, test="", title=words, excerpt=words))
    assert f"  There is no text of this failure: {words}\n" in body
    assert "```" not in body
    assert "the text of the failure" not in body


def test_a_job_that_failed_without_a_test_is_named() -> None:
    assert "- job `test (3.12)`: **" in told(failure(NEW, test=""))


def test_one_cause_over_many_tests_is_one_entry() -> None:
    failures = [failure(NEW, test=f"tests/t.py::test_{n:02}", cluster="v1:cluster:x") for n in range(14)]
    body = told(*failures)
    assert "- `tests/t.py::test_00` and 13 more tests with the same cause: **new failure" in body
    assert "Also: `tests/t.py::test_01`, " in body
    assert "`tests/t.py::test_10`, 3 more" in body
    assert body.count("<details>") == 1
    assert "(of the first; the others on the dashboard)" in body


def test_one_cause_with_two_verdicts_is_two_entries() -> None:
    body = told(failure(NEW, test="a", cluster="x"), failure(KNOWN_FLAKE, test="b", cluster="x"))
    assert body.count("<details>") == 2


def test_tests_are_not_merged_for_equal_titles() -> None:
    body = told(*(FailureLine(t, "assert False", "", OPAQUE_FLAKE, failure().seen) for t in "ab"))
    assert body.count("<details>") == 2


def test_jobs_of_one_failure_are_listed_by_run() -> None:
    failures = [
        failure(NEW, run=run, job=f"test (3.{minor})") for run, minor in ((101, 12), (101, 11), (102, 11))
    ]
    body = told(*failures)
    assert body.count("<details>") == 1
    place = body.splitlines()[4]
    assert (
        place.index("test (3.11)")
        < place.index("test (3.12)")
        < place.index("[run 101]")
        < place.index("[run 102]")
    )


def test_the_gaps_of_verdicts_are_shown_once() -> None:
    gap = Gap(GapKind.LOG_GONE, "job 7", "")
    verdict = Verdict(
        Kind.UNDECIDED, Strength.SUSPECTED, Whose.UNKNOWN, (), (gap,), opaque=False, policy_version="1"
    )
    body = told(failure(verdict, test="a"), failure(verdict, test="b"), gaps=(gap,))
    assert body.count("- `job 7` (log gone)") == 1


def test_gaps_that_do_not_fit_are_counted() -> None:
    gaps = tuple(Gap(GapKind.FILE_REFUSED, f"file-{n:03}.xml", "not XML " * 10) for n in range(200))
    body = told(gaps=gaps, limit_bytes=4000)
    shown = body.count("(file refused)")
    assert 0 < shown < 200
    assert f"- {200 - shown} more gaps, shown on the dashboard" in body


def test_when_no_gap_fits_their_number_does() -> None:
    gaps = (Gap(GapKind.FILE_REFUSED, "f" * 180, "x" * 200),)
    assert "- 1 gap, shown on the dashboard" in told(gaps=gaps, limit_bytes=1100)


@pytest.mark.parametrize("limit", [1000, 2000, 5000, 20_000, LIMIT])
def test_a_budget_is_kept_and_what_is_left_out_is_counted(limit: int) -> None:
    failures = [
        failure(NEW, test=f"tests/t.py::test_{n:03}", excerpt="é" * 4000, job=f"test ({n})", run=n + 1)
        for n in range(200)
    ]
    body = told(*failures, limit_bytes=limit)
    assert len(body.encode()) <= limit
    shown = body.count("- `tests/t.py::test_")
    assert f"{200 - shown} more failures on the [dashboard]({DASHBOARD})." in body
    assert find_marker(body) == comment_marker(GEFEN, 83)


def test_at_most_ten_are_told_at_length() -> None:
    body = told(*(failure(NEW, test=f"t{n:02}") for n in range(15)))
    assert body.count("<details>") == 10
    assert body.count("- `t") == 15


def test_a_budget_too_small_for_head_and_foot_is_an_error() -> None:
    with pytest.raises(ValueError, match="do not even hold"):
        told(failure(), limit_bytes=200)


@given(st.permutations(range(6)))
def test_equal_facts_give_equal_bytes_in_any_order(order: list[int]) -> None:
    failures = [
        failure(v, test=t, job=j) for v in (NEW, KNOWN_FLAKE) for t, j in (("a", "x"), ("a", "y"), ("b", "x"))
    ]
    assert told(*(failures[n] for n in order)) == told(*failures)


HOSTILE = (
    "](javascript:alert(1))",
    "<img src=x onerror=alert(1)>",
    "```\n</details>\n# big",
    "@everyone #1 https://evil.example",
    "| pipes | and | more |",
    "\u202egnp.exe\u2066",
    "<!-- flake-triage:pr:o/gefen:84 -->",
    "\n<!-- flake-triage:pr:o/gefen:84 -->\n",
    "</summary></details>",
    "a\\`b``c",
)
OURS = {"p", "strong", "a", "code", "ul", "li", "details", "summary", "pre"}


@given(
    st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=4).map("".join),
    st.sampled_from([1500, 4000, LIMIT]),
)
def test_hostile_names_and_texts_break_nothing(text: str, limit: int) -> None:
    reason = Reason(EvidenceKind.RANK_LOG, EvidenceStrength.CONTEXT, f"Beside it: {text}", (5,))
    verdict = Verdict(
        Kind.NEW_FAILURE, Strength.SUSPECTED, Whose.UNKNOWN, (reason,), (Gap(GapKind.LOG_GONE, text, text),),
        opaque=False, policy_version="1",
    )  # fmt: skip
    line = failure(verdict, test=text, title=text, excerpt=text, job=text, sha=OLD)
    body = told(line, limit_bytes=limit)
    page = rendered(body)
    assert tags(page) <= OURS
    assert {node.attributes["href"].split("/")[2] for node in page.css("a")} <= {
        "github.com",
        "127.0.0.1:8077",
    }
    assert find_marker(body) == comment_marker(GEFEN, 83)
    assert body.count("<!--") == 1
    assert "\u202e" not in body
    assert len(page.css("details")) == body.count("<details>")
    assert text_of(page, "p").startswith("1 failure, may be yours: a new failure")


def test_another_installation_of_github_is_linked_to() -> None:
    line = failure(NEW)
    body = render_comment(
        PullComment(GEFEN, 83, line.seen.sha, (line,), DASHBOARD, github_url="https://git.example"),
        limit_bytes=LIMIT,
    )
    assert "https://git.example/o/gefen/actions/runs/100" in body


def test_the_commit_of_the_comment_is_named_once_and_any_other_where_it_failed() -> None:
    body = told(failure(NEW, test="a", sha=HEAD), failure(NEW, test="b", run=101, sha=OLD))
    before_evidence = [line for line in body.splitlines() if line.startswith(("As tested", "- `"))]
    assert ["bd47e80" in line for line in before_evidence] == [True, False, False]
    assert "0ld0001" in before_evidence[-1]
