"""`flake-triage`: the root of the command line. Commands live in `worker/commands`."""

import sys

import typer
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError

from app.domain.errors import TriageError
from worker import says
from worker.commands import db, demo, ingest, serve, tasks, verdicts

cli = typer.Typer(
    name="flake-triage",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # a sentence in a box breaks where it cannot be copied
    help="Tells people who use GitHub Actions whether a red test is theirs, and why it failed. "
    "Settings come from FLAKE_TRIAGE_* variables.",
)
serve.register(cli)
demo.register(cli)
ingest.register(cli)
verdicts.register(cli)
cli.add_typer(tasks.commands, name="tasks")
cli.add_typer(db.commands, name="db")


def main() -> None:
    """Entry point: expected trouble becomes a sentence on stderr; a traceback is a bug of ours."""
    try:
        cli()
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False, include_context=False):
            says.progress(f"flake-triage: {_variable(problem['loc'])}: {problem['msg']}")
        sys.exit(says.WRONG_USE)
    except TriageError as error:
        says.progress(f"flake-triage: {error}")
    except DBAPIError as error:
        says.progress(f"flake-triage: database: {error.orig}")
    except OSError as error:
        says.progress(f"flake-triage: {error}")
    sys.exit(says.NOTHING_DONE)


def _variable(where: tuple[int | str, ...]) -> str:
    return "FLAKE_TRIAGE_" + "_".join(str(part) for part in where).upper()
