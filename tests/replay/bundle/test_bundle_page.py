"""The page: one file, no script, nothing from elsewhere, and every text of a test as text."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from lxml import etree
from playwright.sync_api import Browser, Page, expect, sync_playwright
from shown_replay import shown_page, shown_scene

from app.domain.replay_words import Arm, CauseKind
from worker.replay.bundle.page_cause import cause_part
from worker.replay.bundle.page_tables import arms_table
from worker.replay.bundle.picture import described, picture
from worker.replay.bundle.scene import Divergence
from worker.replay.report import ArmCount
from worker.replay.trial import Explained

XSS = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from shutil import which  # noqa: PLC0415

    executable = which("chromium") or which("chromium-browser")
    if executable is None:
        pytest.skip("no chromium on this machine")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        yield running
        running.close()


def opened(browser: Browser, folder: Path, **options: object) -> tuple[Page, list[str]]:
    file = folder / "page.html"
    file.write_text(shown_page(), encoding="utf-8")
    complaints: list[str] = []
    page = browser.new_context(**options).new_page()  # type: ignore[arg-type]  # as the caller names them
    page.on("console", lambda message: complaints.append(message.text))
    page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    page.on(
        "request", lambda request: complaints.append(request.url) if request.url != file.as_uri() else None
    )
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    return page, complaints


def test_the_page_holds_no_script_and_names_no_other_place() -> None:
    html = shown_page()
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "src=" not in html
    assert "href=" not in html
    assert html.count("http") == html.count("http-equiv") + html.count("http://www.w3.org/2000/svg")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_checker_for_accessibility_finds_no_fault_in_the_page(
    browser: Browser, tmp_path: Path, scheme: str
) -> None:
    page, complaints = opened(browser, tmp_path, color_scheme=scheme)
    answer = Axe().run(page).response
    assert len(answer["passes"]) > 10
    assert [(one["id"], one["nodes"][0]["html"]) for one in answer["violations"]] == []
    assert complaints == []


@pytest.mark.parametrize("width", [320, 375, 400, 1280])
def test_the_page_scrolls_sideways_at_no_width(browser: Browser, tmp_path: Path, width: int) -> None:
    page, _ = opened(browser, tmp_path, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    wide = """() => [...document.querySelectorAll("main *")]
        .filter((one) => !one.closest(".scroll") && one.getClientRects().length)
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
        .map((one) => one.outerHTML.slice(0, 200))"""
    assert page.evaluate(wide) == []


def test_the_page_works_without_javascript_and_on_paper(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(shown_page(), encoding="utf-8")
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(file.as_uri())
    expect(page.locator("h1")).to_have_text("test_planner.py::test_plan")
    expect(page.locator("svg[role=img]").first).to_be_visible()
    expect(page.get_by_text("rank-divergence").first).to_be_visible()


def test_the_tables_below_have_the_numbers_of_the_picture() -> None:
    html = shown_page()
    assert "<caption>Collectives of trial 2</caption>" in html
    assert html.count("15: all_reduce(MIN)") >= 2
    assert "exit code 1" in html
    assert "paused for 200 ms" in html
    assert "the quota held the tree still for 120 ms here" in html


def test_the_exception_stands_with_what_was_behind_it() -> None:
    html = shown_page()
    order = [
        "ValueError: no packing fits &lt;7&gt;",
        "Its cause:",
        "KeyError",
        "While this was being handled:",
        "OSError",
    ]
    places = [html.index(one) for one in order]
    assert places == sorted(places)


def test_what_has_no_cause_is_told_in_words() -> None:
    assert "there is none to explain" in cause_part(Explained(CauseKind.NONE))


def test_an_arm_says_which_kind_of_trial_it_did_not_have() -> None:
    told = arms_table([ArmCount(Arm.PLAIN, 1, 3, 0, 0, 0, 9.0)])
    assert "<td>1 of 3</td><td>none ran</td>" in told


def test_a_picture_alone_is_well_formed_and_described() -> None:
    scene = shown_scene()
    root = etree.fromstring(picture(scene, title=XSS, is_alone=True))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.find("{*}title").text == XSS
    assert root.find("{*}desc").text == described(scene)
    assert "1 of them not matched" in described(scene)
    names = {one.tag.rpartition("}")[2] for one in root.iter() if isinstance(one.tag, str)}
    assert names <= {
        "svg",
        "style",
        "title",
        "desc",
        "defs",
        "pattern",
        "path",
        "circle",
        "rect",
        "line",
        "text",
    }


def test_hostile_names_stay_text_in_the_picture() -> None:
    scene = shown_scene()
    lanes = tuple(replace(one, title=XSS + "\x00\u202e") for one in scene.lanes)
    root = etree.fromstring(picture(replace(scene, lanes=lanes, divergence=Divergence(1.0, XSS)), title=XSS))
    assert "script" not in {one.tag.rpartition("}")[2] for one in root.iter() if isinstance(one.tag, str)}
