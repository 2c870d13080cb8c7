"""`flake-triage verdicts`: what is thought of each failure, from the first verdict to the newest."""

import re
from collections import deque
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from app.clock import SystemClock
from app.logs import redact
from app.store import verdict_list
from app.store.verdict_list import ListedVerdict
from worker import says
from worker.commands.database import reading, repo_key
from worker.commands.tables import print_listing
from worker.commands.verdict_records import listed_record
from worker.says import JsonFlag, RepoOption

SHOWN_VERDICTS = 500
"""Rows that a person is shown."""
COLUMNS = ("id", "when (UTC)", "test", "kind", "strength", "whose", "run", "job")


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
    with reading("verdicts") as session:
        found = verdict_list.listed(session, repo=repo_key(session, repo), since=start, latest=latest)
        if as_json:
            for one in found:
                says.line(listed_record(one))
            return
        shown: deque[ListedVerdict] = deque(maxlen=SHOWN_VERDICTS)
        count = 0
        for count, one in enumerate(found, start=1):  # noqa: B007 - the count is wanted after the loop
            shown.append(one)
    if not shown:
        says.progress("No verdicts.")
        return
    print_listing(COLUMNS, [_row(one) for one in shown], name=2)
    if count > len(shown):
        says.progress(f"{count - len(shown):,} older ones are not shown; --since narrows, --json shows all.")


def _row(one: ListedVerdict) -> tuple[str, ...]:
    verdict = one.verdict
    return (
        str(one.id),
        f"{one.at:%Y-%m-%d %H:%M}",
        redact(one.test or "(no test named)"),
        verdict.kind.value,
        verdict.strength.value,
        verdict.whose.value,
        f"{one.run}/{one.attempt}",
        redact(one.job),
    )


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


def register(cli: typer.Typer) -> None:
    cli.command(epilog="Example: flake-triage verdicts --repo octo/lib --since 7d --latest")(verdicts)
