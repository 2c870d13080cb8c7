"""The ranked list of tests that failed."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import links, marks, parts
from app.dashboard.contexts import TestsPage
from app.dashboard.filters import count
from app.dashboard.tests_parts import Column, TestFilters, TestLine
from app.dashboard.url_filters import WINDOWS_DAYS, UrlFilters
from app.domain.verdict import Kind
from app.domain.wording import counted
from app.store.screens import branches, flaky_tests
from app.store.screens.branches import Repository
from app.store.screens.failure_lines import Ruling
from app.store.screens.flaky_tests import Sort

PAGE_LINES: Final = 50
BRANCHES_OFFERED: Final = 200
REPOSITORIES: Final = 200

KINDS_GIVEN: Final = frozenset(Kind) - {Kind.ORDER_DEPENDENT}
"""Kinds that a verdict can have by now; the order of tests is only proven by a replay."""

COLUMNS: Final = {
    Sort.FLIPS: "Flips",
    Sort.FAILURES: "Failures",
    Sort.RATE: "Failure rate",
    Sort.LAST_SEEN: "Last seen",
}


def tests_page(session: Session, filters: UrlFilters, *, now: datetime) -> TestsPage:
    """Three statements; one line more than is shown is read, to know whether there are more."""
    repositories = branches.repositories(session, limit=REPOSITORIES)
    repo = next((one.key for one in repositories if one.name.lower() == filters.repo.lower()), None)
    # A repository that we do not know has no tests; it must not read as "all repositories".
    found = (
        []
        if filters.repo and repo is None
        else flaky_tests.flaky_tests(session, filters.wanted(repo, now=now), limit=PAGE_LINES + 1)
    )
    shown = found[:PAGE_LINES]
    following = filters.continued(shown[-1].cursor).href() if len(found) > PAGE_LINES else None
    named = flaky_tests.branches(
        session, repo=repo, since=now - timedelta(days=filters.days), limit=BRANCHES_OFFERED
    )
    return TestsPage(
        title="Tests",
        section="tests",
        asked_at=now,
        filters=_form(filters, repositories, named),
        columns=tuple(
            Column(name, filters.sorted_by(sort).href(), is_current=sort is filters.sort)
            for sort, name in COLUMNS.items()
        ),
        lines=tuple(_line(line, filters) for line in shown),
        summary=_summary(filters, len(shown), has_more=following is not None),
        following=None if following is None else parts.Link("Next page", following),
        is_later_page=filters.after is not None,
        rate_note="Rates are counted over all branches; choose all branches to see them."
        if filters.branch
        else "",
    )


def _line(line: flaky_tests.TestLine, filters: UrlFilters) -> TestLine:
    ruling = (
        None
        if line.kind is None or line.strength is None or line.whose is None
        else Ruling(0, line.kind, line.strength, line.whose)
    )
    return TestLine(
        name=parts.Link(line.label, links.with_query(links.to_test(line.test), {"days": str(filters.days)})),
        repo=line.repo_name,
        badge=marks.badge(ruling, opaque=line.opaque, with_whose=False),
        failures=line.failures,
        modes=counted(line.groups, "mode") if line.groups else "no mode",
        flips=line.flips,
        same_tree=f"{count(line.same_tree)} on one tree" if line.same_tree else "",
        red=line.red,
        ran=line.ran,
        last_seen_at=line.last_seen_at,
    )


def _form(filters: UrlFilters, repositories: Sequence[Repository], named: Sequence[str]) -> TestFilters:
    offered = named if filters.branch in named or not filters.branch else [filters.branch, *named]
    names = [repo.name for repo in repositories]
    return TestFilters(
        repos=_choices("all repositories", filters.repo, ((name, name) for name in names)),
        branches=_choices("all branches", filters.branch, ((name, name) for name in offered)),
        kinds=_choices(
            "any verdict",
            filters.kind.value if filters.kind else "",
            ((kind.value, kind.value) for kind in Kind if kind in KINDS_GIVEN or kind is filters.kind),
        ),
        windows=windows(filters.days),
        search=filters.search,
        sort=filters.sort.value,
        is_narrowed=filters.is_narrowed,
    )


def windows(days: int) -> tuple[parts.Choice, ...]:
    return tuple(
        parts.Choice(str(one), "last 24 hours" if one == 1 else f"last {one} days", chosen=one == days)
        for one in WINDOWS_DAYS
    )


def _choices(anything: str, chosen: str, options: Iterable[tuple[str, str]]) -> tuple[parts.Choice, ...]:
    return (
        parts.Choice("", anything, chosen=not chosen),
        *(parts.Choice(value, text, chosen=value.lower() == chosen.lower()) for value, text in options),
    )


def _summary(filters: UrlFilters, shown: int, *, has_more: bool) -> str:
    window = "in the last 24 hours" if filters.days == 1 else f"in the last {filters.days} days"
    if not shown:
        return f"No test failed {window}" + (" that fits these filters." if filters.is_narrowed else ".")
    verb = "are shown; more follow" if has_more else "failed"
    return f"{counted(shown, 'test')} {verb} {window}."
