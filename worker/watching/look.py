"""One look at a repository's list of runs: order what was never recorded, and note how it went."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy.orm import Session

from app.domain.errors import CredentialsRefused, Gone, TriageError, Unavailable
from app.domain.ids import RepoName
from app.domain.look_trouble import LookTrouble
from app.domain.run_listing import Missing, after_look, choose, distinct, horizon, is_deep, missing
from app.github.facts import RepositoryFacts
from app.logs import redact
from app.store import outbox, repos, watch
from app.store.outbox import Order
from app.store.session import unit_of_work
from app.store.watch import Seen, Watched
from worker.deps import Deps
from worker.fetching.attempt_order import attempt_order
from worker.housekeeping.horizon import Horizon
from worker.watching.walk import Walked, walk

TURN = timedelta(minutes=5)
"""A look that takes longer may be done by another worker too, which does no harm."""

AGAIN_AFTER_REFUSAL = timedelta(minutes=30)
"""Where somebody has to do something first."""

TOLD_CHARACTERS = 500

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one look: `pages` of 100 runs that are listed, and `orders` given; what is left of a later look is
    found by the next one.
    """

    pages: int = 50
    orders: int = 500


USUAL = Bounds()


@dataclass(frozen=True, slots=True)
class Look:
    """What one look found, before it is written down. `now` is when it began."""

    walked: Walked
    facts: RepositoryFacts | None
    deep: bool
    now: datetime


def look_if_due(deps: Deps, repo: RepoName, *, bounds: Bounds = USUAL) -> bool:
    """Look at one repository's list if it is time and nobody else does; False if not. Raises nothing that
    a look can meet: trouble is noted where people see it.
    """
    now = deps.clock.now()
    since = now - timedelta(days=deps.settings.first_look_days)
    with unit_of_work(deps.store) as session:
        watched = watch.claim(session, repo, since=since, now=now, until=now + TURN)
    if watched is None:
        return False
    try:
        _conclude(deps, repo, watched, _look(deps, repo, watched.seen, now, bounds.pages), bounds.orders)
    except TriageError as error:
        _fail(deps, repo, error)
    return True


def _look(deps: Deps, repo: RepoName, seen: Seen, now: datetime, pages: int) -> Look:
    covered = seen.covered
    facts = deps.github.repository(repo) if covered.is_first else None
    deep = is_deep(covered, now=now)
    usual = horizon(covered, now=now, deep=False)
    until = horizon(covered, now=now, deep=True) if deep else usual
    known = () if deep else seen.etags
    walked = walk(deps, repo, known=known, until=until, usual=usual, pages=pages)
    told_name = next((run.repo for run in walked.runs), repo)
    if facts is None and told_name.lower() != repo.lower():
        facts = deps.github.repository(told_name)
    return Look(walked, facts, deep, now)


def _conclude(deps: Deps, repo: RepoName, watched: Watched, look: Look, most: int) -> None:
    """Write orders and coverage together: what is noted as covered is ordered."""
    walked, first = look.walked, watched.seen.covered.is_first
    with unit_of_work(deps.store) as session:
        key, name = _identify(session, repo, look.facts)
        chosen, left = choose(
            _missing(session, key, walked, since=max(watched.seen.covered.since, _removed_until(deps, look))),
            limit=deps.settings.first_look_runs if first else most,
            default_branch=repos.default_branch(session, key),
        )
        outbox.ask(session, *(_order(key, one) for one in chosen))
        is_whole = first or not left
        covered = after_look(
            watched.seen.covered,
            walked.runs,
            left if first else (),
            now=look.now,
            deep=look.deep,
            unchanged=walked.unchanged,
        )
        seen = Seen(
            covered=covered if is_whole else watched.seen.covered,
            etags=walked.etags if is_whole else (),
            found=len(distinct(walked.runs)),
            ordered=len(chosen),
            left_unread=len(left) if first else 0,
            renamed_to=None if name.lower() == repo.lower() else name,
        )
        now = deps.clock.now()
        wait_s = deps.settings.reconcile_s if is_whole else 0
        spelt = name if seen.renamed_to is None else repo
        watch.looked(session, repo, seen, spelt=spelt, now=now, due_at=now + timedelta(seconds=wait_s))
        if seen.renamed_to is not None and repo.lower() not in deps.settings.watched:
            watch.rename(session, repo, seen.renamed_to)
    if chosen or left:
        log.info("found runs that were not recorded", repo=repo, ordered=len(chosen), left=len(left))
    if walked.cut:
        log.warning("list of runs goes on further than it was read", repo=repo, read=seen.found)


def _identify(session: Session, repo: RepoName, facts: RepositoryFacts | None) -> tuple[int, RepoName]:
    """Our key, and the name that GitHub uses today as far as it was asked."""
    if facts is None:
        return repos.remember(session, repo), repo
    key = repos.remember(session, facts.full_name, github_id=facts.id, default_branch=facts.default_branch)
    return key, facts.full_name


def _removed_until(deps: Deps, look: Look) -> datetime:
    """What ended before may have been read and removed since: reading it again would tell it again."""
    return Horizon.seen_from(look.now, deps.settings).failures


def _missing(session: Session, key: int, walked: Walked, *, since: datetime) -> list[Missing]:
    """What ended since then and nobody has recorded or ordered."""
    known = watch.recorded(session, key, {run.id for run in walked.runs})
    found = missing(walked.runs, known, since=since)
    asked = watch.ordered(session, {_order(key, one).key for one in found})
    return [one for one in found if _order(key, one).key not in asked]


def _order(key: int, one: Missing) -> Order:
    return attempt_order(key, one.run.repo, one.run.id, one.attempt)


def _fail(deps: Deps, repo: RepoName, error: TriageError) -> None:
    now = deps.clock.now()
    trouble = _trouble(error)
    wait = timedelta(seconds=deps.settings.reconcile_s)
    if trouble.needs_somebody:
        wait = max(wait, AGAIN_AFTER_REFUSAL)
    elif isinstance(error, Unavailable) and error.retry_after_s is not None:
        wait = max(wait, timedelta(seconds=error.retry_after_s))
    told = redact(error.reason)[:TOLD_CHARACTERS]
    log.warning("cannot look for runs", repo=repo, trouble=trouble.value, error=told)
    with unit_of_work(deps.store) as session:
        watch.failed(session, repo, trouble, told, now=now, due_at=now + wait)


def _trouble(error: TriageError) -> LookTrouble:
    match error:
        case CredentialsRefused():
            return LookTrouble.CREDENTIALS
        case Unavailable(retry_after_s=None):
            return LookTrouble.AWAY
        case Unavailable():
            return LookTrouble.LIMITED
        case Gone():
            return LookTrouble.GONE
        case _:
            return LookTrouble.REFUSED
