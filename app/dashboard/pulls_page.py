"""Pull requests that are red now, newest first."""

from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import links, marks, parts
from app.dashboard.branch_parts import PullLine
from app.dashboard.commit_facts import CommitFacts, read_commits
from app.dashboard.contexts import PullsPage
from app.dashboard.links import GitHubLinks
from app.dashboard.red_tests import badges_of
from app.domain.branch_state import Colour
from app.domain.run import PullRequest
from app.domain.wording import counted
from app.store import repos
from app.store.screens import attempt_lines
from app.store.screens.attempt_lines import AttemptLine

RED_ATTEMPTS_READ: Final = 300
PULLS_SHOWN: Final = 50
ATTEMPTS_READ: Final = 2000

PullKey = tuple[int, int]
"""A repository's key and the number of a pull request in it."""


def pulls_page(session: Session, github: GitHubLinks, *, now: datetime) -> PullsPage:
    """Those with a red attempt of late whose head is red still. Five statements, however many there are."""
    red = attempt_lines.red_of_pulls(session, limit=RED_ATTEMPTS_READ)
    newest: dict[PullKey, AttemptLine] = {}
    for line in red:
        if line.pull is not None:
            newest.setdefault((line.repo, line.pull), line)
    wanted = dict(list(newest.items())[:PULLS_SHOWN])
    known = repos.pulls(session, wanted)
    heads = {key: known[key].head_sha if key in known else line.head_sha for key, line in wanted.items()}
    lines = attempt_lines.at_heads(session, set(heads.values()), limit=ATTEMPTS_READ)
    at_head = {
        key: [
            line
            for line in lines
            if line.repo == key[0] and line.head_sha == sha and line.pull in {key[1], None}
        ]
        for key, sha in heads.items()
    }
    facts = read_commits(session, {key: found for key, found in at_head.items() if found})
    return PullsPage(
        title="Pull requests",
        section="pulls",
        asked_at=now,
        pulls=tuple(
            _line(found, key[1], known.get(key), github)
            for key, found in facts.items()
            if found.state.colour is Colour.RED
        ),
        left_out=f"Only the newest {PULLS_SHOWN} were looked at." if len(newest) > PULLS_SHOWN else "",
    )


def _line(facts: CommitFacts, number: int, pull: PullRequest | None, github: GitHubLinks) -> PullLine:
    newest = next(line for line in facts.lines if line.key == facts.state.newest)
    failures = counted(len(facts.told), "failure")
    at_least = "at least " if facts.is_cut else ""
    return PullLine(
        link=parts.Link(f"#{number}", links.to_pull(newest.repo_name, number)),
        repo=newest.repo_name,
        subject="" if pull is None else pull.title,
        state=_state(pull),
        mark=marks.OF_COLOUR[facts.state.colour],
        sentence=f"{at_least}{failures}" if facts.told else "no failing test read",
        badges=badges_of([(one.ruling, one.opaque) for one in facts.told], with_whose=True),
        commit=github.commit(newest.repo_name, newest.head_sha),
        completed_at=newest.completed_at,
    )


def _state(pull: PullRequest | None) -> str:
    """What was last heard of it; an open one needs no word."""
    if pull is None or pull.is_open:
        return ""
    return "closed" if pull.merged_at is None else "merged"
