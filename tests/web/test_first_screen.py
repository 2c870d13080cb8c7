"""The first screen and the pages of pull requests: is it red, why, since when, whose."""

import pytest
import web_scenes
from page_reading import page, wired, words
from starlette.testclient import TestClient
from web_story import FLAKY, HOSTILE

from app.store.session import unit_of_work

PULL = "/pulls/octo/gefen/83"


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
    assert words(first).startswith("new-failure tests.test_gefen_fsdp2_checkpoint::test_rotate_keys")
    assert words(second).startswith("suspected flaky opaque tests.test_gefen_fsdp2_checkpoint::test_full_dcp")
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
        web_scenes.all_clear(session)
    green = page(story, "/").css_first("section.branch")
    assert words(green.css_first("h2")) == "main is green"
    told = next(line for line in green.css("header .hint") if words(line).startswith("Last red"))
    assert words(told) == "Last red 2 h ago, with a suspected flake; green again just now. issue #91"
    assert told.css_first("a").attributes["href"] == "https://github.com/octo/gefen/issues/91"


def test_a_partial_rerun_that_passed_takes_its_failure_off_the_first_screen(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.rerun_of_one_job(session)
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
        web_scenes.other_main(session, case)
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
    assert sentence.startswith("2 failures: 1 may be yours, 1 ")
    assert sentence.endswith("as tested at bd47e80")
    first, second = (words(one) for one in found.css(".red-tests li"))
    assert first.startswith("new-failure may be yours")
    assert second.startswith("likely flaky not yours opaque")
    assert "both checked out tree 1a2b3c4" in second
    assert "The same failure happened without the change: run 29538690201 failed at df3a615." in second
    assert len(found.css("tbody tr")) == 2


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (1, "Green: every workflow that decided has passed."),
        (2, "Nothing has decided yet whether"),
        (3, "and no failing test was read from it: look at the runs below."),
        (4, "1 failure, not judged yet."),
        (5, "Nothing has decided yet whether it is red; 1 failure in runs that were cut off."),
        (6, "Green: every workflow that decided has passed. 1 failure was read from runs that passed"),
    ],
)
def test_a_pull_request_without_verdicts_says_what_is_known(
    story: TestClient, number: int, sentence: str
) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.other_pulls(session)
    assert sentence in words(page(story, f"/pulls/octo/gefen/{number}").css_first("section.branch .lede"))


def test_a_pull_request_says_what_to_do_about_each_failure_and_leads_to_its_comment(
    story: TestClient,
) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.commented(session, comment=77)
    found = page(story, PULL)
    steps = [words(one) for one in found.css(".red-tests .next")]
    assert [step.partition(":")[0] for step in steps] == ["Next", "Next"]
    assert all("run 29538416045" in step for step in steps)
    link = next(link for link in found.css(".eyebrow a") if words(link) == "its comment")
    assert link.attributes["href"] == "https://github.com/octo/gefen/pull/83#issuecomment-77"


def test_a_green_run_of_the_same_workflow_ends_the_red_of_a_pull_request(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.green_push_at_the_same_head(session, FLAKY, HOSTILE)
    found = page(story, PULL)
    assert words(found.css_first("section.branch h2")) == "green"
    assert found.css(".red-tests li") == []


@pytest.mark.parametrize(
    ("passed", "judged", "doubt", "listed"),
    [
        ((FLAKY,), True, "1 that failed has not passed since", 1),
        ((), True, "2 that failed have not passed since", 2),
        ((FLAKY, HOSTILE), False, "2 that failed have not passed since; 1 run has not been read yet", 2),
    ],
)
def test_a_green_pull_request_is_not_called_so_before_all_that_failed_was_seen_to_pass(
    story: TestClient, passed: tuple[str, ...], doubt: str, listed: int, *, judged: bool
) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.green_push_at_the_same_head(session, *passed, judged=judged)
    found = page(story, PULL).css_first("section.branch")
    assert words(found.css_first("h2")) == "not proven green"
    assert f"No failure now, but not proven green: {doubt}" in words(found.css_first(".lede"))
    assert len(found.css(".red-tests li")) == listed


def test_a_rerun_that_left_the_red_job_out_is_no_success_whatever_it_is_called(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.reported_green_over_a_red_job(session)
    found = page(story, PULL)
    assert words(found.css_first("section.branch h2")) == "red"
    assert len(found.css(".red-tests li")) == 2


def test_a_green_main_whose_alert_is_open_is_not_proven_green(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.green_main_with_its_alert_open(session)
    main = page(story, "/").css_first("section.branch")
    assert words(main.css_first("h2")) == "main is not proven green"
    assert "Its alert is open: a suspected flake" in words(main)
    assert "https://github.com/octo/gefen/issues/91" in {link.attributes["href"] for link in main.css("a")}


def test_a_rerun_that_was_cancelled_leaves_the_pull_request_red_with_its_failures(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.cancelled_rerun(session)
    found = page(story, PULL)
    assert words(found.css_first("section.branch h2")) == "red"
    assert len(found.css(".red-tests li")) == 2


def test_a_test_that_failed_in_a_job_that_passed_is_told_as_such(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.other_pulls(session)
    found = page(story, "/pulls/octo/gefen/6").css_first("section.branch")
    assert words(found.css_first("h3")) == "Failed in runs that passed all the same"
    assert "in test (3.11), the job passed all the same" in words(found.css_first(".red-tests li"))


def test_a_push_that_no_run_has_tested_yet_is_told(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.pushed(session, "c0de")
    assert "c0dec0d was pushed since, and no run of it is known yet." in words(page(story, PULL))


def test_a_run_at_the_head_that_names_no_pull_request_counts_for_it(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.other_pulls(session)
        web_scenes.pushed(session, "1ead", number=1)
        web_scenes.red_push(session, "1ead")
    found = page(story, "/pulls/octo/gefen/1")
    assert words(found.css_first("section.branch h2")) == "red"
    assert len(found.css(".red-tests li")) == 1


def test_the_red_pull_requests_are_listed_the_newest_first(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.other_pulls(session)
        web_scenes.pushed(session, "4ead", number=4)
    found = page(story, "/pulls")
    links = [row.css_first("a").attributes["href"] for row in found.css("tbody tr")]
    assert links == ["/pulls/octo/gefen/4", "/pulls/octo/gefen/3", PULL]
    told = [words(row) for row in found.css("tbody tr")]
    assert told[0].startswith("#4 Hand over octo/gefen 4ead4ea 1 failure not judged yet")
    assert "no failing test read" in told[1]
    assert "bd47e80 2 failures new-failure may be yours" in told[2]


def test_a_pull_request_whose_newest_head_is_green_is_not_listed_as_red(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.green_push_at_the_same_head(session, FLAKY)
    assert "No pull request is known to be red now." in words(page(story, "/pulls"))


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
