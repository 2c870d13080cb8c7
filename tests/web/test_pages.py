"""Pages over a story in the store: what they say, where they lead, and that text stays text."""

import re
from typing import Any

import pytest
import web_story
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from app.deps import Wiring
from app.store import tasks
from app.store.session import read_only, unit_of_work
from app.store.tasks import TaskState

PULL = "/pulls/octo/gefen/83"
PAGES = ["/", PULL, "/tests", "/tests/1", "/tests/3", "/failures/1", "/runs/14", "/files/1", "/problems"]
DEAD = "attempt:1:29538690201:1:fetch"


def page(client: TestClient, path: str, status: int = 200) -> LexborHTMLParser:
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    return LexborHTMLParser(answer.text)


def words(found: Any) -> str:
    return re.sub(r"\s+", " ", found.text()).strip()


def rows(found: LexborHTMLParser) -> list[str]:
    return [words(row) for row in found.css("tbody tr")]


def wired(client: TestClient) -> Wiring:
    found = client.app.state.wiring  # type: ignore[attr-defined]  # TestClient calls it any ASGI app
    assert isinstance(found, Wiring)
    return found


def test_the_first_screen_says_that_main_is_red_why_since_when_and_whose(story: TestClient) -> None:
    red = page(story, "/").css_first("section.branch")
    assert words(red.css_first("h2")) == "main is red"
    assert "A suspected flake: the same failure flipped at bd47e80" in words(red.css_first(".lede"))
    since, whose, now = (words(answer) for answer in red.css(".answers dd"))
    assert "run 29538690201 at df3a615" in since
    assert "last green: run 29538000002" in since
    assert "by ada" in whose
    assert "all that came between the last green run and the first red one (2)" in whose
    assert "run 29538690201" in now


def test_the_first_screen_names_failing_tests_the_most_urgent_first(story: TestClient) -> None:
    first, second = page(story, "/").css(".red-tests li")
    assert words(first).startswith("new failure tests.test_gefen_fsdp2_checkpoint::test_rotate_keys")
    assert words(second).startswith("suspected flake opaque tests.test_gefen_fsdp2_checkpoint::test_full_dcp")
    assert "in test (3.11)" in words(second)


def test_the_first_screen_lists_problems_with_a_way_to_their_rows(story: TestClient) -> None:
    found = {words(link): link.attributes["href"] for link in page(story, "/").css(".troubles a")}
    assert found == {
        "The worker is behind": "/problems#deliveries",
        "1 dead letter": "/problems#dead",
        "1 unreadable delivery": "/problems#deliveries",
        "1 gap": "/problems#gaps",
    }


def test_the_first_screen_can_show_one_repository(story: TestClient) -> None:
    assert len(page(story, "/?repo=OCTO/gefen").css("section.branch")) == 1
    other = page(story, "/?repo=octo/other")
    assert other.css("section.branch, section.beginning") == []
    assert "No run of octo/other is known." in words(other)


def test_a_green_main_says_when_it_was_last_red_and_why(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_story.all_clear(session)
    green = page(story, "/").css_first("section.branch")
    assert words(green.css_first("h2")) == "main is green"
    assert "Last red 2 h ago, green again just now: a suspected flake: the same failure" in words(green)


def test_a_partial_rerun_that_passed_takes_its_failure_off_the_first_screen(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_story.rerun_of_one_job(session)
    (test,) = page(story, "/").css(".red-tests li")
    assert "test_full_dcp_handoff" in words(test)


@pytest.mark.parametrize(
    ("case", "lede", "whose", "now"),
    [
        (
            "judged",
            "10 failures: confirmed regression.",
            "the first red commit; others may have come with it",
            "Look at the commits named here",
        ),
        (
            "not judged",
            "10 failures: not judged yet.",
            "the first red",
            "Open run 2 and look at its log.",
        ),
        ("never green", "10 failures: not judged yet.", "the first red", "Open run 2"),
        (
            "same commit",
            "10 failures: not judged yet.",
            "the same commit was green before",
            "Open run 2",
        ),
        (
            "gap",
            "no failing test could be read from it; what is missing is listed below.",
            "the",
            "Open run 2",
        ),
        ("being read", "The run is red; its failures are being read.", "the", "Open run 2"),
        ("silent", "none of its results names a failing test.", "the", "Open run 2"),
    ],
)
def test_a_red_main_without_an_alert_says_what_its_runs_show(
    story: TestClient, case: str, lede: str, whose: str, now: str
) -> None:
    with unit_of_work(wired(story).store) as session:
        web_story.other_main(session, case)
    red = page(story, "/?repo=octo/other").css_first("section.branch")
    assert lede in words(red.css_first(".lede"))
    answers = [words(answer) for answer in red.css(".answers dd")]
    assert whose in answers[1]
    assert answers[2].startswith(now)
    assert ("or longer" in answers[0]) == (case == "never green")
    assert len(red.css(".red-tests li")) == (9 if lede.startswith("10") else 0)
    assert ("log gone job 0" in words(red)) == (case == "gap")


def test_a_comment_leads_to_the_page_of_its_pull_request(story: TestClient) -> None:
    answer = story.get("/?repo=octo/gefen&pull=83", follow_redirects=False)
    assert (answer.status_code, answer.headers["Location"]) == (303, PULL)


def test_a_pull_request_says_whether_its_red_is_mine(story: TestClient) -> None:
    found = page(story, PULL)
    assert words(found.css_first("section.branch h2")) == "red"
    sentence = words(found.css_first("section.branch .lede"))
    assert sentence.startswith("2 failures at bd47e80: 1 may be yours, 1 known flake (not yours).")
    first, second = (words(one) for one in found.css(".red-tests li"))
    assert first.startswith("new failure may be yours")
    assert second.startswith("likely flake not yours opaque")
    assert "both checked out tree 1a2b3c4" in second
    assert second.endswith("The same failure happened without the change: run 29538690201 failed at df3a615.")
    assert len(found.css("tbody tr")) == 2


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (1, "Green at"),
        (2, "Nothing has decided yet whether"),
        (3, "and no failing test was read from it: look at the runs below."),
        (4, "1 failure at 4ead4ea, not judged yet."),
    ],
)
def test_a_pull_request_without_verdicts_says_what_is_known(
    story: TestClient, number: int, sentence: str
) -> None:
    with unit_of_work(wired(story).store) as session:
        web_story.four_pulls(session)
    assert sentence in words(page(story, f"/pulls/octo/gefen/{number}").css_first("section.branch .lede"))


