"""Walk a repository's list of runs, newest first, until nothing further down can be wanted."""

from dataclasses import dataclass
from datetime import datetime

from app.domain.errors import Unavailable
from app.domain.ids import RepoName
from app.domain.run import ListedRun
from app.domain.run_listing import leads_on, pause_until
from worker.deps import Deps


@dataclass(frozen=True, slots=True)
class Walked:
    """`etags` are those of the pages that a usual look reads, in order; `unchanged` that some were as before.

    `cut` is set where the list goes on further than it was read.
    """

    runs: tuple[ListedRun, ...]
    etags: tuple[str, ...]
    unchanged: bool
    cut: bool


def walk(
    deps: Deps,
    repo: RepoName,
    *,
    known: tuple[str, ...],
    until: datetime,
    usual: datetime,
    pages: int,
) -> Walked:
    """List runs created since `until`, from so many pages at most. A page that is as it was when its ETag in
    `known` was given costs nothing and is taken for read. ETags are kept of the pages with runs created
    since `usual`.

    Raises Unavailable rather than use up what others need of GitHub's hourly budget.
    """
    runs: list[ListedRun] = []
    etags: list[str] = []
    unchanged, keeps, number = False, True, 1
    while number <= pages:
        _spare_the_budget(deps, repo)
        etag = known[number - 1] if number <= len(known) else None
        page = deps.github.runs_page(repo, etag=etag, page=number)
        runs += page.runs
        unchanged = unchanged or not page.modified
        keeps = keeps and page.etag is not None
        if keeps and page.etag is not None:
            etags.append(page.etag)
        if page.modified:
            keeps = keeps and leads_on(page.runs, usual)
            goes_on = page.next is not None and leads_on(page.runs, until)
        else:
            goes_on = number < len(known)
        if not goes_on:
            return Walked(tuple(runs), tuple(etags), unchanged, cut=False)
        number += 1
    return Walked(tuple(runs), tuple(etags), unchanged, cut=True)


def _spare_the_budget(deps: Deps, repo: RepoName) -> None:
    budget, now = deps.github.budget(repo), deps.clock.now()
    if budget is None:
        return
    until = pause_until(limit=budget.limit, remaining=budget.remaining, resets_at=budget.resets_at, now=now)
    if until is not None:
        raise Unavailable(
            f"runs of {repo}",
            f"{budget.remaining} of {budget.limit} requests of this hour are left, and others need them; "
            f"it goes on at {until:%H:%M} UTC",
            retry_after_s=(until - now).total_seconds(),
        )
