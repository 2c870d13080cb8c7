"""The summary in a browser, as GitHub's parser and a sanitiser leave it: no table breaks, nothing runs."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import cmarkgfm
import nh3
import pytest
from cmarkgfm.cmark import Options
from playwright.sync_api import Browser, sync_playwright
from told_jobs import diverged, hostile, job, not_reproduced

from worker.commands.in_job.summary import summary

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
STYLE = """
body { font: 16px/1.5 sans-serif; margin: 24px auto; max-width: 1012px; overflow-wrap: break-word; }
table { border-collapse: collapse; display: block; width: max-content; max-width: 100%; overflow: auto; }
th, td { border: 1px solid #d1d9e0; padding: 6px 13px; } tr:nth-child(2n) { background: #f6f8fa; }
code, pre { background: #eff1f3; border-radius: 6px; font: 13.6px monospace; } code { padding: 2px 5px; }
pre { padding: 16px; overflow: auto; }
blockquote { border-left: 4px solid #d1d9e0; padding: 0 1em; margin: 0; }
h2, h3 { border-bottom: 1px solid #d1d9e0; padding-bottom: .3em; }
"""
"""Of GitHub's pages as much as decides where a table breaks."""
ALLOWED = nh3.ALLOWED_TAGS | {"details", "summary", "h2", "h3", "table", "thead", "tbody", "tr", "th", "td"}
HOSTILE = (
    "| x | `y\n| --- |\n</table></details><script>alert(1)</script><img src=x onerror=alert(1)> " + "w" * 400
)
LOOK = """
() => [...document.querySelectorAll("table")].map((table) => ({
    cells: [...table.rows].map((row) => row.cells.length),
    outside: table.getBoundingClientRect().right > innerWidth,
    open: table.closest("details") === null,
}))
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        pytest.skip("no chromium on this machine")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield running
        running.close()


def as_page(markdown: str, *, is_cleaned: bool) -> str:
    html = cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE)
    inside = nh3.clean(html, tags=ALLOWED) if is_cleaned else html
    return f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><body>{inside}"


@pytest.mark.parametrize("is_cleaned", [True, False], ids=["as GitHub cleans it", "as it is written"])
@pytest.mark.parametrize("width", [1280, 420])
def test_no_table_is_broken_by_hostile_text_and_nothing_runs(
    browser: Browser, tmp_path: Path, width: int, *, is_cleaned: bool
) -> None:
    not_tried = {f"a.py::{HOSTILE}": HOSTILE}
    told = summary(
        job(diverged(), hostile(HOSTILE), not_reproduced(), red=4, not_tried=not_tried, notes=(HOSTILE,))
    )
    file = tmp_path / "summary.html"
    file.write_text(as_page(told, is_cleaned=is_cleaned), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900})
    ran: list[str] = []
    page.on("dialog", lambda dialog: ran.append(dialog.message))
    page.on("request", lambda request: ran.append(request.url))
    page.goto(file.as_uri())
    tables = page.evaluate(LOOK)
    page.screenshot(path=tmp_path / "summary.png", full_page=True)
    page.close()
    assert ran == [file.as_uri()]
    assert [len(set(table["cells"])) for table in tables] == [1] * len(tables)
    assert [table["cells"][0] for table in tables if table["open"]] == [4, 4, 2, 5]
    assert not any(table["outside"] for table in tables)
