"""What holds for every page: hostile text, headers, absent things, problems and their mending."""

import re
from typing import Any

import pytest
import web_scenes
from page_reading import page, wired, words
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from app.store import tasks
from app.store.session import read_only, unit_of_work
from app.store.tasks import TaskState

PULL = "/pulls/octo/gefen/83"
PAGES = [
    "/",
    "/pulls",
    PULL,
    "/tests",
    "/tests/1",
    "/tests/3",
    "/failures/1",
    "/runs/14",
    "/files/1",
    "/reports",
    "/problems",
]
DEAD = "attempt:1:29538690201:1:fetch"


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


def test_a_task_that_waits_for_another_try_is_listed_with_its_error_and_when(story: TestClient) -> None:
    with unit_of_work(wired(story).store) as session:
        web_scenes.waiting_task(session)
    text = words(page(story, "/problems").css_first("#tries"))
    assert "fetch artifacts attempt:1:29538690203:1:fetch unavailable: GitHub answered 502" in text
    assert "after 1 try; next in 4 min" in text


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
        web_scenes.more_gaps(session, attempt=14, number=59)
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
    web_scenes.drop_tables(app.state.wiring)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "store: does not answer" in answer.json()["detail"]
