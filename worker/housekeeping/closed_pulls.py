"""Learns which pull requests were closed meanwhile: GitHub tells of that only who asks."""

import structlog

from app.domain.errors import Gone, Rejected, Unavailable
from app.store import repos, retention, retention_needed
from app.store.retention_needed import OpenPull
from app.store.session import read_only, unit_of_work
from worker.deps import Deps
from worker.housekeeping.horizon import Horizon

ASKED_AT_ONCE = 100
"""Requests to GitHub a day. Where more pull requests are old and open, each day asks for others."""

log = structlog.get_logger(__name__)


def look(deps: Deps, horizon: Horizon) -> int:
    """Ask GitHub for old pull requests that are open as far as we know; return how many were asked for.

    One that is gone is closed. Where GitHub does not answer, what is not known to be closed stays open.
    """
    with read_only(deps.store) as session:
        old = retention.old_texts(session, before=horizon.raw)
        known = retention_needed.open_pulls(
            session, old + retention.old_attempts(session, before=horizon.failures)
        )
    chosen = _of_day(known, horizon)
    for number, pull in enumerate(chosen):
        try:
            _look_at(deps, pull)
        except Unavailable as error:
            log.warning("old pull requests are not asked for", reason=str(error), left=len(chosen) - number)
            return number
    return len(chosen)


def _of_day(known: list[OpenPull], horizon: Horizon) -> list[OpenPull]:
    if len(known) <= ASKED_AT_ONCE:
        return known
    start = horizon.now.toordinal() * ASKED_AT_ONCE % len(known)
    return (known + known)[start : start + ASKED_AT_ONCE]


def _look_at(deps: Deps, one: OpenPull) -> None:
    try:
        pull = deps.github.pull(one.repo_name, one.number)
    except (Gone, Rejected):
        with unit_of_work(deps.store) as session:
            repos.close_pull(session, one.repo, one.number)
        return
    with unit_of_work(deps.store) as session:
        repos.remember_pull(session, one.repo, pull)
