"""`flake-triage`: the root of the command line. Commands live in `worker/commands`."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer
from pydantic import ValidationError

from app import logs
from app.settings import Settings, unknown_variables
from worker import says, trouble
from worker.commands import (
    backup,
    bundle,
    db,
    demo,
    explain,
    groups,
    health,
    ingest,
    lint,
    read,
    replay,
    reports,
    retention,
    serve,
    tasks,
    verdict_show,
    verdicts,
    watch,
    workers,
    workflow,
)

cli = typer.Typer(
    name="flake-triage",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # a sentence in a box breaks where it cannot be copied
    help="Tells people who use GitHub Actions whether a red test is theirs, and why it failed. "
    "Settings come from FLAKE_TRIAGE_* variables.",
    epilog="Example: flake-triage verdicts --latest",
)
serve.register(cli)
watch.register(cli)
demo.register(cli)
ingest.register(cli)
verdicts.register(cli)
verdict_show.register(cli)
groups.register(cli)
reports.register(cli)
workers.register(cli)
replay.register(cli)
lint.register(cli)
read.register(cli)
explain.register(cli)
health.register(cli)
cli.add_typer(bundle.commands, name="bundle")
cli.add_typer(workflow.commands, name="workflow")
cli.add_typer(tasks.commands, name="tasks")
backup.register(db.commands)
cli.add_typer(db.commands, name="db")
cli.add_typer(retention.commands, name="retention")


def _show_version(is_asked: bool) -> None:
    if is_asked:
        says.text(f"flake-triage {version('flake-triage')}")
        raise typer.Exit


@cli.callback()
def _root(
    *,
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version.")
    ] = False,
) -> None:
    """The options before any command."""


def _hide_secrets() -> None:
    try:
        logs.hide_also(Settings().secrets)
    except ValidationError:
        return  # told by the command that needs them


def main() -> None:
    """Entry point: expected trouble becomes a sentence on stderr; a traceback is a bug of ours."""
    _hide_secrets()
    for name, meant in unknown_variables().items():
        says.progress(f"flake-triage: {name} is no setting{f'; is {meant} meant?' if meant else ''}")
    try:
        cli()
    except trouble.Expected as error:
        sys.exit(trouble.tell(error))
