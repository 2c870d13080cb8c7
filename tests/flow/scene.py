"""A repository whose runs are told in a few words each: which jobs, what they left, how they ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from xml.sax.saxutils import escape, quoteattr

from fixtures_github import ManualClock

from app.standin.records import Artifact, Workflow
from app.standin.state import WORKFLOW, State

REPO = "acme/gefen"
PULL = 7
BRANCH = "topic"
BASE, HEAD, NEXT = "a" * 40, "b" * 40, "c" * 40
MERGE_OF_HEAD, ELSEWHERE, ON_MAIN = "d" * 40, "e" * 40, "f" * 40

FAILURE = """\
    def {name}():
        total = combine(parts)
>       assert total == {expected}
E       assert {seen} == {expected}

tests/test_combine.py:{line}: AssertionError"""


LINT = Workflow(7002, "lint", ".github/workflows/lint.yml")


@dataclass(frozen=True, slots=True)
class Case:
    """One test of a results file; `fails` is the text of its failure."""

    name: str
    fails: str | None = None
    skipped: bool = False

    @property
    def label(self) -> str:
        return f"tests.test_combine::{self.name}"


def failing(name: str, *, expected: int = 3, seen: int = 2, line: int = 14) -> Case:
    return Case(name, FAILURE.format(name=name, expected=expected, seen=seen, line=line))


PASSING = Case("test_parts_are_kept")
FAILING = failing("test_total_is_right")


def junit(*cases: Case) -> bytes:
    """A results file in pytest's manner."""
    told = "".join(_case(case) for case in cases)
    return (
        f'<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="{len(cases)}" '
        f'time="1.5">{told}</testsuite></testsuites>'
    ).encode()


def _case(case: Case) -> str:
    head = f'<testcase classname="tests.test_combine" name={quoteattr(case.name)} time="0.25"'
    if case.skipped:
        return f'{head}><skipped message="needs a network">needs a network</skipped></testcase>'
    if case.fails is None:
        return f"{head} />"
    message = next(line[1:].strip() for line in case.fails.splitlines() if line.startswith("E"))
    return f"{head}><failure message={quoteattr(message)}>{escape(case.fails)}</failure></testcase>"


@dataclass(frozen=True, slots=True)
class Made:
    """An artifact: files to be zipped, or one file as it is (`raw`)."""

    name: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    raw: tuple[str, bytes] | None = None
    expired: bool = False
    digest: str | None = None
    after: timedelta = timedelta(seconds=50)
    """From the run's start; a job runs from its 5th second to its 60th."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One job. Without `made`, a job with cases leaves `junit-NAME` with one file."""

    name: str
    cases: tuple[Case, ...] = ()
    made: tuple[Made, ...] | None = None
    conclusion: str | None = None
    prints: tuple[str, ...] = ()
    log: bytes | None = b""
    """Empty: a log is written from the rest. None: GitHub has none."""

    @property
    def ended(self) -> str:
        if self.conclusion is not None:
            return self.conclusion
        return "failure" if any(case.fails is not None for case in self.cases) else "success"

    @property
    def artifacts(self) -> tuple[Made, ...]:
        if self.made is not None:
            return self.made
        return (Made(f"junit-{self.name}", {"junit.xml": junit(*self.cases)}),) if self.cases else ()


