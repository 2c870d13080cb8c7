"""`flake-triage reports`: what people were told on GitHub, or would have been."""

from typing import Annotated

import typer

from app.domain.marker import without_marker
from app.store.screens import report_lines
from app.store.screens.report_lines import ReportLine
from worker import says
from worker.commands.database import reading, repo_key
from worker.says import JsonFlag, RepoOption

SHOWN = 20


def reports(
    *,
    repo: RepoOption = None,
    pull: Annotated[int | None, typer.Option(min=1, help="Only the comment on this pull request.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the comments and alerts, newest first, each with its text; those that are only kept here too."""
    with reading("reports") as session:
        found = report_lines.newest(session, repo=repo_key(session, repo), pull=pull, limit=SHOWN)
    if as_json:
        for one in found:
            says.line(report_record(one))
        return
    if not found:
        says.progress("No reports.")
    for one in found:
        what = f"comment on #{one.pull}" if one.pull is not None else f"alert on {one.branch} ({one.state})"
        fate = "posted" if one.is_posted else "kept here, not posted"
        as_of = "" if one.pull is not None else "as of "  # an alert's time is that of the run it tells of
        says.text(f"{one.repo_name}: {what}, {fate}, {as_of}{one.at:%Y-%m-%d %H:%M} UTC")
        for line in (one.title, *without_marker(one.body).splitlines()):
            says.text(f"  {line}")
        says.text("")


def report_record(one: ReportLine) -> dict[str, object]:
    return {
        "repo": one.repo_name,
        "pull": one.pull,
        "branch": one.branch,
        "state": one.state,
        "title": one.title,
        "body": one.body,
        "posted": one.is_posted,
        "at": one.at.isoformat(),
    }


def register(cli: typer.Typer) -> None:
    cli.command(epilog="Example: flake-triage reports --repo octo/lib --pull 7")(reports)
