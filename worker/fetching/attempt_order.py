"""The order to read one attempt of a run, whoever found out that it is missing."""

from app.domain.ids import RepoName, RunId
from app.store.outbox import Order
from worker.deps import FIRST_STAGE


def attempt_order(key: int, repo: RepoName, run: RunId, attempt: int) -> Order:
    """`key` is ours of the repository. One key for each attempt: asking for it again reads nothing twice."""
    return Order(
        key=f"record:{key}:{run}:{attempt}",
        stage=FIRST_STAGE,
        payload={"schema": 1, "repo": repo, "run": run, "attempt": attempt},
    )
