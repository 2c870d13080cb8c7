"""`flake-triage serve`, `web` and `worker`: the processes of the service."""

import os
from typing import Annotated

import typer

from app import logs
from app.settings import Settings
from worker import listening, says, supervisor
from worker.github_access import require_access
from worker.says import JsonFlag
from worker.upgrade import upgrade
from worker.web import run as run_web

Parent = Annotated[int | None, typer.Option(hidden=True, help="End when this parent process has ended.")]


Workers = Annotated[int, typer.Option(min=1, max=16, help="Workers; more than one need PostgreSQL.")]


def serve(*, workers: Workers = 1, as_json: JsonFlag = False, parent: Parent = None) -> None:
    """Run the whole service: the web and the worker, each restarted when it ends, until SIGTERM or Ctrl-C."""
    settings = Settings()
    settings.refuse_open_door()
    require_access(settings)
    logs.configure()
    service = supervisor.Supervisor(settings, workers=workers, as_json=as_json, parent=parent)
    upgrade(settings)
    raise typer.Exit(service.run())


def web(*, as_json: JsonFlag = False) -> None:
    """Run the web process alone: it takes GitHub's deliveries and shows the dashboard."""
    settings = Settings()
    settings.refuse_open_door()
    upgrade(settings)
    with listening.listen(settings) as listener:
        listening.announce(listener, settings, as_json=as_json)
        run_web(settings, listener)


def worker(*, as_json: JsonFlag = False) -> None:
    """Run the worker process alone; it logs to stderr what it does.

    On SQLite there is one for each data folder; on PostgreSQL any number share the work.
    """
    from worker.main import run  # noqa: PLC0415 - the engine takes most of a second to import
    from worker.stages import PIPELINE  # noqa: PLC0415 - the same

    settings = Settings()
    require_access(settings)
    logs.configure()
    upgrade(settings)
    if as_json:
        says.line(settings.place)
    if not run(settings, PIPELINE):
        os._exit(0)  # threads that did not end in time would hold the exit up; their tasks run again


def register(cli: typer.Typer) -> None:
    cli.command(epilog="Example: FLAKE_TRIAGE_DATA_DIR=/var/lib/flake-triage flake-triage serve")(serve)
    cli.command(epilog="Example: FLAKE_TRIAGE_PORT=8077 flake-triage web")(web)
    cli.command(epilog="Example: FLAKE_TRIAGE_WORKER_THREADS=8 flake-triage worker")(worker)
