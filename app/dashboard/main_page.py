"""The first screen: is main red? One answer a repository, and the newest red runs anywhere."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import links, marks, views
from app.dashboard.branch_parts import Branch, Episode, RedBranch, RedRun
from app.dashboard.filters import ago
from app.dashboard.links import GitHubLinks
from app.dashboard.red_branch import read_facts, red_branch
from app.dashboard.red_tests import badges_of
from app.domain.branch_state import BranchState, Colour, TestedHead, branch_state
from app.domain.wording import claim, counted, sentence
from app.store.screens import attempt_lines, branches, failure_lines
from app.store.screens.attempt_lines import AttemptLine
from app.store.screens.branches import ClosedAlert, OpenAlert, Repository
from app.store.screens.failure_lines import Share

LOOK_BACK: Final = timedelta(days=90)
"""A branch without a run in this time is not known, rather than as green as it once was."""
REPOSITORIES: Final = 50
RUNS_EACH: Final = 30
RED_RUNS: Final = 12


def branch_views(session: Session, github: GitHubLinks, *, only: str, now: datetime) -> tuple[Branch, ...]:
    """Red branches first, then by name. Ten statements, however many repositories there are.

    `only` names one repository; empty means all.
    """
    repositories = [
        repo
        for repo in branches.repositories(session, limit=REPOSITORIES)
        if not only or repo.name.lower() == only.lower()
    ]
    keys = [repo.key for repo in repositories]
    lines = attempt_lines.on_default_branches(session, keys, since=now - LOOK_BACK, each=RUNS_EACH)
    ended = branches.last_closed(session, keys)
    by_repo: dict[int, list[AttemptLine]] = {}
    for line in lines:
        by_repo.setdefault(line.repo, []).append(line)
    heads: dict[int, list[TestedHead]] = {}
    for line in attempt_lines.borne_out(session, lines):
        heads.setdefault(line.repo, []).append(_head(line))
    states = {repo.key: branch_state(heads.get(repo.key, [])) for repo in repositories}
    facts = read_facts(session, lines, states)
    found = [
        _branch(
            repo,
            states[repo.key],
            by_repo.get(repo.key, []),
            red_branch(repo, states[repo.key].streaks, facts, github) if states[repo.key].streaks else None,
            _still_open(repo, facts.alerts.get((repo.key, repo.default_branch)), github),
            _last_red(repo, ended.get(repo.key), github, now),
            github,
        )
        for repo in repositories
    ]
    return tuple(sorted(found, key=lambda branch: branch.red is None))


def _head(line: AttemptLine) -> TestedHead:
    return TestedHead(line.key, str(line.workflow_id), line.head_sha, line.conclusion, line.started_at)


def _last_red(
    repo: Repository, ended: ClosedAlert | None, github: GitHubLinks, now: datetime
) -> Episode | None:
    if ended is None:
        return None
    because = f", with {claim(ended.sentence)}" if ended.sentence else ""
    return Episode(
        sentence=f"Last red {ago(ended.opened_at, now)}{because}; green again {ago(ended.closed_at, now)}.",
        alert=links.alert(repo.name, ended.issue, github),
    )


def _still_open(repo: Repository, alert: OpenAlert | None, github: GitHubLinks) -> Episode | None:
    if alert is None:
        return None
    return Episode(
        sentence=sentence(f"Its alert is open: {alert.sentence}"),
        alert=links.alert(repo.name, alert.issue, github),
    )


def _branch(
    repo: Repository,
    state: BranchState,
    lines: Sequence[AttemptLine],
    red: RedBranch | None,
    still_open: Episode | None,
    last_red: Episode | None,
    github: GitHubLinks,
) -> Branch:
    """An open alert on a branch of which nothing is red means that it is not proven green yet."""
    is_doubted = state.colour is Colour.GREEN and still_open is not None
    said = {
        Colour.RED: f"{repo.default_branch} is red",
        Colour.GREEN: f"{repo.default_branch} is green",
        Colour.UNKNOWN: f"whether {repo.default_branch} is red is not known",
    }
    newest = next((line for line in lines if state.newest is not None and line.key == state.newest.key), None)
    return Branch(
        repo=repo.name,
        name=repo.default_branch,
        mark=marks.NOT_PROVEN if is_doubted else marks.OF_COLOUR[state.colour],
        headline=f"{repo.default_branch} is not proven green" if is_doubted else said[state.colour],
        newest=None if newest is None else views.attempt(newest, github),
        red=red,
        episode=None if red is not None else still_open or last_red,
        strip=tuple(views.attempt(line, github) for line in reversed(lines)),
    )


def red_runs(session: Session, github: GitHubLinks) -> tuple[RedRun, ...]:
    """The newest red runs of any branch and pull request."""
    lines = attempt_lines.newest_red(session, limit=RED_RUNS)
    shares: dict[int, list[Share]] = {}
    for share in failure_lines.shares(session, [line.key for line in lines]):
        shares.setdefault(share.attempt, []).append(share)
    return tuple(_red_run(line, shares.get(line.key, []), github) for line in lines)


def _red_run(line: AttemptLine, shares: Sequence[Share], github: GitHubLinks) -> RedRun:
    badges = badges_of([(one.ruling, one.opaque) for one in shares], with_whose=line.pull is not None)
    number = sum(share.count for share in shares)
    said = counted(number, "failure") if number else "no failing test read"
    return RedRun(views.attempt(line, github), said, badges)
