"""A red branch: why, since when, whose, and what to do now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import links, marks, parts, views
from app.dashboard.branch_parts import RedBranch
from app.dashboard.links import GitHubLinks
from app.dashboard.red_tests import by_urgency, red_tests
from app.domain.branch_state import BranchState, Streak
from app.domain.gap import Gap
from app.domain.ids import Sha
from app.domain.next_step import next_step
from app.domain.wording import counted, listed, sentence
from app.store import gaps, verdicts
from app.store.screens import attempt_lines, branches, failure_lines
from app.store.screens.attempt_lines import AttemptLine
from app.store.screens.branches import CommitLine, OpenAlert, Repository, Step
from app.store.screens.failure_lines import FailureLine
from app.store.verdicts import StoredVerdict

TESTS_SHOWN: Final = 8
FAILURES_READ: Final = 400
ALERTS_READ: Final = 200


@dataclass(frozen=True, slots=True)
class RedFacts:
    """All that the red branches need, each read by one statement for all of them."""

    lines: Mapping[int, AttemptLine]
    failures: Mapping[int, Sequence[FailureLine]]
    """By GitHub's id of the run: of all its attempts, without jobs that were run again since."""
    verdicts: Mapping[int, StoredVerdict]
    gaps: Mapping[int, Sequence[Gap]]
    alerts: Mapping[tuple[int, str], OpenAlert]
    between: Mapping[Step, tuple[Sha, ...] | None]
    commits: Mapping[tuple[int, Sha], CommitLine]


def read_facts(session: Session, lines: Sequence[AttemptLine], states: Mapping[int, BranchState]) -> RedFacts:
    by_key = {line.key: line for line in lines}
    newest = {by_key[streak.newest.key].run for state in states.values() for streak in state.streaks}
    red = [line.key for line in lines if line.run in newest]
    current = attempt_lines.current_jobs(session, red)
    failures: dict[int, list[FailureLine]] = {}
    for failure in failure_lines.of_attempts(session, red, limit=FAILURES_READ):
        if failure.job in current:
            failures.setdefault(by_key[failure.attempt].run, []).append(failure)
    missing: dict[int, list[Gap]] = {}
    for attempt, found in gaps.of_attempts(session, red).items():
        missing.setdefault(by_key[attempt].run, []).extend(gap for _job, gap in found)
    judged = [failure.key for found in failures.values() for failure in found]
    steps = [
        (repo, streak.last_green.sha, streak.first.sha)
        for repo, state in states.items()
        for streak in state.streaks[:1]
        if streak.last_green is not None
    ]
    between = branches.commits_between(session, steps)
    named = {(step[0], sha) for step, own in between.items() for sha in (*(own or ()), step[2])}
    firsts = {(repo, state.streaks[0].first.sha) for repo, state in states.items() if state.streaks}
    return RedFacts(
        lines=by_key,
        failures=failures,
        verdicts=verdicts.latest(session, judged),
        gaps=missing,
        alerts=branches.open_alerts(session, limit=ALERTS_READ),
        between=between,
        commits=branches.commit_lines(session, named | firsts),
    )


def red_branch(
    repo: Repository, streaks: Sequence[Streak], facts: RedFacts, github: GitHubLinks
) -> RedBranch:
    """The branch's red workflows together; what is said of time and commits is of the longest red."""
    longest = streaks[0]
    newest = [facts.lines[streak.newest.key] for streak in streaks]
    failures = [failure for line in newest for failure in facts.failures.get(line.run, ())]
    tests = red_tests(failures, facts.verdicts, with_whose=False)
    alert = facts.alerts.get((repo.key, repo.default_branch))
    commits, note = _commits(repo, longest, facts, github)
    green = longest.last_green
    return RedBranch(
        sentence=_why(alert, newest, failures, facts),
        tests=tests[:TESTS_SHOWN],
        more=None
        if len(tests) <= TESTS_SHOWN
        else parts.Link(f"{len(tests) - TESTS_SHOWN} more", links.to_run(longest.newest.key)),
        since_at=facts.lines[longest.first.key].completed_at,
        since=views.attempt(facts.lines[longest.first.key], github),
        since_is_exact=green is not None,
        last_green=None if green is None else views.attempt(facts.lines[green.key], github),
        commits=commits,
        commits_note=note,
        next_step=_next(newest, failures, facts),
        alert=None if alert is None else links.alert(repo.name, alert.issue, github),
        gaps=views.gaps(gap for line in newest for gap in facts.gaps.get(line.run, ())),
    )


def _why(
    alert: OpenAlert | None,
    newest: Sequence[AttemptLine],
    failures: Sequence[FailureLine],
    facts: RedFacts,
) -> str:
    """What the alert told, or, before there is one, what the newest red runs show, silence included."""
    if alert is not None and alert.sentence:
        return sentence(alert.sentence)
    if failures:
        words = [
            marks.badge(failure.ruling, opaque=False).mark.word
            for failure in sorted(failures, key=by_urgency)
        ]
        counts = {word: words.count(word) for word in words}
        said = listed(f"{word} ({count})" if len(counts) > 1 else word for word, count in counts.items())
        at_least = "at least " if len(failures) >= FAILURES_READ else ""
        return sentence(f"{at_least}{counted(len(failures), 'failure')}: {said}")
    if any(facts.gaps.get(line.run) for line in newest):
        return "The run is red and no failing test could be read from it; what is missing is listed below."
    if all(line.judged_at is None for line in newest):
        return "The run is red; its failures are being read."
    return "The run is red, and none of its results names a failing test."


def _next(newest: Sequence[AttemptLine], failures: Sequence[FailureLine], facts: RedFacts) -> str:
    first = min(failures, key=by_urgency, default=None)
    verdict = facts.verdicts.get(first.key) if first is not None else None
    if first is None or verdict is None:
        return f"Open run {newest[0].run} and look at its log."
    return sentence(next_step(verdict.verdict, f"run {facts.lines[first.attempt].run}", on_main=True))


def _commits(
    repo: Repository, streak: Streak, facts: RedFacts, github: GitHubLinks
) -> tuple[tuple[parts.Commit, ...], str]:
    """The commits that can have brought the red, and how complete that list is."""
    first = streak.first.sha
    green = streak.last_green
    own = facts.between.get((repo.key, green.sha, first)) if green is not None else None
    shas = own or (first,)
    found = tuple(_commit(repo, sha, facts, github) for sha in shas)
    if own:
        return found, f"all that came between the last green run and the first red one ({len(own)})"
    if green is not None and green.sha == first:
        return found, "the same commit was green before: the commit alone does not explain the red"
    return found, "the first red commit; others may have come with it"


def _commit(repo: Repository, sha: Sha, facts: RedFacts, github: GitHubLinks) -> parts.Commit:
    known = facts.commits.get((repo.key, sha))
    return parts.Commit(
        link=github.commit(repo.name, sha),
        subject=(known.subject if known else None) or "",
        author=(known.author if known else None) or "",
        pull=None if known is None or known.pull is None else github.pull(repo.name, known.pull),
    )
