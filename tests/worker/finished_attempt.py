"""A push's first attempt that has just ended, for tests that change what matters to them."""

from bench import NOON

from app.domain.ids import RepoName, RunId, Sha
from app.domain.run import Conclusion
from app.store.run_values import StoredAttempt

HEAD = Sha("a" * 40)

ATTEMPT = StoredAttempt(
    id=1,
    run_key=1,
    repo=1,
    repo_name=RepoName("octo/lib"),
    run=RunId(1),
    attempt=1,
    workflow_id=1,
    workflow="ci",
    event="push",
    head_sha=HEAD,
    head_branch="main",
    pull=None,
    from_fork=False,
    conclusion=Conclusion.FAILURE,
    started_at=NOON,
    completed_at=NOON,
    recorded_at=NOON,
    url="",
    is_judged=False,
)
