"""Between grouping and judging: lint the source of opaque failures, for what is told of them."""

from datetime import timedelta

from app.domain.errors import Unavailable
from app.store import lints, runs
from app.store.outbox import Order, ask
from app.store.run_values import StoredAttempt
from app.store.session import read_only, unit_of_work
from worker.deps import Deps, Payload
from worker.linted_sources import LINT_VERSION, SourceLinter, opaque_tests
from worker.stage_orders import judge_order, lint_order, report_orders

LATER_S = 60.0
"""Until GitHub is asked again, unless it says how long it wants to be left alone."""


def lint_sources(deps: Deps, payload: Payload) -> None:
    """Verdicts do not wait for GitHub: where it is away, judging goes on, and the rest is looked at later.

    Safe to repeat: each file is stored once, each failure linked once. What comes after the verdicts were
    told is told again.
    """
    key, is_later = payload["attempt"], payload["later"]
    with read_only(deps.store) as session:
        attempt = runs.attempt(session, key)
        wanted = opaque_tests(session, attempt)
    linter = SourceLinter(deps, attempt, wanted)
    away: Unavailable | None = None
    for one in wanted:
        try:
            linter.look(one)
        except Unavailable as error:
            if is_later:
                raise
            away = error
            break
    _store(deps, attempt, linter, away, is_later=is_later)


def _store(
    deps: Deps, attempt: StoredAttempt, linter: SourceLinter, away: Unavailable | None, *, is_later: bool
) -> None:
    now = deps.clock.now()
    orders: list[Order] = [] if is_later else [judge_order(attempt.id, attempt.repo)]
    if away is not None:
        wait_s = LATER_S if away.retry_after_s is None else away.retry_after_s
        orders.append(lint_order(attempt.id, later=now + timedelta(seconds=wait_s)))
    with unit_of_work(deps.store) as session:
        found = list(linter.looked_at.values())
        lints.record(session, attempt.repo, found, version=LINT_VERSION, at=now)
        lints.link(session, attempt.repo, linter.links)
        if is_later and runs.attempt(session, attempt.id).is_judged:
            orders += report_orders(session, attempt, [attempt], after=f"{attempt.id}:lint")
        ask(session, *orders)
