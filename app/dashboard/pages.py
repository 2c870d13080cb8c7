"""Routes of the dashboard: read what is asked for, build its context, render it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request
from sqlalchemy.orm import Session
from starlette.responses import RedirectResponse, Response, StreamingResponse

from app.dashboard import links, main_page, problems_page
from app.dashboard.contexts import AbsentPage, MainPage, Page
from app.dashboard.failure_page import failure_page
from app.dashboard.file_page import file_page, kept_file
from app.dashboard.links import GitHubLinks
from app.dashboard.one_test_page import one_test_page
from app.dashboard.pull_page import pull_page
from app.dashboard.pulls_page import pulls_page
from app.dashboard.rendering import Pages
from app.dashboard.reports_page import reports_page
from app.dashboard.run_page import run_page
from app.dashboard.tests_page import tests_page
from app.dashboard.url_filters import read_days, read_filters, read_key, read_word
from app.deps import Wiring, WiringDep
from app.domain.ids import RepoName
from app.problems import ForeignOrigin
from app.settings import Settings
from app.store import tasks
from app.store.session import read_only, unit_of_work

router = APIRouter(include_in_schema=False)


async def rendering(request: Request) -> Pages:
    """Not a plain function, because FastAPI would send that through its thread pool on every request."""
    found = request.app.state.pages
    assert isinstance(found, Pages)
    return found


PagesDep = Annotated[Pages, Depends(rendering)]


@contextmanager
def _reading(wired: Wiring) -> Iterator[tuple[Session, GitHubLinks, datetime]]:
    with read_only(wired.store) as session:
        yield session, GitHubLinks(wired.settings.github_url.rstrip("/")), wired.clock.now()


@router.get("/")
def main(request: Request, wired: WiringDep, pages: PagesDep) -> Response:
    """`?repo=` shows one repository; with `&pull=`, as comments link it, it leads to the pull request."""
    only, pull = read_word(request.query_params, "repo"), read_key(request.query_params, "pull")
    if only and pull is not None:
        return RedirectResponse(links.to_pull(RepoName(only), pull), status_code=303)
    with _reading(wired) as (session, github, now), read_only(wired.inbox) as inbox:
        branches = main_page.branch_views(session, github, only=only, now=now)
        page = MainPage(
            title="Main",
            section="main",
            asked_at=now,
            only=only,
            branches=branches,
            red_runs=main_page.red_runs(session, github),
            troubles=problems_page.trouble_views(session, inbox, wired, now=now),
            beginning=None if branches or only else problems_page.beginning(inbox, wired),
        )
    return pages.render(page)


@router.get("/pulls")
def pulls(wired: WiringDep, pages: PagesDep) -> Response:
    with _reading(wired) as (session, github, now):
        page = pulls_page(session, github, now=now)
    return pages.render(page)


@router.get("/pulls/{owner}/{name}/{number}")
def pull(owner: str, name: str, number: str, wired: WiringDep, pages: PagesDep) -> Response:
    with _reading(wired) as (session, github, now):
        page = pull_page(session, RepoName(f"{owner}/{name}"), _key(number), github, now=now)
    return _found(page, pages, "No run of this pull request is known.", now)


@router.get("/reports")
def reports(request: Request, wired: WiringDep, pages: PagesDep) -> Response:
    with _reading(wired) as (session, github, now):
        page = reports_page(session, request.query_params, github, posts=wired.settings.post, now=now)
    return pages.render(page)


@router.get("/tests")
def tests(request: Request, wired: WiringDep, pages: PagesDep) -> Response:
    filters = read_filters(request.query_params, default_days=wired.settings.evidence_window_days)
    with _reading(wired) as (session, _github, now):
        page = tests_page(session, filters, now=now)
    return pages.render(page)


@router.get("/tests/{test}")
def test(test: str, request: Request, wired: WiringDep, pages: PagesDep) -> Response:
    days = read_days(request.query_params, default_days=wired.settings.evidence_window_days)
    with _reading(wired) as (session, github, now):
        page = one_test_page(session, _key(test), github, days=days, now=now)
    return _found(page, pages, "No test has this number.", now)


@router.get("/failures/{failure}")
def failure(failure: str, wired: WiringDep, pages: PagesDep) -> Response:
    with _reading(wired) as (session, github, now):
        page = failure_page(session, _key(failure), github, now=now)
    return _found(page, pages, "No failure has this number.", now)


@router.get("/runs/{attempt}")
def run(attempt: str, wired: WiringDep, pages: PagesDep) -> Response:
    with _reading(wired) as (session, github, now):
        page = run_page(session, _key(attempt), github, now=now)
    return _found(page, pages, "No attempt of a run has this number.", now)


@router.get("/files/{file}")
def file(file: str, wired: WiringDep, pages: PagesDep) -> Response:
    with _reading(wired) as (session, github, now):
        page = file_page(session, _key(file), github, now=now)
    return _found(page, pages, "No file has this number.", now)


@router.get("/files/{file}/download")
def download(file: str, wired: WiringDep, pages: PagesDep) -> Response:
    with _reading(wired) as (session, _github, now):
        found = kept_file(session, _key(file))
    if found is None:
        return absent(pages, "No file has this number.", now)
    return StreamingResponse(
        found.chunks,
        media_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{found.name}"'},
    )


@router.get("/problems")
def problems(request: Request, wired: WiringDep, pages: PagesDep) -> Response:
    told = _told(request.query_params.get("retry", ""))
    with _reading(wired) as (session, _github, now), read_only(wired.inbox) as inbox:
        page = problems_page.problems_page(session, inbox, request.query_params, wired, told=told, now=now)
    return pages.render(page)


@router.post("/problems/retry")
def retry(request: Request, task: str, wired: WiringDep) -> Response:
    """Give a dead letter its tries back. Repeating it changes nothing: the task is not dead any more."""
    require_same_site(request, wired.settings)
    with unit_of_work(wired.store) as session:
        found = tasks.requeue(session, task, at=wired.clock.now())
    outcome = "done" if found is not None else "not-dead"
    return RedirectResponse(links.with_query("/problems", {"retry": outcome}), status_code=303)


def require_same_site(request: Request, settings: Settings) -> None:
    """Refuse a write that a page of another site made the browser send.

    Browsers say where a write comes from: `Sec-Fetch-Site` (W3C Fetch Metadata), and `Origin` (RFC 6454)
    with every POST. A request with neither is not a browser's form, and is refused as well.
    """
    fetched = request.headers.get("Sec-Fetch-Site")
    origin = urlsplit(request.headers.get("Origin", "")).netloc
    own = {request.headers.get("Host", ""), urlsplit(settings.dashboard_url).netloc}
    if fetched not in {None, "same-origin"} or not origin or origin not in own:
        raise ForeignOrigin("origin", "this may only be sent from the dashboard's own pages")


def absent(pages: Pages, sentence: str, now: datetime) -> Response:
    page = AbsentPage(title="Nothing here", section="", asked_at=now, sentence=sentence)
    return pages.render(page, status_code=404)


def _found(page: Page | None, pages: Pages, otherwise: str, now: datetime) -> Response:
    return absent(pages, otherwise, now) if page is None else pages.render(page)


def _key(text: str) -> int:
    """A key of ours out of an address; 0, which nothing has, where it could be none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0  # noqa: PLR2004 - 64 bits


def _told(outcome: str) -> str:
    said = {
        "done": "The task will be tried again.",
        "not-dead": "That task is not a dead letter any more; nothing was changed.",
    }
    return said.get(outcome, "")
