"""Evidence for tests of judging and telling, with only what a test is about spelled out."""

from datetime import UTC, datetime, timedelta

from app.domain.category import Category
from app.domain.evidence import (
    BaseState,
    Change,
    ChangeKind,
    Evidence,
    Flip,
    MainStreak,
    Observation,
    Recurrence,
    Relation,
    SignatureFacts,
)
from app.domain.ids import Sha, TreeSha
from app.domain.outcome import OutcomeKind
from app.domain.policy import VerdictPolicy
from app.domain.tested_tree import UNKNOWN_TREE, TestedTree, TreeSource

POLICY = VerdictPolicy()
PASSED, FAILED, ERRORED, SKIPPED = (
    OutcomeKind.PASSED,
    OutcomeKind.FAILED,
    OutcomeKind.ERRORED,
    OutcomeKind.SKIPPED,
)
HEAD = Sha("bd47e80" + "0" * 33)
MAIN = Sha("df3a615" + "0" * 33)
OLD = Sha("0ld0001" + "0" * 33)
OLDER = Sha("0ld0002" + "0" * 33)
NOON = datetime(2026, 7, 17, 12, tzinfo=UTC)

PR = Change(ChangeKind.PULL, pull=83)
ON_MAIN = Change(ChangeKind.MAIN, candidates=(MAIN,))
BRANCH = Change(ChangeKind.BRANCH)

CLEAR = SignatureFacts("v1:group:a", "ValueError: bad shape", Category.EXCEPTION, generic=False, opaque=False)
OPAQUE = SignatureFacts("v1:group:b", "assert False", Category.ASSERTION, generic=True, opaque=True)
GENERIC = SignatureFacts("v1:group:c", "cancelled", Category.UNKNOWN, generic=True, opaque=False)
NO_GROUP = SignatureFacts(None, "exit code 1", Category.UNKNOWN, generic=True, opaque=False)
INFRA = SignatureFacts("v1:job:d", "No space left on device", Category.INFRA, generic=False, opaque=False)


def pushed(sha: Sha, tree: str = "1a2b3c4") -> TestedTree:
    return TestedTree(TreeSource.HEAD, commit=sha, tree=TreeSha(tree + "0" * 33))


def merged(
    tree: str | None = "1a2b3c4", *, commit: str = "cafe123", base_in_head: bool | None = None
) -> TestedTree:
    return TestedTree(
        TreeSource.MERGE_COMMIT,
        commit=Sha(commit + "0" * 33),
        tree=TreeSha(tree + "0" * 33) if tree else None,
        base_in_head=base_in_head,
    )


def seen(
    outcome: OutcomeKind = FAILED,
    *,
    run: int = 100,
    attempt: int = 1,
    job_id: int | None = None,
    sha: Sha = HEAD,
    event: str = "push",
    job: str = "test (3.12)",
    branch: str | None = None,
    pull: int | None = None,
    tested: TestedTree | None = None,
) -> Observation:
    """A push of `sha` unless said otherwise; run numbers also order in time."""
    return Observation(
        run=run,
        attempt=attempt,
        job_id=run * 10 + attempt if job_id is None else job_id,
        job=job,
        variant=job,
        event=event,
        sha=sha,
        branch=branch,
        pull=pull,
        outcome=outcome,
        tested=pushed(sha) if tested is None else tested,
        at=NOON + timedelta(minutes=run % 1000),
        url=f"https://github.com/o/gefen/actions/runs/{run}/job/{job_id or run * 10 + attempt}",
    )


FAILURE = seen()
PASS_SAME_TREE = seen(PASSED, run=90, event="pull_request", tested=merged())
PASS_TREE_UNKNOWN = seen(PASSED, run=90, event="pull_request", tested=UNKNOWN_TREE)
PASS_OTHER_TREE = seen(PASSED, run=90, event="pull_request", tested=merged("9f9f9f9"))


def failed_elsewhere(
    relation: Relation = Relation.WITHOUT_CHANGE, *, sha: Sha = OLD, run: int = 50, pull: int | None = None
) -> Recurrence:
    observation = seen(run=run, sha=sha, branch="main", pull=pull, tested=pushed(sha, sha[:7]))
    return Recurrence(observation, relation, how=f"compare says that {sha[:7]} does not contain the head")


def flipped_elsewhere(*, same_tree: bool = True, sha: Sha = OLD) -> Flip:
    passed = seen(
        PASSED, run=40, sha=sha, event="pull_request", tested=pushed(sha) if same_tree else UNKNOWN_TREE
    )
    return Flip(failed=seen(run=41, sha=sha), passed=passed)


def base(passes: int = 0, failures: int = 0) -> BaseState:
    outcomes = [PASSED] * passes + [FAILED] * failures
    return BaseState(
        "main", tuple(seen(outcome, run=1 + i, sha=Sha(f"{i:040x}")) for i, outcome in enumerate(outcomes))
    )


def streak(commits: int, base: Sha | None = None) -> MainStreak:
    """That many commits of main that failed alike, in runs 61, 62 and so on; `base` as for a pull request."""
    return MainStreak(
        tuple(seen(run=61 + n, sha=Sha(f"{n + 1}f" * 20), branch="main") for n in range(commits)), base
    )


def repeats(count: int) -> tuple[Observation, ...]:
    """Further attempts of the judged run that failed on its tree: with the failure itself, `count` + 1."""
    return tuple(seen(attempt=2 + i) for i in range(count))


def evidence(**facts: object) -> Evidence:
    """A failure of a pull request with a clear signature, and nothing else known."""
    known: dict[str, object] = {
        "test": "tests/test_dcp.py::test_handoff",
        "failure": FAILURE,
        "signature": CLEAR,
        "change": PR,
    }
    return Evidence(**{**known, **facts})
