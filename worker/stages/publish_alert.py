"""Sixth stage, for a branch: one alert while it is red, kept up to date, closed once it is green."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from app.domain.alert_words import red_told
from app.domain.branch_state import BranchState, Colour, TestedHead, branch_state
from app.domain.commit_state import unread_keys
from app.domain.errors import Gone
from app.domain.failure_entry import FailureLine
from app.domain.ids import RepoName, Sha
from app.domain.main_alert import (
    AlertEvent,
    AlertStep,
    AllClear,
    Candidate,
    MainAlert,
    render_alert,
    render_double,
)
from app.domain.marker import alert_marker, find_marker
from app.github.facts import Issue
from app.logs import hide
from app.store import commits, reports, repos, runs, seen_jobs
from app.store.commit_index import CommitIndex
from app.store.reports import Alert, AlertState
from app.store.run_values import JobExecution, StoredAttempt
from app.store.session import read_only, unit_of_work
from app.store.unproven import Red as OpenRed
from app.store.unproven import unproven
from worker.deps import Deps, Payload
from worker.report_lines import current_executions, failure_lines, red_lines, tested, without_secrets
from worker.weighing.history import History


@dataclass(frozen=True, slots=True)
class Red:
    """`first` is the first red attempt; `last_green` the newest green commit before it, if seen."""

    first: StoredAttempt
    last_green: Sha | None


LABEL = "flake-triage"
LOOKED_AT = 200
"""Newest attempts of the branch; a longer unbroken red is told as that long at least."""
CANDIDATES = 50
NOT_PASSED = " not passed since"


def publish_alert(deps: Deps, payload: Payload) -> None:
    """Open, update or close. Safe to repeat: what GitHub holds is read before a write.

    With posting switched off the alert is kept, and GitHub is not asked.
    """
    repo, branch = payload["repo"], payload["branch"]
    with read_only(deps.store) as session:
        known = reports.open_alert(session, repo, branch)
        wanted = _wanted(session, repo, branch, known, deps)
    posts = deps.settings.post
    if wanted is None or (wanted == known and (wanted.is_posted or not posts)):
        return
    issue = _publish(deps, wanted) if posts else wanted.issue
    with unit_of_work(deps.store) as session:
        reports.save_alert(session, replace(wanted, issue=issue, is_posted=posts))


def _wanted(session: Session, repo: int, branch: str, known: Alert | None, deps: Deps) -> Alert | None:
    if not repos.has_name(session, repo):  # another repository bears it now, which must not hear of this
        return None
    found = seen_jobs.borne_out(session, runs.attempts_on(session, repo, branch, limit=LOOKED_AT))
    by_key = {one.id: one for one in found if one.is_judged}
    state = branch_state([_head(one) for one in by_key.values()])
    if state.colour is Colour.RED:
        return _red(session, repo, branch, known, state, by_key, deps)
    if state.colour is not Colour.GREEN or known is None or state.newest is None:
        return None
    if unread_keys(tested(found), by_key.keys()):
        return None
    newest = by_key[state.newest.key]
    reds = unproven(session, {one.id for one in by_key.values() if one.completed_at >= known.opened_at})
    return _doubted(session, known, newest, reds, deps) if reds else _closed(session, known, newest, deps)


def _head(attempt: StoredAttempt) -> TestedHead:
    return TestedHead(
        key=attempt.id,
        workflow=str(attempt.workflow_id),
        sha=attempt.head_sha,
        conclusion=attempt.conclusion,
        at=attempt.started_at,
    )


def _red(
    session: Session,
    repo: int,
    branch: str,
    known: Alert | None,
    state: BranchState,
    by_key: dict[int, StoredAttempt],
    deps: Deps,
) -> Alert:
    streak = state.streaks[0]
    first, newest = by_key[streak.first.key], by_key[streak.newest.key]
    alert = known or Alert(
        repo=repo,
        branch=branch,
        state=AlertState.OPEN,
        opened_on=first.head_sha,
        opened_at=first.completed_at,
    )
    lines = failure_lines(session, _red_now(session, state, by_key))
    said = red_told(lines)
    step = AlertStep.UPDATED if alert.history else AlertStep.OPENED
    if not alert.history or alert.history[-1].text != said:
        event = AlertEvent(newest.completed_at, step, newest.head_sha, said, newest.run)
        alert = replace(alert, history=(*alert.history, event))
    last_green = streak.last_green.sha if streak.last_green else None
    return _told(session, alert, lines, Red(first, last_green), deps, all_clear=None)


def _red_now(session: Session, state: BranchState, by_key: dict[int, StoredAttempt]) -> list[JobExecution]:
    """The current jobs of each red workflow's newest run, earlier attempts of that run among them."""
    newest = {by_key[streak.newest.key].run for streak in state.streaks}
    return current_executions(session, [one for one in by_key.values() if one.run in newest])


def _doubted(
    session: Session, known: Alert, passed: StoredAttempt, reds: Sequence[OpenRed], deps: Deps
) -> Alert:
    """A run that passed without what had failed ends nothing: the alert stays, and says so."""
    has = "has" if len(reds) == 1 else "have"
    told = f"run {passed.run} passed, but {len(reds)} that failed {has}{NOT_PASSED}"
    alert = known
    if not known.history or known.history[-1].text != told:
        event = AlertEvent(passed.completed_at, AlertStep.UPDATED, passed.head_sha, told, passed.run)
        alert = replace(known, history=(*known.history, event))
    return _told(session, alert, red_lines(session, reds), None, deps, all_clear=None)


