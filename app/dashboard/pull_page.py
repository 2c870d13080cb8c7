"""One pull request: is this red mine? What failed at its head, what to do next, and every run of it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import links, marks, views
from app.dashboard.commit_facts import FAILURES_READ, CommitFacts, read_commits
from app.dashboard.contexts import PullPage
from app.dashboard.links import GitHubLinks
from app.dashboard.parts import Link
from app.dashboard.red_tests import red_tests
from app.domain.branch_state import Colour
from app.domain.ids import RepoName
from app.domain.run import PullRequest
from app.domain.verdict_words import shares_told
from app.domain.wording import counted, left_open, sentence, short
from app.store import gaps, reports, repos, verdicts
from app.store.reports import PublishedComment
from app.store.screens import attempt_lines, failure_lines
from app.store.screens.attempt_lines import AttemptLine
from app.store.screens.failure_lines import FailureLine
from app.store.unproven import unproven
from app.store.verdicts import StoredVerdict

RUNS_READ: Final = 60


def pull_page(
    session: Session, name: RepoName, number: int, github: GitHubLinks, *, now: datetime
) -> PullPage | None:
    """None if no run of such a pull request was ever recorded."""
    repo = repos.key_of(session, name)
    lines = [] if repo is None else attempt_lines.of_pull(session, repo, number, limit=RUNS_READ)
    if repo is None or not lines:
        return None
    pull = repos.pull(session, repo, number)
    at_head = _at_head(session, repo, number, pull, lines)
    facts = read_commits(session, {number: at_head})[number]
    doubts = _not_seen_to_pass(session, facts, [*lines, *at_head])
    failures = [*facts.told, *facts.passed_over, *doubts]
    stored = verdicts.latest(session, [failure.key for failure in failures])
    is_green = facts.state.colour is Colour.GREEN
    unread = {line.run for line in at_head if line.key in facts.unread}
    doubt = left_open(len(doubts), len(unread)) if is_green else ""
    told = [line.key for line in at_head if line.run in facts.state.told]
    comment = reports.comment(session, repo, number)
    shown_name = lines[0].repo_name
    runs = {line.key: line.run for line in at_head}
    return PullPage(
        title=f"Pull request #{number}",
        section="pulls",
        asked_at=now,
        repo=shown_name,
        subject=pull.title if pull is not None else "",
        mark=marks.NOT_PROVEN if doubt else marks.OF_COLOUR[facts.state.colour],
        github=github.pull(shown_name, number),
        comment=None if comment is None else _comment(shown_name, number, comment, github),
        commit=github.commit(shown_name, at_head[0].head_sha),
        sentence=f"No failure now, but not proven green: {doubt}."
        if doubt
        else _said(facts, [stored[one.key] for one in facts.told if one.key in stored]),
        pushed_since=_pushed_since(pull, at_head[0]),
        tests=red_tests(facts.told, stored, with_whose=True, runs=runs),
        doubts=red_tests(doubts, stored, with_whose=True),
        passed_over=red_tests(facts.passed_over, stored, with_whose=True),
        gaps=views.gaps(gap for found in gaps.of_attempts(session, told).values() for _job, gap in found),
        runs=tuple(views.attempt(line, github) for line in lines),
    )


def _comment(repo: RepoName, number: int, comment: PublishedComment, github: GitHubLinks) -> Link:
    if comment.github_id is None or not comment.is_posted:
        return Link("its comment, not posted", links.to_reports(repo, number))
    return github.comment(repo, number, comment.github_id)


def _at_head(
    session: Session, repo: int, number: int, pull: PullRequest | None, lines: list[AttemptLine]
) -> list[AttemptLine]:
    """Attempts at the head that the comment tells of; at the newest tested one until that was tested."""
    if pull is not None:
        found = attempt_lines.at_head(session, repo, pull.head_sha, pull=number, limit=RUNS_READ)
        if found:
            return found
    return [line for line in lines if line.head_sha == lines[0].head_sha]


def _not_seen_to_pass(
    session: Session, facts: CommitFacts, lines: Sequence[AttemptLine]
) -> list[FailureLine]:
    """What keeps a green head from being proven so: failed at any head, and not seen to pass since."""
    if facts.state.colour is not Colour.GREEN:
        return []
    reds = unproven(session, {line.key for line in lines if line.judged_at is not None})
    return failure_lines.by_keys(session, {red.failure for red in reds}, limit=FAILURES_READ)


def _pushed_since(pull: PullRequest | None, tested: AttemptLine) -> str:
    if pull is None or pull.head_sha == tested.head_sha:
        return ""
    return f"{short(pull.head_sha)} was pushed since, and no run of it is known yet."


def _said(facts: CommitFacts, judged: Collection[StoredVerdict]) -> str:
    """The colour with what it rests on, and what failed without turning anything red."""
    said = _colour_said(facts, judged)
    if not facts.passed_over:
        return said
    number = counted(len(facts.passed_over), "failure was", "failures were")
    return f"{said} {number} read from runs that passed all the same."


def _colour_said(facts: CommitFacts, judged: Collection[StoredVerdict]) -> str:
    number = counted(len(facts.told), "failure")
    if facts.state.colour is Colour.GREEN:
        return "Green: every workflow that decided has passed."
    if facts.state.colour is Colour.UNKNOWN:
        cut_off = f"; {number} in runs that were cut off" if facts.told else ""
        return f"Nothing has decided yet whether it is red{cut_off}."
    if not facts.told:
        return "Red, and no failing test was read from it: look at the runs below."
    if facts.is_cut:
        return f"More failures than a page can list; of the first {number}, all are below."
    told = f": {shares_told([one.verdict for one in judged])}" if judged else ", not judged yet"
    return sentence(f"{number}{told}")