class Scene:
    """Pull request 7 brings HEAD from its branch; main stands at BASE."""

    def __init__(self, state: State, clock: ManualClock, *, from_fork: bool = False) -> None:
        self.state, self.clock = state, clock
        self._jobs = 4001
        at = clock.now() - timedelta(days=2)
        state.add_repository(REPO, 42)
        for sha, parents in (
            (BASE, ()),
            (HEAD, (BASE,)),
            (NEXT, (HEAD,)),
            (ELSEWHERE, (BASE,)),
            (ON_MAIN, (BASE,)),
        ):
            state.add_commit(REPO, sha, sha[0] * 39 + "0", parents, f"Commit {sha[0]}", "ann", at=at)
        merge = f"Merge {HEAD} into {BASE}"
        state.add_commit(REPO, MERGE_OF_HEAD, HEAD[0] * 39 + "0", (BASE, HEAD), merge, "ann", at=at)
        state.set_branch(REPO, "main", BASE)
        state.set_branch(REPO, BRANCH, HEAD)
        state.add_pull(REPO, PULL, BRANCH, HEAD, "main", "Combine", "ann", at=at, from_fork=from_fork)

    def run(
        self,
        run_id: int,
        *jobs: Ran,
        event: str = "push",
        head: str = HEAD,
        branch: str = BRANCH,
        conclusion: str | None = None,
        attempt: int = 1,
        pulls: tuple[int, ...] = (PULL,),
        from_fork: bool = False,
        workflow: Workflow = WORKFLOW,
    ) -> int:
        """A finished run (or, by its number, a re-run), and the clock a little after its end."""
        at = self.clock.now()
        if attempt == 1:
            self.state.add_run(
                REPO,
                run_id,
                event=event,
                head_sha=head,
                head_branch=branch,
                at=at,
                pulls=() if branch == "main" else pulls,
                from_fork=from_fork,
                actor="ann",
                workflow=workflow,
            )
        else:
            self.state.add_attempt(REPO, run_id, at=at)
        for job in jobs:
            self._job(run_id, attempt, job, event, head, at)
        ends = {job.ended for job in jobs}
        told = conclusion or ("failure" if "failure" in ends else "success")
        self.state.complete_run(run_id, attempt, told, at=at + timedelta(seconds=65))
        self.clock.advance(seconds=90)
        return run_id

    def add_job(self, run_id: int, attempt: int, job_id: int, job: Ran, *, at: datetime) -> None:
        """A job as GitHub lists it, without artifacts: also one of an earlier attempt, listed again."""
        self.state.add_job(
            REPO,
            run_id,
            attempt,
            job_id,
            job.name,
            job.ended,
            started_at=at + timedelta(seconds=5),
            completed_at=at + timedelta(seconds=60),
            log=job.log,
            failed_step="Run tests" if job.ended == "failure" else None,
        )

    def artifact(self, run_id: int, made: Made, *, at: datetime) -> Artifact:
        return self.state.add_artifact(
            REPO,
            run_id,
            made.name,
            made.files,
            created_at=at + made.after,
            expired=made.expired,
            raw=made.raw,
            digest=made.digest,
        )

    def _job(self, run_id: int, attempt: int, job: Ran, event: str, head: str, at: datetime) -> None:
        self._jobs += 1
        log = job.log if job.log != b"" else job_log(event, head, job.prints, at=at)
        told = Ran(job.name, job.cases, conclusion=job.ended, log=log)
        self.add_job(run_id, attempt, self._jobs, told, at=at)
        for made in job.artifacts:
            self.artifact(run_id, made, at=at)


def job_log(event: str, head: str, prints: tuple[str, ...], *, at: datetime) -> bytes:
    """A checkout step that says which commit it took, then what the tests printed."""
    is_merge = event == "pull_request" and head == HEAD
    commit = MERGE_OF_HEAD if is_merge else head
    ref = f"refs/remotes/pull/{PULL}/merge" if is_merge else f"refs/remotes/origin/{BRANCH}"
    lines = [
        "##[group]Run actions/checkout@v5",
        "##[endgroup]",
        f"Syncing repository: {REPO}",
        f"[command]/usr/bin/git -c protocol.version=2 fetch --depth=1 origin +{commit}:{ref}",
        f"[command]/usr/bin/git checkout --progress --force {ref}",
        "[command]/usr/bin/git log -1 --format=%H",
        commit,
        "##[group]Run pytest",
        "##[endgroup]",
        *prints,
        "Post job cleanup.",
    ]
    return "".join(f"{at:%Y-%m-%dT%H:%M:%S}.0000000Z {line}\n" for line in lines).encode()
