"""What is new in the store since it was last asked: one piece of news a line, for people and for programs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from app.domain.ids import RepoName
from app.domain.look_trouble import renamed_told, trouble_told
from app.domain.verdict import EvidenceKind, Kind, Verdict
from app.domain.wording import counted
from app.store import tasks, verdict_list, watch
from app.store.reports import AlertState
from app.store.screens import attempts_judged, report_lines
from app.store.screens.attempts_judged import JudgedAttempt
from app.store.screens.report_lines import ReportLine
from app.store.tasks import TaskState
from app.store.verdict_list import ListedVerdict
from app.store.watch import Watched
from worker.commands.verdict_records import listed_record

AT_ONCE = 200
REPORTS = 50
LONG_WAIT = timedelta(seconds=20)
"""Shorter waits between two tries are nobody's business."""

SHOWN_LINES = 40


@dataclass(frozen=True, slots=True)
class News:
    """`record` is what a program reads: the kind of news in `event`, then its facts."""

    sentence: str
    record: Mapping[str, Any]


class Newsroom:
    """Remembers what it has told. Everything that was there before `begins_at` is old."""

    def __init__(self, session: Session, names: Iterable[RepoName], *, begins_at: datetime) -> None:
        self._names = {name.lower() for name in names}
        self._begins_at = begins_at
        self._attempts_since = self._verdicts_since = begins_at
        self._looks: dict[str, datetime | None] = {}
        self._attempts: set[int] = set()
        self._verdicts: set[int] = set()
        self._waits: set[str] = set()
        self._bodies = {_name(one): one.body for one in report_lines.newest(session, limit=REPORTS)}

    @property
    def runs_told(self) -> int:
        return len(self._attempts)

    def since_last(self, session: Session, *, now: datetime) -> Iterator[News]:
        """Looks, then runs, then verdicts, then what waits; each once."""
        yield from self._new_looks(session)
        yield from self._new_attempts(session)
        yield from self._new_verdicts(session)
        yield from self._new_waits(session, now)

    def reports(self, session: Session) -> Iterator[News]:
        """Comments and alerts whose text has changed; asked for when nothing is being read."""
        for one in reversed(report_lines.newest(session, limit=REPORTS)):
            if self._bodies.get(_name(one)) != one.body:
                self._bodies[_name(one)] = one.body
                yield _report(one)

    def watched(self, session: Session) -> list[Watched]:
        """The repositories asked for that have been looked at since the beginning, whatever came of it."""
        return [
            one for one in self._mine(session) if one.tried_at is not None and one.tried_at >= self._begins_at
        ]

    def _mine(self, session: Session) -> list[Watched]:
        return [one for one in watch.listed(session) if one.key in self._names]

    def _new_looks(self, session: Session) -> Iterator[News]:
        for one in self.watched(session):
            is_first = one.key not in self._looks
            if self._looks.get(one.key) != one.tried_at:
                self._looks[one.key] = one.tried_at
                if is_first or one.trouble is not None or one.seen.ordered:
                    yield _look(one, is_first=is_first, before=self._before(session, one))

    def _before(self, session: Session, one: Watched) -> str:
        """What is known of it from an earlier time; empty where nothing is."""
        known = attempts_judged.runs_known(session, one.key)
        if not known:
            return ""
        alerts = report_lines.newest(session, limit=REPORTS)
        red = [f"the alert on {each.branch} is open" for each in alerts if _is_open(each, one)]
        return "; ".join([f"{counted(known, 'run')} known from before", *red])

    def _new_attempts(self, session: Session) -> Iterator[News]:
        for one in attempts_judged.judged_since(session, self._attempts_since, limit=AT_ONCE):
            self._attempts_since = one.judged_at
            if one.key not in self._attempts:
                self._attempts.add(one.key)
                yield _attempt(one)

    def _new_verdicts(self, session: Session) -> Iterator[News]:
        for one in verdict_list.listed(session, since=self._verdicts_since):
            self._verdicts_since = one.at
            if one.id not in self._verdicts:
                self._verdicts.add(one.id)
                yield _verdict(one)

    def _new_waits(self, session: Session, now: datetime) -> Iterator[News]:
        for task in tasks.newest(session, state=TaskState.WAITING, limit=1):
            if task.next_at is None or task.next_at - now < LONG_WAIT:
                continue
            words = f"waits until {task.next_at:%H:%M} UTC: {task.error}"
            if words not in self._waits:
                self._waits.add(words)
                yield News(words, {"event": "wait", "until": task.next_at.isoformat(), "reason": task.error})


