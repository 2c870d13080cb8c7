"""`flake-triage verdicts`, `verdict show` and `groups`: what is thought of each failure, and why."""

import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.table import Table
from sqlalchemy.orm import Session

from app.clock import SystemClock
from app.domain.errors import Gone
from app.domain.ids import RepoName
from app.domain.judge import judge
from app.domain.policy import VerdictPolicy
from app.domain.verdict import Verdict
from app.domain.verdict_words import kind_words
from app.logs import redact
from app.settings import Settings
from app.store import evidence_json, group_list, repos, verdict_list
from app.store import verdicts as verdict_store
from app.store.group_list import ListedGroup
from app.store.session import read_only
from app.store.verdict_list import ListedVerdict
from worker import says
from worker.commands.database import existing_store
from worker.commands.tables import print_table
from worker.says import JsonFlag

RepoOption = Annotated[str | None, typer.Option("--repo", help="Only of this repository, owner/name.")]

SHOWN_VERDICTS = 500
"""Rows that a person is shown."""

verdict_commands = typer.Typer(no_args_is_help=True, help="Look at one verdict.")


@verdict_commands.callback()
def _group() -> None:
    """Look at one verdict."""


def verdicts(
    *,
    repo: RepoOption = None,
    since: Annotated[
        str | None, typer.Option(help="Only from this day or time on (2026-11-30), or of the last days (7d).")
    ] = None,
    latest: Annotated[bool, typer.Option("--latest", help="Only the newest on each failure.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """List verdicts, oldest first: one for each failed result, and one for each change of mind."""
    start = _since(since)
    with _session() as session:
        found = verdict_list.listed(session, repo=_key_of(session, repo), since=start, latest=latest)
        if as_json:
            for one in found:
                says.line(_record(one))
            return
        table = Table("id", "when (UTC)", "test", "what", "whose", "run", "job")
        shown: deque[ListedVerdict] = deque(maxlen=SHOWN_VERDICTS)
        count = 0
        for count, one in enumerate(found, start=1):  # noqa: B007 - the count is wanted after the loop
            shown.append(one)
        for one in shown:
            what, whose = kind_words(one.verdict), one.verdict.whose.value
            test, job = redact(one.test or "(no test named)"), redact(one.job)
            when, run = f"{one.at:%Y-%m-%d %H:%M}", f"{one.run}/{one.attempt}"
            table.add_row(str(one.id), when, test, what, whose, run, job)
    _print(table, "No verdicts.")
    if count > len(shown):
        says.progress(f"{count - len(shown):,} older ones are not shown; --since narrows, --json shows all.")


@verdict_commands.command("show", epilog="Example: flake-triage verdict show 17 --recompute")
def show_command(
    verdict: Annotated[int, typer.Argument(help="The verdict's id, as `verdicts` shows it.")],
    *,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Judge again from the stored facts, by today's rules.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show a verdict with its reasons and gaps. With --recompute, exit 1 if it would be another one today."""
    with _session() as session:
        found = verdict_list.one(session, verdict)
        again = _judged_again(session, verdict) if found is not None and recompute else None
    if found is None:
        raise Gone(f"verdict {verdict}", "there is none of this number")
    if as_json:
        told = {} if again is None else {"recomputed": _verdict(again), "same": again == found.verdict}
        says.line(_record(found) | {"policy": found.verdict.policy_version} | told)
    else:
        _print_verdict(found)
        if again is not None:
            _print_comparison(found.verdict, again)
    if again is not None and again != found.verdict:
        raise typer.Exit(says.CHECKED_BAD)


def groups(*, repo: RepoOption = None, as_json: JsonFlag = False) -> None:
    """List groups of failures, each one test in one failure mode; the last seen first."""
    with _session() as session:
        found = group_list.listed(session, repo=_key_of(session, repo))
        if as_json:
            for one in found:
                says.line(_group_record(one))
            return
        table = Table("group", "test", "category", "state", "failures", "first seen (UTC)", "last seen (UTC)")
        for one in found:
            seen = (f"{one.first_seen_at:%Y-%m-%d %H:%M}", f"{one.last_seen_at:%Y-%m-%d %H:%M}")
            test = redact(one.test or "(no test named)")
            table.add_row(str(one.id), test, one.category.value, one.state, str(one.failures), *seen)
    _print(table, "No groups.")


@contextmanager
def _session() -> Iterator[Session]:
    with existing_store(Settings(), subject="verdicts") as store, read_only(store) as session:
        yield session


def _key_of(session: Session, repo: str | None) -> int | None:
    if repo is None:
        return None
    key = repos.key_of(session, RepoName(repo))
    if key is None:
        raise Gone(repo, "nothing is known of this repository")
    return key


def _since(written: str | None) -> datetime | None:
    if written is None:
        return None
    try:
        if days := re.fullmatch(r"([0-9]{1,5})d", written):
            return SystemClock().now() - timedelta(days=int(days.group(1)))
        moment = datetime.fromisoformat(written)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter("--since takes a day such as 2026-11-30, or 7d") from error


def _judged_again(session: Session, verdict: int) -> Verdict:
    found = verdict_store.by_id(session, verdict)
    assert found is not None
    try:
        evidence = evidence_json.from_json(found[1])
    except ValueError as error:
        subject = f"verdict {verdict}"
        raise Gone(subject, "its facts were stored by a version that kept others") from error
    return judge(evidence, VerdictPolicy())


def _record(one: ListedVerdict) -> dict[str, object]:
    return {
        "id": one.id,
        "failure": one.failure,
        "repo": one.repo,
        "run": one.run,
        "attempt": one.attempt,
        "job": one.job,
        "test": one.test,
        **_verdict(one.verdict, group=one.group),
        "at": one.at.isoformat(),
    }


def _verdict(verdict: Verdict, **between: object) -> dict[str, object]:
    return {
        "kind": verdict.kind.value,
        "strength": verdict.strength.value,
        "whose": verdict.whose.value,
        **between,
        "cause": verdict.cause,
        "reasons": [
            {
                "kind": reason.kind.value,
                "strength": reason.strength.value,
                "text": reason.text,
                "runs": list(reason.runs),
            }
            for reason in verdict.reasons
        ],
        "gaps": [
            {"kind": gap.kind.value, "subject": gap.subject, "detail": gap.detail} for gap in verdict.gaps
        ],
    }


def _group_record(one: ListedGroup) -> dict[str, object]:
    return {
        "group": one.id,
        "test": one.test,
        "category": one.category.value,
        "first_seen": one.first_seen_at.isoformat(),
        "last_seen": one.last_seen_at.isoformat(),
        "failures": one.failures,
        "state": one.state,
    }


def _print_verdict(one: ListedVerdict) -> None:
    verdict = one.verdict
    says.text(f"Verdict {one.id} on {one.test or 'a job that failed without naming a test'}")
    says.text(f"  {kind_words(verdict)}; whose: {verdict.whose.value}")
    place = f"{one.repo}, run {one.run}, attempt {one.attempt}, job {one.job}"
    says.text(f"  {place}, judged {one.at:%Y-%m-%d %H:%M} UTC by policy {verdict.policy_version}")
    says.text("Reasons:" if verdict.reasons else "Reasons: none")
    for reason in verdict.reasons:
        runs = f" [runs {', '.join(str(run) for run in reason.runs)}]" if reason.runs else ""
        says.text(f"  {reason.strength.value:8}{reason.text}{runs}")
    says.text("Missing evidence:" if verdict.gaps else "Missing evidence: none known")
    for gap in verdict.gaps:
        says.text(f"  {gap.kind.value}: {gap.subject}: {gap.detail}")


def _print_comparison(stored: Verdict, again: Verdict) -> None:
    if stored == again:
        says.text("Judged again from the stored facts: the same.")
        return
    says.text(f"Judged again from the stored facts: {kind_words(again)}; whose: {again.whose.value}.")
    for reason in again.reasons:
        if reason not in stored.reasons:
            says.text(f"  now also: {reason.text}")
    for reason in stored.reasons:
        if reason not in again.reasons:
            says.text(f"  no longer: {reason.text}")


def _print(table: Table, nothing: str) -> None:
    if table.row_count:
        print_table(table)
    else:
        says.progress(nothing)


def register(cli: typer.Typer) -> None:
    cli.command(epilog="Example: flake-triage verdicts --repo octo/lib --since 7d --latest")(verdicts)
    cli.command(epilog="Example: flake-triage groups --repo octo/lib --json")(groups)
    cli.add_typer(verdict_commands, name="verdict")