def test_an_empty_service_says_how_to_begin(client: TestClient) -> None:
    text = words(page(client, "/").css_first("section.beginning"))
    assert "No delivery has come yet." in text
    assert "http://127.0.0.1:8077/webhooks/github" in text
    assert "takes unsigned deliveries" in text


def test_an_empty_service_tells_why_a_request_was_refused(client: TestClient) -> None:
    client.post("/webhooks/github", content=b"{}", headers={"Content-Type": "text/plain"})
    text = words(page(client, "/").css_first("section.beginning"))
    assert "A request was refused: content type: only application/json is taken." in text
    assert "1 refused request" in words(page(client, "/"))


def test_an_empty_service_tells_what_the_last_delivery_was(client: TestClient) -> None:
    headers = {"X-GitHub-Event": "ping", "X-GitHub-Delivery": "a-1", "Content-Type": "application/json"}
    client.post("/webhooks/github", content=b"{}", headers=headers)
    text = words(page(client, "/").css_first("section.beginning"))
    assert "The last delivery was ping: ping starts nothing; only workflow_run does." in text


def test_flaky_tests_are_ranked_by_flips_with_rates_and_their_n(story: TestClient) -> None:
    first, second, third = rows(page(story, "/tests"))
    assert "test_full_dcp_handoff_is_exact_on_same_dtensor_topology[muon_normuon]" in first
    assert "suspected flake opaque octo/gefen 1 1 on one tree 2 1 mode 4.8 % 2 of 42 2 h ago" in first
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
        web_story.many_red_tests(session, number=117)
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
    assert sum("likely flake not yours" in one for one in history) == 1


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
        "Failure rate": "4.8 % 2 of 42 runs",
        "Skipped": "0 not counted as runs",
    }


def test_a_test_that_did_not_fail_in_the_window_says_so(story: TestClient) -> None:
    assert "It did not fail in this window." in words(page(story, "/tests/4"))


