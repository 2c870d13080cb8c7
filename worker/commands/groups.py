"""`flake-triage groups`: which failures are one and the same, and what is thought of them."""

import typer

from app.logs import redact
from app.store import group_list
from app.store.group_list import ListedGroup
from worker import says
from worker.commands.database import reading, repo_key
from worker.commands.tables import print_listing
from worker.says import JsonFlag, RepoOption

LONGEST_TITLE = 70
COLUMNS = ("group", "test", "category", "state", "failures", "first seen (UTC)", "last seen (UTC)", "failure")


def groups(*, repo: RepoOption = None, as_json: JsonFlag = False) -> None:
    """List groups of failures, each one test in one failure mode; the last seen first.

    A group of several parameters of one test bears its name with [...]. State: flaky if it is a likely flake,
    suspect if it is a suspected one, else failing.
    """
    with reading("groups") as session:
        found = group_list.listed(session, repo=repo_key(session, repo))
        if as_json:
            for one in found:
                says.line(_record(one))
            return
        rows = [_row(one) for one in found]
    if rows:
        print_listing(COLUMNS, rows, name=1)
    else:
        says.progress("No groups.")


def _record(one: ListedGroup) -> dict[str, object]:
    return {
        "group": one.id,
        "test": one.test,
        "category": one.category.value,
        "first_seen": one.first_seen_at.isoformat(),
        "last_seen": one.last_seen_at.isoformat(),
        "failures": one.failures,
        "state": one.state,
        "title": one.title,
    }


def _row(one: ListedGroup) -> tuple[str, ...]:
    title = " ".join(redact(one.title).split())
    return (
        str(one.id),
        redact(one.test or "(no test named)"),
        one.category.value,
        one.state,
        str(one.failures),
        f"{one.first_seen_at:%Y-%m-%d %H:%M}",
        f"{one.last_seen_at:%Y-%m-%d %H:%M}",
        title if len(title) <= LONGEST_TITLE else f"{title[:LONGEST_TITLE]}...",
    )


def register(cli: typer.Typer) -> None:
    cli.command(epilog="Example: flake-triage groups --repo octo/lib --json")(groups)
