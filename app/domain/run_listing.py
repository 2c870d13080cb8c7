"""Which runs of a repository's list are to be read: what has ended, is ours to read, and was never recorded.

A list is a hint, newest created first: runs come late, twice or not at all, and a re-run stays where its run
was created. So each look goes back further than the last one came.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from app.domain.ids import RunId
from app.domain.run import TESTS_A_MERGE, ListedRun

LOOK_BACK = timedelta(days=1)
"""How far a look goes back beyond the newest run that was seen: for runs that are listed late."""

DEEP_LOOK_BACK = timedelta(days=14)
DEEP_EVERY = timedelta(hours=6)
"""A deeper look finds re-runs of older runs, which stay deep in the list."""

LONGEST_RUN = timedelta(days=35)
"""GitHub ends a run then (docs.github.com, "Actions limits"), so nothing older can be unfinished."""

TAIL = 10
"""Runs at the end of a page that must all be old before the list is taken to hold only older ones."""

RESERVE = 0.2
"""The share of GitHub's hourly budget that is left to whoever waits for an answer."""


@dataclass(frozen=True, slots=True)
class Covered:
    """How far a repository's list has been looked at.

    A run that ended before `since` is history and not ours to read. `seen_until` is when the newest listed
    run was created, `open_since` the oldest unfinished one; both None before the first look.
    """

    since: datetime
    seen_until: datetime | None = None
    open_since: datetime | None = None
    deep_at: datetime | None = None

    @property
    def is_first(self) -> bool:
        return self.seen_until is None


@dataclass(frozen=True, slots=True)
class Missing:
    """An attempt that has ended and was never recorded; the ones before it follow from it."""

    run: ListedRun
    attempt: int


def is_deep(covered: Covered, *, now: datetime) -> bool:
    """Whether it is time to look for re-runs of older runs; the first look only begins to count."""
    return covered.deep_at is not None and now - covered.deep_at >= DEEP_EVERY


def horizon(covered: Covered, *, now: datetime, deep: bool) -> datetime:
    """Runs created since then are to be looked at. Counted from what GitHub said, whatever our clock says."""
    begin = covered.seen_until or covered.since
    back = begin - (DEEP_LOOK_BACK if deep else LOOK_BACK)
    oldest = back if covered.open_since is None else min(back, covered.open_since)
    return max(oldest, min(begin, now) - LONGEST_RUN)


def leads_on(page: Sequence[ListedRun], until: datetime) -> bool:
    """Whether the next page can hold runs created since `until`; a single old run proves nothing."""
    return any(run.created_at >= until for run in page[-TAIL:])


def distinct(listed: Iterable[ListedRun]) -> list[ListedRun]:
    """Each run once, as far as it has come: lists shift while they are read, so runs are listed twice."""
    best: dict[RunId, ListedRun] = {}
    for run in listed:
        known = best.get(run.id)
        if known is None or (known.attempt, known.is_completed) < (run.attempt, run.is_completed):
            best[run.id] = run
    return list(best.values())


def missing(
    listed: Iterable[ListedRun], recorded: Mapping[RunId, Collection[int]], *, since: datetime
) -> list[Missing]:
    """The newest ended attempt of each run that ended since then, where it was not recorded.

    What is older than records are kept is not wanted: that it has no record says nothing.
    """
    found = []
    for run in distinct(listed):
        attempt = run.attempt if run.is_completed else run.attempt - 1
        ended_by = run.updated_at if run.is_completed else run.started_at
        if attempt >= 1 and ended_by >= since and attempt not in recorded.get(run.id, ()):
            found.append(Missing(run, attempt))
    return found


def choose(
    found: Sequence[Missing], *, limit: int, default_branch: str | None
) -> tuple[list[Missing], list[Missing]]:
    """At most `limit` of them, oldest first, and the others.

    The default branch and pull requests go first, then the newest: they are what people ask about.
    """

    def rank(one: Missing) -> tuple[bool, float]:
        run = one.run
        is_asked_about = run.head_branch == default_branch or run.event == TESTS_A_MERGE
        return not is_asked_about, -run.created_at.timestamp()

    ranked = sorted(found, key=rank)
    chosen = sorted(ranked[:limit], key=lambda one: (one.run.created_at, one.run.id))
    return chosen, ranked[limit:]


def after_look(
    covered: Covered,
    listed: Sequence[ListedRun],
    left: Sequence[Missing],
    *,
    now: datetime,
    deep: bool,
    unchanged: bool,
) -> Covered:
    """How far the list is covered now. `left` are missing runs that nobody will read; `unchanged` says that
    pages were as before, so that what was unfinished there may be so still.
    """
    seen = [covered.seen_until or covered.since, *(min(run.created_at, now) for run in listed)]
    waiting = [run.created_at for run in distinct(listed) if not run.is_completed]
    if unchanged and covered.open_since is not None:
        waiting.append(covered.open_since)
    return replace(
        covered,
        since=max([covered.since, *(one.run.updated_at + timedelta(microseconds=1) for one in left)]),
        seen_until=max(seen),
        open_since=min((at for at in waiting if now - at < LONGEST_RUN), default=None),
        deep_at=now if deep or covered.deep_at is None else covered.deep_at,
    )


def pause_until(
    *, limit: int, remaining: int, resets_at: datetime, now: datetime, reserve: float = RESERVE
) -> datetime | None:
    """When looking may go on where too little is left of the hourly budget; None if there is enough."""
    return resets_at if resets_at > now and remaining <= limit * reserve else None