def _is_open(report: ReportLine, one: Watched) -> bool:
    return report.state == AlertState.OPEN and report.repo_name.lower() == one.key


def _look(one: Watched, *, is_first: bool, before: str) -> News:
    seen = one.seen
    record = {
        "event": "look",
        "repo": one.name,
        "found": seen.found,
        "reading": seen.ordered,
        "unread": seen.left_unread,
        "trouble": one.trouble,
        "reason": one.trouble_told or None,
    }
    if one.trouble is not None:
        return News(f"{one.name}: {trouble_told(one.trouble, one.trouble_told)}", record)
    said = f"{one.name}: {counted(seen.found, 'run')} listed, reading {seen.ordered}"
    if before and not seen.ordered:
        said = f"{one.name}: nothing new; {before}"
    if is_first and seen.left_unread:
        said += f", the default branch and pull requests first; {seen.left_unread} more not read"
    if seen.renamed_to is not None:
        said += f"; it {renamed_told(seen.renamed_to)}"
    return News(said, record)


def _attempt(one: JudgedAttempt) -> News:
    where = f"pull request #{one.pull}" if one.pull is not None else one.branch or "no branch"
    again = f", attempt {one.attempt}" if one.attempt > 1 else ""
    failed = f", {counted(one.failures, 'failure')}" if one.failures else ""
    said = f"{one.repo_name}: run {one.run}{again} of {one.workflow} ({one.event}, {where}): "
    record = {
        "event": "run",
        "repo": one.repo_name,
        "run": one.run,
        "attempt": one.attempt,
        "workflow": one.workflow,
        "trigger": one.event,
        "branch": one.branch,
        "pull": one.pull,
        "conclusion": one.conclusion,
        "failures": one.failures,
    }
    return News(f"{said}{one.conclusion or 'no conclusion'}{failed}", record)


def _verdict(one: ListedVerdict) -> News:
    verdict = one.verdict
    name = one.test or f"{one.job} (no test named)"
    run = f"run {one.run}" if one.attempt == 1 else f"run {one.run}, attempt {one.attempt}"
    answers = f"{verdict.kind} ({verdict.strength}), whose: {verdict.whose}"
    said = f"  {run}: {name}: {answers}{_telling(verdict)}"
    return News(said, {"event": "verdict", **listed_record(one)})


def _telling(verdict: Verdict) -> str:
    """The one reason that tells most: what decided, or else what is missing for a decision."""
    reasons = list(verdict.reasons)
    if verdict.kind is Kind.UNDECIDED:
        reasons.sort(key=lambda one: one.kind is not EvidenceKind.NOT_EXCLUDED)
    return f" - {reasons[0].text}" if reasons else ""


def _report(one: ReportLine) -> News:
    what = (
        f"comment on pull request #{one.pull}"
        if one.pull is not None
        else f"alert on {one.branch}, {one.state}"
    )
    fate = "posted" if one.is_posted else "kept here, not posted"
    lines = one.body.splitlines()
    body = "\n".join(f"  | {line}" for line in lines[:SHOWN_LINES])
    more = (
        f"\n  | ... {len(lines) - SHOWN_LINES} more lines on the page of reports"
        if len(lines) > SHOWN_LINES
        else ""
    )
    record = {
        "event": "report",
        "repo": one.repo_name,
        "pull": one.pull,
        "branch": one.branch,
        "state": one.state,
        "posted": one.is_posted,
        "body": one.body,
    }
    return News(f"\n{one.repo_name}: {what} ({fate}):\n{body}{more}\n", record)


def _name(one: ReportLine) -> tuple[str, int | None, str | None, str]:
    """An alert on one branch can be opened again: its first line tells the episodes apart."""
    return one.repo_name.lower(), one.pull, one.branch, one.title