def _closed(session: Session, known: Alert, green: StoredAttempt, deps: Deps) -> Alert:
    told = "green again"
    event = AlertEvent(green.completed_at, AlertStep.CLOSED, green.head_sha, told, green.run)
    alert = replace(
        known,
        state=AlertState.CLOSED,
        closed_on=green.head_sha,
        closed_at=green.completed_at,
        history=(*known.history, event),
    )
    clear = AllClear(green.head_sha, green.run, green.completed_at)
    return _told(session, alert, _lines_at(session, known), None, deps, all_clear=clear)


def _lines_at(session: Session, alert: Alert) -> tuple[FailureLine, ...]:
    """What had failed when a red run was last told."""
    red = [event for event in alert.history if not event.text.endswith(NOT_PASSED)]
    last = (red or alert.history)[-1]
    attempts = runs.attempts_at(session, alert.repo, last.sha)
    ran = [one for one in attempts if one.run == last.run]
    return failure_lines(session, current_executions(session, ran))


def _told(
    session: Session,
    alert: Alert,
    lines: tuple[FailureLine, ...],
    red: Red | None,
    deps: Deps,
    *,
    all_clear: AllClear | None,
) -> Alert:
    name, linked = repos.name_of(session, alert.repo), deps.settings.linked_url
    text = render_alert(
        MainAlert(
            repo=name,
            branch=alert.branch,
            red_since=alert.opened_on,
            opened_at=alert.opened_at,
            failures=lines,
            dashboard_url=None if linked is None else f"{linked}/?repo={name}",
            candidates=_candidates(session, alert.repo, red) if red else (),
            last_green=red.last_green if red else None,
            history=alert.history,
            all_clear=all_clear,
            github_url=deps.settings.github_url,
            pages_url=linked,
        ),
        limit_bytes=deps.settings.comment_bytes,
    )
    return replace(alert, title=hide(text.title), body=without_secrets(text.body))


def _candidates(session: Session, repo: int, red: Red) -> tuple[Candidate, ...]:
    """The commits since the last green one, newest first."""
    history = History(session, CommitIndex(repo))
    ordered = history.newest_first(history.since(red.last_green, red.first.head_sha))
    facts = commits.by_sha(session, repo, ordered)
    known = [(sha, facts.get(sha)) for sha in ordered[:CANDIDATES]]
    return tuple(
        Candidate(sha, (one.subject or "") if one else "", one.author if one else None) for sha, one in known
    )


def _publish(deps: Deps, alert: Alert) -> int | None:
    """The number of the issue that now holds the alert; None where the repository takes no issues."""
    with read_only(deps.store) as session:
        name = repos.name_of(session, alert.repo)
    try:
        there = _there(deps, alert, name)
        for place, issue in enumerate(there, start=1):
            if _made_so(deps, alert, name, issue):
                _close_doubles(deps, alert, name, issue, there[place:])
                return issue.number
        if alert.state is AlertState.CLOSED:
            return None
        new = deps.github.create_issue(name, title=alert.title, body=alert.body, labels=(LABEL,))
    except Gone:  # issues are switched off: the alert stays on the dashboard
        return None
    return new.number


def _made_so(deps: Deps, alert: Alert, name: RepoName, there: Issue) -> bool:
    """Bring the issue to what the alert says; False where somebody deleted it."""
    state = "open" if alert.state is AlertState.OPEN else "closed"
    if (there.title, there.body, there.state) == (alert.title, alert.body, state):
        return True
    try:
        deps.github.edit_issue(
            name,
            there.number,
            title=alert.title,
            body=alert.body,
            state=state,
            state_reason="completed" if state == "closed" else None,
        )
    except Gone:
        return False
    return True


def _close_doubles(deps: Deps, alert: Alert, name: RepoName, kept: Issue, doubles: Sequence[Issue]) -> None:
    """Left by a worker that froze between looking and writing, and was woken after another had written."""
    body = render_double(name, alert.branch, kept.number)
    for double in doubles:
        with suppress(Gone):  # somebody deleted it meanwhile
            deps.github.edit_issue(name, double.number, body=body, state="closed", state_reason="not_planned")


def _there(deps: Deps, alert: Alert, name: RepoName) -> list[Issue]:
    """The issues of this alert: the one we remember, whatever people made of it, then those that are open,
    bear our marker and are written by us, the oldest first.
    """
    marker, we = alert_marker(name, alert.branch), deps.github.whoami()
    found = [
        issue
        for issue in deps.github.issues(name, state="all" if alert.issue else "open", labels=(LABEL,))
        if issue.number == alert.issue
        or (issue.state == "open" and find_marker(issue.body) == marker and _is_ours(issue, we))
    ]
    return sorted(found, key=lambda issue: (issue.number != alert.issue, issue.number))


def _is_ours(issue: Issue, we: str | None) -> bool:
    """Anyone can copy a marker. A token that has no user writes as an App, whose name no person can have."""
    return issue.author == we if we is not None else issue.author.endswith("[bot]")
