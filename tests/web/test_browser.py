"""Pages in a real browser: with and without JavaScript, narrow and wide, light and dark."""

import shutil
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import web_scenes
import web_story
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright
from serving import Listening, serve

from app.main import create_app
from app.settings import Settings
from app.store.session import unit_of_work

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PAGES = [
    "/",
    "/pulls",
    "/pulls/octo/gefen/83",
    "/tests",
    "/tests/1",
    "/tests/3",
    "/failures/1",
    "/failures/2",
    "/runs/14",
    "/files/1",
    "/problems",
    "/nowhere",
]
LONG = [f"/pulls/{web_scenes.LONG_REPO}/100001", "/tests/5", "/tests/6", "/failures/6", "/runs/16"]
WIDE = {"width": 1280, "height": 900}
OUTSIDE = """
() => [...document.querySelectorAll("main *")]
    .filter((one) => !one.closest(".scroll, .unseen, thead") && one.getClientRects().length)
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.outerHTML.slice(0, 200))
"""
"""What stands beyond the right edge, also where an ancestor hides it."""

Open = Callable[..., Page]


@pytest.fixture(scope="module")  # while it is open, an event loop seems to run, which the engine refuses
def browser() -> Iterator[Browser]:
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        pytest.skip("no chromium on this machine")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield running
        running.close()


class StoppedClock:
    moment = web_story.NOW

    def now(self) -> datetime:
        return self.moment


@pytest.fixture
def server(told: Path, tmp_path: Path) -> Iterator[Listening]:
    shutil.copytree(told, tmp_path, dirs_exist_ok=True)
    yield from serve(create_app(Settings(data_dir=tmp_path), StoppedClock()))


@pytest.fixture
def open_page(browser: Browser, server: Listening) -> Iterator[Open]:
    """Open a blank page of this server's; complaints of the browser fail the test at its end."""
    contexts = []
    complaints: list[str] = []

    def make(**options: Any) -> Page:
        context = browser.new_context(base_url=server.address, **({"viewport": WIDE} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        return page

    yield make
    for context in contexts:
        context.close()
    assert [one for one in complaints if "status of 404" not in one] == []


@pytest.mark.parametrize("javascript", [True, False])
def test_every_page_opens_without_a_complaint(open_page: Open, *, javascript: bool) -> None:
    page = open_page(java_script_enabled=javascript)
    for path in PAGES:
        page.goto(path)
        expect(page.locator("h1")).to_be_visible()
        expect(page.locator("footer")).to_contain_text("2026-11-30 12:00:00 UTC")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_checker_for_accessibility_finds_no_serious_fault(open_page: Open, scheme: str) -> None:
    page = open_page(color_scheme=scheme)
    for path in PAGES:
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        answer = Axe().run(page).response
        found = answer["violations"]
        assert len(answer["passes"]) > 10
        serious = [
            (one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in {"serious", "critical"}
        ]
        assert serious == [], path


@pytest.mark.parametrize("width", [320, 375, 400])
def test_nothing_is_wider_than_a_narrow_screen(open_page: Open, server: Listening, width: int) -> None:
    with unit_of_work(server.app.state.wiring.store) as session:
        web_scenes.long_names(session)
        web_scenes.waiting_task(session)
    page = open_page(viewport={"width": width, "height": 800})
    for path in [*PAGES, *LONG]:
        answer = page.goto(path)
        assert answer is not None
        assert answer.ok or path == "/nowhere", path
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        assert page.evaluate("document.documentElement.scrollWidth") == width, path
        assert page.evaluate(OUTSIDE) == [], path


def test_words_are_not_torn_into_letters_where_there_is_room(open_page: Open, server: Listening) -> None:
    server.app.state.wiring.clock.moment += timedelta(days=2)
    page = open_page(viewport={"width": 320, "height": 800})
    page.goto("/tests")
    expect(page.locator(".tests time").first).to_have_text("2 days ago")
    for hint in page.locator(".tests .number .hint, .tests .number time").all():
        box = hint.bounding_box()
        assert box is not None
        assert box["height"] < 50, hint.inner_text()


def test_badges_of_one_line_stand_on_one_line(open_page: Open) -> None:
    page = open_page()
    page.goto("/pulls/octo/gefen/83")
    badge = page.locator(".red-test .opaque").locator("xpath=preceding-sibling::*[1]").bounding_box()
    opaque = page.locator(".red-test .opaque").bounding_box()
    assert badge is not None
    assert opaque is not None
    assert abs(badge["y"] - opaque["y"]) <= 1
    assert abs(badge["height"] - opaque["height"]) <= 1


def test_a_hostile_name_is_text_on_every_page_that_shows_it(open_page: Open) -> None:
    page = open_page()
    for path in ("/tests", "/tests/3", "/failures/2"):
        page.goto(path)
        expect(page.get_by_text("test_<img src=x onerror=alert(1)>[[U+202E]gnp.exe]").first).to_be_visible()
        assert page.locator("img").count() == 0


def test_filters_sorting_and_links_work_without_javascript(open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/tests")
    page.get_by_label("Name").fill("rotate")
    page.get_by_label("Verdict").select_option("new-failure")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    assert "q=rotate" in page.url
    page.get_by_role("link", name="Failure rate").click()
    assert "sort=rate" in page.url
    assert "q=rotate" in page.url
    page.locator("a.test-name").click()
    expect(page.locator("h1")).to_contain_text("test_rotate_keys")


def test_a_dead_letter_is_retried_without_javascript(open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/problems")
    page.get_by_role("button", name="Retry attempt:1:29538690201:1:fetch").click()
    expect(page.get_by_role("status")).to_have_text("The task will be tried again.")
    expect(page.locator("#dead")).to_contain_text("None.")


def test_the_first_screen_keeps_itself_fresh(open_page: Open, server: Listening) -> None:
    page = open_page()
    page.clock.install()
    page.goto("/")
    expect(page.locator(".red-tests li")).to_have_count(2)
    with unit_of_work(server.app.state.wiring.store) as session:
        web_scenes.another_red_day(session)
    page.clock.fast_forward(31_000)
    expect(page.locator(".red-tests li")).to_have_count(3)


def test_a_slash_leads_to_the_search(open_page: Open) -> None:
    page = open_page()
    page.goto("/tests")
    page.keyboard.press("/")
    expect(page.get_by_label("Name")).to_be_focused()
    expect(page.get_by_label("Name")).to_have_value("")


def test_the_keyboard_reaches_the_content_past_the_menu(open_page: Open) -> None:
    page = open_page()
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
