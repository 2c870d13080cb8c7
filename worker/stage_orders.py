"""Orders that more than one stage gives: to lint, to judge, and to tell."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from app.domain.run import TESTS_THE_PUSHED_COMMIT
from app.store import repos
from app.store.outbox import Order
from app.store.run_values import StoredAttempt


def judge_order(attempt: int, repo: int) -> Order:
    return Order(f"judge:{attempt}", "judge_failures", {"schema": 1, "attempt": attempt}, partition=str(repo))


def lint_order(attempt: int, *, later: datetime | None = None) -> Order:
    """`later` is set where GitHub was away: what is judged meanwhile does not wait for it."""
    key = f"lint:{attempt}" if later is None else f"lint:{attempt}:later"
    payload = {"schema": 1, "attempt": attempt, "later": later is not None}
    return Order(key, "lint_sources", payload, run_after=later)


def report_orders(
    session: Session, attempt: StoredAttempt, touched: Sequence[StoredAttempt], *, after: str
) -> list[Order]:
    """One for each pull request and branch whose report may have to change; the run is for the log.

    `after` names the cause: a report is ordered once for each.
    """
    pulls = {one.pull for one in touched if one.pull is not None}
    main = repos.default_branch(session, attempt.repo)
    branches = {
        one.head_branch for one in touched if one.head_branch == main and one.event in TESTS_THE_PUSHED_COMMIT
    }
    orders = [
        Order(
            key=f"comment:{attempt.repo}:{pull}:after:{after}",
            stage="publish_comment",
            payload={"schema": 1, "repo": attempt.repo, "pull": pull, "run": attempt.run},
            partition=f"{attempt.repo}:pull:{pull}",
        )
        for pull in sorted(pulls)
    ]
    return orders + [
        Order(
            key=f"alert:{attempt.repo}:{branch}:after:{after}"[:300],
            stage="publish_alert",
            payload={"schema": 1, "repo": attempt.repo, "branch": branch, "run": attempt.run},
            partition=f"{attempt.repo}:branch:{branch}"[:400],
        )
        for branch in sorted(branches)
    ]
