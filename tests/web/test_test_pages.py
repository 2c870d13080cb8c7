"""The list of tests, one test, one failure, one run: the evidence and where it leads."""

import pytest
import web_scenes
import web_story
from page_reading import page, rows, wired, words
from starlette.testclient import TestClient

from app.store.session import unit_of_work

PULL = "/pulls/octo/gefen/83"


def test_flaky_tests_are_ranked_by_flips_with_rates_and_their_n(story: TestClient) -> None:
    first, second, third = rows(page(story, "/tests"))
    assert "test_full_dcp_handoff_is_exact_on_same_dtensor_topology[muon_normuon]" in first
    assert "suspected flaky opaque octo/gefen 1 1 on one tree 2 1 mode 4.8 % 2 of 42 results 2 h ago" in first
    assert "2.4 % 1 of 42" in second
    assert "2.4 % 1 of 42" in third


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("q=ROTATE", 1),
        ("q=100%25", 0),
        ("q=_", 3),
        ("kind=flaky", 1),
        ("kind=new-failure", 2),
        ("kind=regression", 0),
        ("branch=main", 2),
        ("branch=dcp-handoff", 2),
        ("branch=nowhere", 0),
        ("repo=octo/gefen", 3),
        ("repo=OCTO/Gefen", 3),
        ("repo=octo/other", 0),
        ("days=1", 3),
        ("days=nonsense&kind=nonsense&sort=nonsense&after=x~y", 3),
        ("q=%00", 3),
        ("q=%ED%A0%80", 0),
    ],
)
def test_the_address_holds_every_filter(story: TestClient, query: str, count: int) -> None:
    found = page(story, f"/tests?{query}")
    assert len(rows(found)) == count
    if not count:
        assert "No test failed" in words(found)


@pytest.mark.parametrize("sort", ["flips", "failures", "rate", "last-seen"])
def test_pages_by_key_show_each_test_once(story: TestClient, sort: str) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.many_red_tests(session, number=117)
    seen = []
    address = f"/tests?sort={sort}"
    for _ in range(3):
        found = page(story, address)
        seen += [link.attributes["href"] for link in found.css("td a.test-name")]
        following = found.css_first(".pager a")
        address = following.attributes["href"] if following else ""
    assert address == ""
    assert len(seen) == len(set(seen)) == 120


def test_a_list_narrowed_to_a_branch_shows_no_rate_of_all_branches(story: TestClient) -> None:
    found = page(story, "/tests?branch=main")
    assert "not by branch" in rows(found)[0]
    assert "Rates are counted over all branches" in words(found)


def test_a_test_shows_the_flip_with_runs_commits_and_trees(story: TestClient) -> None:
    found = page(story, "/tests/1")
    (mode,) = found.css("article.mode")
    seen = [words(row) for row in mode.css(".observations tbody tr")]
    assert len(seen) == 9
    failed = next(row for row in seen if row.startswith("failed") and "bd47e80" in row)
    assert "run 29538416045 push #83 test (3.12)" in failed
    assert "head bd47e80, tree 1a2b3c4" in failed
    passed = next(
        row for row in seen if row.startswith("passed") and "29538418197" in row and "(3.12)" in row
    )
    assert "merge commit bd47e80, tree 1a2b3c4" in passed
    links = {link.attributes["href"] for link in mode.css("a")}
    assert "https://github.com/octo/gefen/commit/" + web_story.sha("bd47e80") in links
    assert PULL in links


def test_a_test_shows_verdicts_with_reasons_gaps_and_history(story: TestClient) -> None:
    mode = page(story, "/tests/1").css_first("article.mode")
    assert "the same failure flipped at bd47e80" in words(mode.css_first(".reasons"))
    assert {link.attributes["href"] for link in mode.css(".reasons a")} == {"/runs/12", "/runs/13"}
    assert "tree unknown test (3.12)" in words(mode.css_first(".gaps"))
    history = [words(one) for one in mode.css(".history li")]
    assert len(history) == 3
    assert sum("likely flaky not yours" in one for one in history) == 1


def test_the_picture_of_runs_has_its_numbers_as_a_table(story: TestClient) -> None:
    grid = page(story, "/tests/1").css_first("#grid")
    table = [[words(cell) for cell in row.css("th, td")] for row in grid.css("table tbody tr")]
    assert [row[0] for row in table] == ["test (3.11)", "test (3.12)", "test (3.13)"]
    assert all(len(row) == 15 for row in table)
    assert sum(row.count("failed") for row in table) == 2
    assert len(grid.css("svg rect.cell.tone-bad")) == 2


def test_figures_of_a_test_agree_with_the_list(story: TestClient) -> None:
    figures = {
        words(one.css_first("dt")): words(one.css_first("dd"))
        for one in page(story, "/tests/1").css(".figures div")
    }
    assert figures == {
        "Failures": "2 1 mode",
        "Flips": "1 1 on one tree",
        "Failure rate": "4.8 % 2 of 42 results",
        "Skipped": "0 not counted as results",
    }


