"""Learns which pull requests were closed meanwhile: GitHub tells of that only who asks."""

import structlog

from app.domain.errors import Conflict, CredentialsRefused, Gone, Rejected, TriageError, Unavailable
from app.store import repos, retention_needed
from app.store.retention_needed import OpenPull
from app.store.session import read_only, unit_of_work
from worker.deps import Deps
from worker.housekeeping.horizon import Horizon

ASKED_AT_ONCE = 100
"""Requests to GitHub a day. Where more pull requests are old and open, each day asks for others."""

SILENT_AT_MOST = 5
"""Where so many owners in turn get no answer, it is GitHub that gives none: the rest waits for tomorrow."""

log = structlog.get_logger(__name__)


def look(deps: Deps, horizon: Horizon) -> None:
    """Ask GitHub for old pull requests that are open as far as we know.

    Only GitHub's word closes one. What we may not see, or get no answer about, stays open.
    """
    with read_only(deps.store) as session:
        known = retention_needed.old_open_pulls(session, raw=horizon.raw, failures=horizon.failures)
    refused: set[int] = set()
    silent: set[str] = set()
    for one in _of_day(known, horizon):
        if one.repo in refused or _owner(one) in silent:
            continue
        try:
            _look_at(deps, one)
        except CredentialsRefused as error:
            _tell(one, error)
            if deps.settings.github_app_id is None:
                return  # one token for all: it is refused everywhere, and too many wrong ones lock us out
            refused.add(one.repo)
        except Unavailable as error:
            _tell(one, error)
            silent.add(_owner(one))
            if len(silent) == SILENT_AT_MOST:
                return
        except (Rejected, Conflict) as error:
            _tell(one, error)


def _of_day(known: list[OpenPull], horizon: Horizon) -> list[OpenPull]:
    """Beginning elsewhere each day, so that none is always behind those that end the round."""
    if not known:
        return []
    step = 1 if len(known) <= ASKED_AT_ONCE else ASKED_AT_ONCE
    start = horizon.now.toordinal() * step % len(known)
    return (known[start:] + known[:start])[:ASKED_AT_ONCE]


def _owner(one: OpenPull) -> str:
    """Who pays: an App is installed once for each owner."""
    return one.repo_name.partition("/")[0].lower()


def _look_at(deps: Deps, one: OpenPull) -> None:
    try:
        pull = deps.github.pull(one.repo_name, one.number)
    except Gone as error:
        _close_if_seen(deps, one, error)
        return
    with unit_of_work(deps.store) as session:
        repos.remember_pull(session, one.repo, pull)


def _close_if_seen(deps: Deps, one: OpenPull, gone: Gone) -> None:
    """GitHub says 404 of a repository that we may not see, too: then nothing is known of the pull request."""
    try:
        deps.github.repository(one.repo_name)
    except Gone:
        _tell(one, gone)
        return
    with unit_of_work(deps.store) as session:
        repos.close_pull(session, one.repo, one.number)


def _tell(one: OpenPull, error: TriageError) -> None:
    log.warning(
        "an old pull request stays open as far as we know",
        repo=one.repo_name,
        pull=one.number,
        reason=str(error),
    )
