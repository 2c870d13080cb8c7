"""The filters of the list of tests, read from the address and written back to it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from app.dashboard.links import with_query
from app.domain.verdict import Kind
from app.store.screens.flaky_tests import Sort, Wanted

WINDOWS_DAYS: Final = (1, 7, 14, 30, 90)
LONGEST_WORD: Final = 200
LONGEST_CURSOR: Final = 120


@dataclass(frozen=True, slots=True)
class UrlFilters:
    """What the address asks for.

    Words that mean nothing count as not said, never as an error: a link that someone sent must open.
    """

    days: int
    repo: str = ""
    branch: str = ""
    kind: Kind | None = None
    search: str = ""
    sort: Sort = Sort.FLIPS
    after: tuple[float, ...] | None = None

    @property
    def is_narrowed(self) -> bool:
        return bool(self.repo or self.branch or self.kind or self.search)

    def wanted(self, repo: int | None, *, now: datetime) -> Wanted:
        return Wanted(
            since=now - timedelta(days=self.days),
            repo=repo,
            branch=self.branch or None,
            kind=self.kind,
            search=self.search or None,
            sort=self.sort,
            after=self.after,
        )

    def href(self) -> str:
        """This very list; a filter at its default is left out only where nobody could mistake it."""
        return with_query(
            "/tests",
            {
                "repo": self.repo,
                "branch": self.branch,
                "kind": self.kind.value if self.kind else "",
                "days": str(self.days),
                "q": self.search,
                "sort": self.sort.value,
                "after": "" if self.after is None else "~".join(repr(key) for key in self.after),
            },
        )

    def sorted_by(self, sort: Sort) -> "UrlFilters":
        return replace(self, sort=sort, after=None)

    def continued(self, cursor: tuple[float, ...]) -> "UrlFilters":
        return replace(self, after=cursor)


def read_filters(query: Mapping[str, str], *, default_days: int) -> UrlFilters:
    return UrlFilters(
        days=read_days(query, default_days=default_days),
        repo=read_word(query, "repo"),
        branch=read_word(query, "branch"),
        kind=next((kind for kind in Kind if kind.value == query.get("kind")), None),
        search=read_word(query, "q"),
        sort=next((sort for sort in Sort if sort.value == query.get("sort")), Sort.FLIPS),
        after=_cursor(query.get("after", "")),
    )


def read_days(query: Mapping[str, str], *, default_days: int) -> int:
    """One of the windows offered, or the default."""
    return next((days for days in WINDOWS_DAYS if str(days) == query.get("days")), default_days)


def read_key(query: Mapping[str, str], name: str) -> int | None:
    """A key of ours out of the address; None where there is none that could be one."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None  # noqa: PLR2004 - 64 bits


def read_word(query: Mapping[str, str], name: str) -> str:
    """NUL has no place in a database's text, nor has half a character."""
    text = query.get(name, "")[:LONGEST_WORD].strip()
    return text.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8")


def _cursor(text: str) -> tuple[float, ...] | None:
    if not text or len(text) > LONGEST_CURSOR:
        return None
    try:
        keys = tuple(float(part) for part in text.split("~"))
    except ValueError:
        return None
    return keys if all(abs(key) < 2**53 for key in keys) else None
