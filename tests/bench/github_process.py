"""A stand-in GitHub that holds pull requests with one finished run each, and says when one is answered.

Run as `python github_process.py FOLDER PULLS JOBS TESTS RED`: writes each run's webhook into FOLDER as
`RUN.json`, prints where it serves as one line of JSON, then one line for each pull request that gets its
comment, with the machine's monotonic time.
"""

import json
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from junit_files import junit

from app.standin.server import StandIn
from app.standin.state import State
from app.standin.webhooks import Mailbox

REPO = "octo/lib"
BASE = "b" * 40
LOOK_S = 0.003


def main(folder: str, *counts: str) -> None:
    pulls, jobs, tests, red = map(int, counts)
    with StandIn.start() as standin:
        _build(standin.state, pulls, jobs, tests, red)
        mailbox = Mailbox(standin, url="", secret=None)
        for number in range(1, pulls + 1):
            letter = mailbox.workflow_run(number, "completed")
            (Path(folder) / f"{number}.json").write_bytes(letter.body)
        _say({"api_url": standin.api_url, "token": standin.state.token})
        _tell_comments(standin)


def _tell_comments(standin: StandIn) -> None:
    told: set[int] = set()
    while True:
        for comment in list(standin.state.talk.comments.values()):
            if comment.number not in told:
                told.add(comment.number)
                _say({"pull": comment.number, "at_s": time.monotonic(), "requests": standin.requests})
                standin.requests.clear()
        time.sleep(LOOK_S)


def _build(state: State, pulls: int, jobs: int, tests: int, red: int) -> None:
    at = state.now() - timedelta(minutes=2)
    state.add_repository(REPO, 42)
    state.add_commit(REPO, BASE, _tree(0), (), "Begin", "ann", at=at)
    state.set_branch(REPO, "main", BASE)
    for number in range(1, pulls + 1):
        head, branch = f"{number:040x}", f"topic-{number}"
        state.add_commit(REPO, head, _tree(number), (BASE,), f"Change {number}", "ann", at=at)
        state.set_branch(REPO, branch, head)
        state.add_pull(REPO, number, branch, head, "main", f"Change {number}", "ann", at=at)
        state.add_run(
            REPO, number, event="push", head_sha=head, head_branch=branch, at=at, pulls=(number,), actor="ann"
        )
        for job in range(jobs):
            _add_job(state, number, head, job, jobs, tests, red, at)
        state.complete_run(number, 1, "failure" if red else "success", at=at + timedelta(seconds=100))


def _add_job(
    state: State, run: int, head: str, job: int, jobs: int, tests: int, red: int, at: datetime
) -> None:
    name, ended = f"test ({job})", at + timedelta(seconds=90)
    state.add_job(
        REPO,
        run,
        1,
        run * jobs + job + 1,
        name,
        "failure" if red else "success",
        started_at=at + timedelta(seconds=5),
        completed_at=ended,
        log=_log(head, at),
        failed_step="Run tests" if red else None,
    )
    content = junit(tests, red=red, first=job * tests, seen=run)
    state.add_artifact(REPO, run, f"junit-{job}", {"junit.xml": content}, created_at=ended)


def _log(head: str, at: datetime) -> bytes:
    lines = [
        "##[group]Run actions/checkout@v5",
        "##[endgroup]",
        f"[command]/usr/bin/git checkout --progress --force {head}",
        "[command]/usr/bin/git log -1 --format=%H",
        head,
        "##[group]Run pytest",
        "##[endgroup]",
        *(f"tests/test_{number}.py ........................ [{number // 5}%]" for number in range(500)),
        "Post job cleanup.",
    ]
    return "".join(f"{at:%Y-%m-%dT%H:%M:%S}.0000000Z {line}\n" for line in lines).encode()


def _tree(number: int) -> str:
    return f"{number:039x}f"


def _say(words: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
