"""The first screen: is main red? One answer a repository, and the newest red runs anywhere."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import marks, views
from app.dashboard.contexts import Branch, RedRun
from app.dashboard.links import GitHubLinks
from app.dashboard.red_branch import RedFacts, read_facts, red_branch
from app.dashboard.views import by_urgency
from app.domain.branch_state import BranchState, Colour, TestedHead, branch_state
from app.domain.wording import counted
from app.store.screens import attempt_lines, branches, failure_lines
from app.store.screens.attempt_lines import AttemptLine
from app.store.screens.branches import Repository
from app.store.screens.failure_lines import FailureLine

LOOK_BACK: Final = timedelta(days=90)
"""A branch without a run in this time is not known, rather than as green as it once was."""
REPOSITORIES: Final = 50
RUNS_EACH: Final = 30
RED_RUNS: Final = 12
FAILURES_READ: Final = 400
BADGES_SHOWN: Final = 4


def branch_views(session: Session, github: GitHubLinks, *, now: datetime) -> tuple[Branch, ...]:
    """Red branches first, then by name. Nine statements, however many repositories there are."""
    repositories = branches.repositories(session, limit=REPOSITORIES)
    lines = attempt_lines.on_default_branches(session, since=now - LOOK_BACK, each=RUNS_EACH)
    by_repo: dict[int, list[AttemptLine]] = {}
    for line in lines:
        by_repo.setdefault(line.repo, []).append(line)
    states = {repo.key: branch_state(_heads(by_repo.get(repo.key, []))) for repo in repositories}
    facts = read_facts(session, lines, states)
    found = [
        _branch(repo, states[repo.key], by_repo.get(repo.key, []), facts, github) for repo in repositories
    ]
    return tuple(sorted(found, key=lambda branch: branch.red is None))


def _heads(lines: Sequence[AttemptLine]) -> list[TestedHead]:
    return [
        TestedHead(line.key, str(line.workflow_id), line.head_sha, line.conclusion, line.started_at)
        for line in lines
    ]


def _branch(
    repo: Repository, state: BranchState, lines: Sequence[AttemptLine], facts: RedFacts, github: GitHubLinks
) -> Branch:
    said = {
        Colour.RED: f"{repo.default_branch} is red",
        Colour.GREEN: f"{repo.default_branch} is green",
        Colour.UNKNOWN: f"whether {repo.default_branch} is red is not known",
    }
    newest = facts.lines[state.newest.key] if state.newest is not None else None
    return Branch(
        repo=repo.name,
        name=repo.default_branch,
        mark=marks.OF_COLOUR[state.colour],
        headline=said[state.colour],
        newest=None if newest is None else views.attempt(newest, github),
        red=red_branch(repo, state.streaks, facts, github) if state.streaks else None,
        strip=tuple(views.attempt(line, github) for line in reversed(lines)),
    )


def red_runs(session: Session, github: GitHubLinks) -> tuple[RedRun, ...]:
    """The newest red runs of any branch and pull request."""
    lines = attempt_lines.newest_red(session, limit=RED_RUNS)
    failures: dict[int, list[FailureLine]] = {}
    for failure in failure_lines.of_attempts(session, [line.key for line in lines], limit=FAILURES_READ):
        failures.setdefault(failure.attempt, []).append(failure)
    return tuple(_red_run(line, sorted(failures.get(line.key, ()), key=by_urgency), github) for line in lines)


def _red_run(line: AttemptLine, failures: Sequence[FailureLine], github: GitHubLinks) -> RedRun:
    badges = {
        (badge.mark, badge.whose, badge.opaque): badge
        for badge in (
            marks.badge(one.ruling, opaque=one.opaque, with_whose=line.pull is not None) for one in failures
        )
    }
    said = counted(len(failures), "failure") if failures else "no failing test read"
    return RedRun(views.attempt(line, github), said, tuple(badges.values())[:BADGES_SHOWN])
