"""The first screen and the pages of pull requests: is it red, why, since when, whose."""

import pytest
import web_scenes
from page_reading import page, wired, words
from starlette.testclient import TestClient

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
        web_scenes.all_clear(session)
    green = page(story, "/").css_first("section.branch")
    assert words(green.css_first("h2")) == "main is green"
    assert "Last red 2 h ago, green again just now: a suspected flake: the same failure" in words(green)


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
        web_scenes.four_pulls(session)
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
