"""One pull request: is this red mine? What failed at its newest head, and every run of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import marks, views
from app.dashboard.contexts import PullPage
from app.dashboard.links import GitHubLinks
from app.dashboard.red_tests import red_tests
from app.domain.branch_state import Colour, TestedHead, branch_state
from app.domain.ids import RepoName
from app.domain.verdict_words import shares_told
from app.domain.wording import counted, sentence, short
from app.store import gaps, repos, verdicts
from app.store.screens import attempt_lines, failure_lines
from app.store.screens.attempt_lines import AttemptLine
from app.store.screens.failure_lines import FailureLine
from app.store.verdicts import StoredVerdict

RUNS_READ: Final = 60
FAILURES_READ: Final = 400


def pull_page(
    session: Session, name: RepoName, number: int, github: GitHubLinks, *, now: datetime
) -> PullPage | None:
    """None if no run of such a pull request was ever recorded."""
    repo = repos.key_of(session, name)
    lines = [] if repo is None else attempt_lines.of_pull(session, repo, number, limit=RUNS_READ)
    if repo is None or not lines:
        return None
    at_head = [line for line in lines if line.head_sha == lines[0].head_sha]
    keys = [line.key for line in at_head]
    current = attempt_lines.current_jobs(session, keys)
    read = failure_lines.of_attempts(session, keys, limit=FAILURES_READ)
    failures = [failure for failure in read if failure.job in current]
    stored = verdicts.latest(session, [failure.key for failure in failures])
    colour = _colour(at_head)
    pull = repos.pull(session, repo, number)
    return PullPage(
        title=f"Pull request #{number}",
        section="main",
        asked_at=now,
        repo=lines[0].repo_name,
        subject=pull.title if pull is not None else "",
        mark=marks.OF_COLOUR[colour],
        github=github.pull(lines[0].repo_name, number),
        commit=github.commit(lines[0].repo_name, lines[0].head_sha),
        sentence=_sentence(colour, at_head, failures, list(stored.values())),
        tests=red_tests(failures, stored, with_whose=True),
        gaps=views.gaps(gap for found in gaps.of_attempts(session, keys).values() for _job, gap in found),
        runs=tuple(views.attempt(line, github) for line in lines),
    )


def _colour(at_head: Sequence[AttemptLine]) -> Colour:
    """One workflow run for two events counts twice, as it does in GitHub's list of checks."""
    heads = [
        TestedHead(
            line.key, f"{line.workflow_id} {line.event}", line.head_sha, line.conclusion, line.started_at
        )
        for line in at_head
    ]
    return branch_state(heads).colour


def _sentence(
    colour: Colour,
    at_head: Sequence[AttemptLine],
    failures: Sequence[FailureLine],
    stored: Sequence[StoredVerdict],
) -> str:
    head = short(at_head[0].head_sha)
    if colour is Colour.GREEN:
        return f"Green at {head}."
    if colour is Colour.UNKNOWN:
        return f"Nothing has decided yet whether {head} is red."
    if not failures:
        return f"Red at {head}, and no failing test was read from it: look at the runs below."
    number = counted(len(failures), "failure")
    if len(failures) >= FAILURES_READ:
        return f"More failures at {head} than a page can list; of the first {number}, all are below."
    if not stored:
        return f"{number} at {head}, not judged yet."
    return sentence(f"{number} at {head}: {shares_told([one.verdict for one in stored])}")