def test_a_test_that_did_not_fail_in_the_window_says_so(story: TestClient) -> None:
    assert "It did not fail in this window." in words(page(story, "/tests/4"))


def test_a_tree_that_is_not_known_is_said_so_everywhere(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.unknown_trees(session)
    seen = [words(row) for row in page(story, "/tests/1").css(".observations tbody tr")]
    assert sum("df3a615 not known" in row for row in seen) == 3
    assert sum("bd47e80 merge commit 8 h ago" in row for row in seen) == 3


def test_long_texts_are_cut_on_pages_and_the_cut_is_marked(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.long_texts(session, characters=50_000)
    text = page(story, "/tests/1").css_first("article.mode .text")
    assert "[… 38,000 characters not shown here …]" in words(text)
    whole = page(
        story,
        page(story, "/tests/1").css_first("article.mode a[href^='/failures/']").attributes["href"] or "",
    )
    assert len(whole.css_first(".text").text()) == 50_000
    log = page(story, "/files/5")
    assert words(log.css(".hint")[-1]) == (
        "237,856 bytes before this are not shown; the file was cut when it was fetched"
    )
    assert set(log.css_first(".text").text()) == {"\ufffd"}


def test_a_failure_shows_its_newest_verdict_and_folds_the_earlier(story: TestClient) -> None:
    found = page(story, "/failures/1")
    newest, earlier = found.css("article.verdict")
    assert words(newest).startswith("likely flaky not yours")
    assert words(earlier).startswith("suspected flaky may be yours")
    assert words(found.css_first("details summary")) == "Earlier verdicts"
    with unit_of_work(wired(story).store) as session:
        web_scenes.many_red_tests(session, number=1)
    unjudged = page(story, "/runs/15").css_first("#failures td:nth-child(2) a").attributes["href"]
    assert "Not judged yet." in words(page(story, unjudged or ""))


def test_rank_logs_are_listed_and_open_as_text(story: TestClient) -> None:
    link = page(story, "/tests/1").css_first("#rank-logs a")
    assert words(link) == "logs/rank1.log"
    shown = page(story, link.attributes["href"] or "")
    assert "terminate called without an active exception [U+001B][31mAborted" in words(shown.css_first("pre"))


def test_a_run_lists_jobs_failures_gaps_and_files(story: TestClient) -> None:
    found = page(story, "/runs/14")
    text = words(found)
    assert "artifact expired junit-3.10: it had expired before it was fetched" in text
    assert "4 tests, 1 red" in text
    assert "job.log job log, test (3.11), cut" in text
    assert len(found.css("#failures tbody tr")) == 2


def test_a_run_that_is_not_judged_says_that_it_is_not_all(story: TestClient) -> None:
    assert "Its results are being read" in words(page(story, "/runs/13"))


def test_a_run_without_failures_does_not_claim_more_than_its_results_say(story: TestClient) -> None:
    doubt = "That alone does not mean that none failed."
    assert doubt in words(page(story, "/runs/1")), "it was never judged"
    with unit_of_work(wired(story).store) as session:
        web_scenes.judged_attempts(session, 1, 2, 6)
    assert words(page(story, "/runs/1").css_first("#failures .hint")) == "No test failed."
    assert doubt in words(page(story, "/runs/6")), "it was cancelled"
    with unit_of_work(wired(story).store) as session:
        web_scenes.more_gaps(session, attempt=2, number=1)
        key = web_scenes.green_with_lint(session)
    assert doubt in words(page(story, "/runs/2")), "something is missing"
    told = words(page(story, f"/runs/{key}").css_first("#failures .hint"))
    assert told == "No test failed in the jobs that left results, 1 of 2."


def test_a_kept_file_is_shown_wrapped_and_can_be_taken_away_as_text(story: TestClient) -> None:
    link = next(link for link in page(story, "/files/1").css("p a") if words(link) == "Download")
    answer = story.get(link.attributes["href"] or "")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="rank1.log"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.content.startswith(b"rank 1 begins\nterminate called")
    assert story.get("/files/99/download").status_code == 404


def test_the_name_of_a_download_holds_nothing_that_ends_its_header(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        key = web_scenes.hostile_file(session, path='../..\r\nX-Evil: 1/"; x=\u202e.html')
    answer = story.get(f"/files/{key}/download")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="___x__.html"'
    assert "X-Evil" not in answer.headers


def test_the_filter_offers_only_kinds_that_a_verdict_can_have(story: TestClient) -> None:
    offered = [one.attributes["value"] for one in page(story, "/tests").css("select[name=kind] option")]
    assert "order-dependent" not in offered
    assert {"flaky", "new-failure", "undecided"} < set(offered)
    asked = page(story, "/tests?kind=order-dependent").css_first("select[name=kind] option[selected]")
    assert words(asked) == "order-dependent"