def test_a_tree_that_is_not_known_is_said_so_everywhere(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_story.unknown_trees(session)
    seen = [words(row) for row in page(story, "/tests/1").css(".observations tbody tr")]
    assert sum("df3a615 not known" in row for row in seen) == 3
    assert sum("bd47e80 merge commit 8 h ago" in row for row in seen) == 3


def test_long_texts_are_cut_on_pages_and_the_cut_is_marked(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_story.long_texts(session, characters=50_000)
    text = page(story, "/tests/1").css_first("article.mode .text")
    assert "[… 38,000 characters not shown here …]" in words(text)
    whole = page(
        story,
        page(story, "/tests/1").css_first("article.mode a[href^='/failures/']").attributes["href"] or "",
    )
    assert len(whole.css_first(".text").text()) == 50_000
    log = page(story, "/files/3")
    assert words(log.css_first(".hint")) == (
        "237,856 bytes before this are not shown; the file was cut when it was fetched"
    )
    assert set(log.css_first(".text").text()) == {"\ufffd"}


def test_a_failure_shows_its_newest_verdict_and_folds_the_earlier(story: TestClient) -> None:
    found = page(story, "/failures/1")
    newest, earlier = found.css("article.verdict")
    assert words(newest).startswith("likely flake not yours")
    assert words(earlier).startswith("suspected flake may be yours")
    assert words(found.css_first("details summary")) == "Earlier verdicts"
    with unit_of_work(wired(story).store) as session:
        web_story.many_red_tests(session, number=1)
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
    assert "job.log job log, the job's log, test (3.11), cut" in text
    assert len(found.css("#failures tbody tr")) == 2


def test_a_run_that_is_not_judged_says_that_it_is_not_all(story: TestClient) -> None:
    assert "Its results are being read" in words(page(story, "/runs/13"))


def test_a_run_without_failures_does_not_claim_that_none_failed(story: TestClient) -> None:
    assert "That alone does not mean that none failed." in words(page(story, "/runs/1"))


@pytest.mark.parametrize("path", PAGES)
def test_hostile_text_stays_text(story: TestClient, path: str) -> None:
    text = story.get(path).text
    found = LexborHTMLParser(text)
    assert found.css("img, [onerror]") == []
    assert all("alert" not in words(script) for script in found.css("script"))
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_the_hostile_name_is_shown_as_what_it_is(story: TestClient) -> None:
    name = page(story, "/tests/3").css_first("h1")
    assert words(name).endswith("test_<img src=x onerror=alert(1)>[[U+202E]gnp.exe][U+001B][31m")


@pytest.mark.parametrize("path", [*PAGES, "/nowhere", "/healthz", "/static/style.css"])
def test_every_answer_forbids_inline_script_and_framing(story: TestClient, path: str) -> None:
    answer = story.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Server" not in answer.headers
    assert not re.search(r"<[^>]+\s(style|on\w+)=", answer.text)


def test_static_files_are_kept_and_pages_are_not(story: TestClient) -> None:
    assert "immutable" in story.get("/static/style.css").headers["Cache-Control"]
    assert story.get("/").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/tests/999",
        "/tests/x",
        "/tests/-1",
        f"/tests/{9**40}",
        "/failures/0",
        "/runs/99",
        "/files/9",
        "/pulls/a/b/83",
        "/n",
        PULL + "4",
    ],
)
def test_what_is_not_there_is_a_page_for_people_and_a_problem_for_programs(
    story: TestClient, path: str
) -> None:
    assert "Nothing here" in words(page(story, path, status=404).css_first("h1"))


def test_an_unknown_address_is_a_problem_document_for_programs(story: TestClient) -> None:
    answer = story.get("/nowhere", headers={"Accept": "application/json"})
    assert answer.status_code == 404
    assert answer.json()["title"] == "There is nothing here"
    assert story.post("/tests", headers={"Accept": "text/html"}).status_code == 405


def test_the_open_description_of_the_interface_is_not_served(story: TestClient) -> None:
    assert [story.get(path).status_code for path in ("/docs", "/redoc", "/openapi.json")] == [404, 404, 404]


def test_a_dead_letter_is_retried_from_its_page_once(story: TestClient) -> None:
    form = page(story, "/problems").css_first("#dead form")
    address = form.attributes["action"] or ""
    answer = story.post(address, headers={"Origin": "http://127.0.0.1:8077"}, follow_redirects=True)
    assert "The task will be tried again." in answer.text
    with read_only(wired(story).store) as session:
        task = tasks.by_key(session, DEAD)
    assert task is not None
    assert (task.state, task.tries) == (TaskState.QUEUED, 0)
    again = story.post(address, headers={"Origin": "http://127.0.0.1:8077"}, follow_redirects=True)
    assert "not a dead letter any more" in again.text


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8077", "Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-origin"},
    ],
)
def test_a_retry_from_another_site_is_refused(story: TestClient, headers: dict[str, str]) -> None:
    answer = story.post("/problems/retry", params={"task": DEAD}, headers=headers)
    assert answer.status_code == 403
    with read_only(wired(story).store) as session:
        task = tasks.by_key(session, DEAD)
    assert task is not None
    assert task.state is TaskState.DEAD


def test_a_retry_without_a_task_is_a_problem_that_names_the_parameter(story: TestClient) -> None:
    answer = story.post("/problems/retry", headers={"Origin": "http://127.0.0.1:8077"})
    assert answer.status_code == 422
    assert "query.task" in answer.json()["detail"]


def test_deliveries_are_narrowed_by_state(story: TestClient) -> None:
    assert [
        len(page(story, f"/problems?deliveries={state}").css("#deliveries tbody tr"))
        for state in ("", "all", "ignored", "taken", "nonsense")
    ] == [2, 4, 1, 1, 2]
    (row,) = page(story, "/problems?deliveries=unreadable").css("#deliveries tbody tr")
    assert "workflow_run is not an object" in words(row)


def test_gaps_are_paged_by_key(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_story.more_gaps(session, attempt=14, number=59)
    first = page(story, "/problems")
    second = page(story, first.css_first("#gaps .pager a").attributes["href"] or "")
    assert [len(one.css("#gaps tbody tr")) for one in (first, second)] == [50, 10]
    assert second.css_first("#gaps .pager a") is None


def test_health_and_readiness(story: TestClient) -> None:
    assert story.get("/healthz").json() == {"status": "alive"}
    assert story.get("/readyz").json() == {"status": "ready"}
    assert [story.head(path).status_code for path in ("/healthz", "/readyz")] == [200, 200]


def test_a_database_without_tables_is_not_ready(make_app: Any) -> None:
    app = make_app()
    web_story.drop_tables(app.state.wiring)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "store: does not answer" in answer.json()["detail"]
