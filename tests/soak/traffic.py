"""The life of a busy repository: commits, pull requests and runs, and the letters that GitHub writes of them.

Everything follows from a seed. One `next_run` is about 20 letters: what the run itself says, its jobs, checks
that are not for us, and copies; with their delays, so that ends arrive before beginnings.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from xml.sax.saxutils import escape

from app.standin.state import State
from app.standin.webhooks import Letter, Mailbox

REPO = "acme/busy"
TESTS = 40
"""In each of two jobs."""
JOBS = ("test (3.11)", "test (3.12)")
RUNS_A_PULL = 4
LONGEST_DELAY_S = 4.0
LASTS = timedelta(minutes=2)
"""From the beginning of a run to that of the next attempt; it ends half way."""
RED, RED_ON_MAIN, RERUN = 0.3, 0.2, 0.3
"""Shares of the runs, and of the red ones."""

_PLACE = "tests/test_busy.py:9: AssertionError"

_OTHERS = ("check_run", "check_run", "check_suite", "status", "push", "check_run")
"""Events that GitHub sends to an app that asked for too many."""


@dataclass(frozen=True, slots=True)
class Posted:
    after_s: float
    letter: Letter


@dataclass(slots=True)
class Told:
    """What was told to GitHub, to be compared with what the service knows in the end."""

    runs: int = 0
    attempts: set[tuple[int, int]] = field(default_factory=set)
    results: int = 0
    red: int = 0
    ever_red: set[int] = field(default_factory=set)
    """Pull requests that had a red run, at any head."""
    red_now: set[int] = field(default_factory=set)
    """Those whose newest run is red: whoever looks now must find a comment."""


class Traffic:
    """`told` is carried on from an earlier part, so that one repository lives on."""

    def __init__(self, state: State, mailbox: Mailbox, told: Told, *, seed: int) -> None:
        self.state, self.mailbox, self.told = state, mailbox, told
        self._random = random.Random(f"{seed} {told.runs}")

    def begin(self, at: datetime) -> None:
        self.state.add_repository(REPO, 77)
        self._commit("main", (), at)

    def next_run(self, at: datetime) -> Iterator[Posted]:
        """Let a run begin and end, as of now, and say when its letters are posted."""
        number = self.told.runs
        self.told.runs += 1
        if number % 6 == 5:
            run, red = self._run_on_main(at), self._random.random() < RED_ON_MAIN
        else:
            run, red = self._run_of_pull(number, at), self._random.random() < RED
        self._finish(run, 1, at - LASTS, is_red=red)
        yield from self._letters(run, 1)
        if red and self._random.random() < RERUN:
            self.state.add_attempt(REPO, run, at=at)
            self._finish(run, 2, at, is_red=False)
            yield from self._letters(run, 2)

    def _run_on_main(self, at: datetime) -> int:
        head = self._commit("main", (self.state.repository(REPO).branches["main"],), at)
        return self._add_run("push", head, "main", at)

    def _run_of_pull(self, number: int, at: datetime) -> int:
        pull = 1 + number // RUNS_A_PULL
        branch, main = f"topic-{pull}", self.state.repository(REPO).branches["main"]
        if pull not in self.state.repository(REPO).pulls:
            head = self._commit(branch, (main,), at)
            self.state.add_pull(REPO, pull, branch, head, "main", f"Topic {pull}", "ann", at=at)
        elif number % RUNS_A_PULL == 2:  # a push to it
            head = self._commit(branch, (self.state.repository(REPO).branches[branch],), at)
            self.state.push_to_pull(REPO, pull, head)
        head = self.state.repository(REPO).branches[branch]
        return self._add_run("push", head, branch, at, pull)

    def _add_run(self, event: str, head: str, branch: str, at: datetime, pull: int | None = None) -> int:
        run = 1_000_000 + self.told.runs
        pulls = () if pull is None else (pull,)
        self.state.add_run(
            REPO,
            run,
            event=event,
            head_sha=head,
            head_branch=branch,
            at=at - LASTS,
            pulls=pulls,
            actor="ann",
        )
        return run

    def _commit(self, branch: str, parents: tuple[str, ...], at: datetime) -> str:
        sha, tree = f"{self._random.getrandbits(160):040x}", f"{self._random.getrandbits(160):040x}"
        self.state.add_commit(REPO, sha, tree, parents, f"Change {branch}", "ann", at=at)
        self.state.set_branch(REPO, branch, sha)
        return sha

    def _finish(self, run: int, attempt: int, at: datetime, *, is_red: bool) -> None:
        """Let an attempt that began then be over."""
        found, ended_at = self.state.run(REPO, run), at + LASTS / 2
        failing = self._random.randrange(TESTS) if is_red else None
        for index, name in enumerate(JOBS):
            fails = failing if index == 0 else None
            self.state.add_job(
                REPO,
                run,
                attempt,
                (run * 10 + attempt) * 10 + index,
                name,
                "success" if fails is None else "failure",
                started_at=at + timedelta(seconds=5),
                completed_at=ended_at,
                log=_log(found.head_sha, found.head_branch or "", at),
                failed_step=None if fails is None else "Run the tests",
            )
            files = {"junit.xml": _junit(fails)}
            written_at = ended_at - timedelta(seconds=5)
            self.state.add_artifact(REPO, run, f"junit-{name}", files, created_at=written_at)
        self.state.complete_run(run, attempt, "failure" if is_red else "success", at=ended_at)
        self.told.attempts.add((run, attempt))
        self.told.results += TESTS * len(JOBS)
        self.told.red += int(is_red)
        self.told.red_now -= set(found.pulls)
        if is_red:
            self.told.ever_red |= set(found.pulls)
            self.told.red_now |= set(found.pulls)

    def _letters(self, run: int, attempt: int) -> Iterator[Posted]:
        write = self.mailbox.workflow_run
        own = [write(run, action, attempt=attempt) for action in ("requested", "in_progress", "completed")]
        others = [self._other(event, run) for event in _OTHERS]
        jobs = [self._other("workflow_job", run) for _ in range(3 * len(JOBS))]
        again = [own[-1], own[0], self._random.choice(jobs)]
        for letter in (*own, *others, *jobs, *again):
            yield Posted(self._random.uniform(0, LONGEST_DELAY_S), letter)

    def _other(self, event: str, run: int) -> Letter:
        """A letter that is kept and left alone."""
        like = self.mailbox.workflow_run(run, "in_progress")
        return Letter(event, like.guid, like.body)


def _junit(failing: int | None) -> bytes:
    cases = "".join(_case(index, fails=index == failing) for index in range(TESTS))
    return f'<testsuites><testsuite name="pytest" tests="{TESTS}">{cases}</testsuite></testsuites>'.encode()


def _case(index: int, *, fails: bool) -> str:
    head = f'<testcase classname="tests.test_busy" name="test_{index}" time="0.010"'
    if not fails:
        return f"{head}/>"
    lines = (f"def test_{index}():", f">   assert total == {index}", f"E   assert 2 == {index}", "", _PLACE)
    text = escape("\n".join(lines))
    return f'{head}><failure message="assert 2 == {index}">{text}</failure></testcase>'


def _log(head: str, branch: str, at: datetime) -> bytes:
    lines = [
        "##[group]Run actions/checkout@v5",
        "##[endgroup]",
        f"Syncing repository: {REPO}",
        f"[command]/usr/bin/git fetch --depth=1 origin +{head}:refs/remotes/origin/{branch}",
        "[command]/usr/bin/git log -1 --format=%H",
        head,
        "##[group]Run pytest",
        "##[endgroup]",
        *(f"tests/test_busy.py::test_{index} ran" for index in range(TESTS)),
        "Post job cleanup.",
    ]
    return "".join(f"{at:%Y-%m-%dT%H:%M:%S}.0000000Z {line}\n" for line in lines).encode()
