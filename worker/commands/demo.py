"""`flake-triage demo`: incident 1, from webhook to verdict, on this machine alone."""

import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import Annotated

import typer

from app.clock import SystemClock
from app.domain.wording import counted
from app.settings import WrongSettings
from app.standin.server import StandIn
from app.standin.webhooks import Mailbox
from worker import says
from worker.demo import facts
from worker.demo.outcome import Outcome, collect
from worker.demo.play import Player
from worker.demo.service import SECRET, require_empty, settings_for
from worker.demo.stage_set import StageSet
from worker.quiet import Quiet
from worker.says import JsonFlag
from worker.service import running


def demo(
    *,
    leave: Annotated[bool, typer.Option("--exit", help="End when the story is told.")] = False,
    base_moved: Annotated[
        bool, typer.Option("--base-moved", help="Main moves on first, so the two runs test different code.")
    ] = False,
    no_history: Annotated[
        bool, typer.Option("--no-history", help="The failure was never seen before.")
    ] = False,
    database: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An empty PostgreSQL database, postgresql://USER@HOST/NAME."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=8, help="Workers; more than one need --database.")] = 1,
    as_json: JsonFlag = False,
) -> None:
    """Play incident 1 through the whole service against a stand-in GitHub, and show what people would see.

    Starts a GitHub of its own, the web and the worker on SQLite in a temporary folder; needs no network.
    With --database all of it is in that database, whose tables stay.
    """
    if workers > 1 and database is None:
        raise WrongSettings("--workers", "SQLite's files have one writer at a time; name a --database too")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # ends the service and removes the folder
    story = facts.story(base_moved=base_moved, with_history=not no_history)
    clock = SystemClock()
    with tempfile.TemporaryDirectory(prefix="flake-triage-demo-") as folder, StandIn.start() as standin:
        data = Path(folder)
        settings = settings_for(
            data,
            api_url=standin.api_url,
            github_url=standin.at.html,
            token=standin.state.token,
            database=database,
        )
        if database is not None:
            require_empty(settings)
        says.progress("starting the service ...")
        with running(settings, log=data / "service.log", workers=workers):
            mailbox = Mailbox(standin, url=f"{settings.dashboard_url}/webhooks/github", secret=SECRET)
            stage = StageSet(standin.state, story, begins_at=clock.now() - facts.LASTS)
            stage.build()
            quiet = Quiet.of(settings)
            try:
                Player(standin, mailbox, stage, quiet, tell=lambda words: says.progress(f"- {words}")).play(
                    story
                )
                outcome = collect(quiet.store, settings, standin, mailbox)
            finally:
                quiet.close()
            if as_json:
                says.line(outcome.plain)
            else:
                _show(outcome, standin)
            if not leave:
                _stay(settings.dashboard_url)


def _show(outcome: Outcome, standin: StandIn) -> None:
    repository = standin.state.repository(facts.REPO)
    issues = standin.state.talk.issues_of(repository)
    says.text(f"\nThe comment on pull request {facts.PULL}, as GitHub holds it:\n")
    says.text(outcome.comment)
    for issue in issues:
        says.text(f"\nThe alert, issue {issue.number} ({issue.state}): {issue.title}\n")
        says.text(issue.body)
    told = outcome.plain
    says.text(
        f"\n{told['webhooks']['sent']} webhooks sent, {told['webhooks']['distinct']} of them different; "
        f"comment created {counted(told['comment']['creates'], 'time')} and edited "
        f"{counted(told['comment']['updates'], 'time')}; "
        f"{counted(told['duplicate_effects'], 'effect')} doubled."
    )


def _stay(url: str) -> None:
    says.progress(f"\nThe dashboard is at {url} - end with Ctrl-C.")
    says.progress('Links "on GitHub" lead to nothing real: the demo\'s GitHub has an API and no pages.')
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        says.progress("ending ...")


def register(cli: typer.Typer) -> None:
    cli.command(epilog="Example: flake-triage demo --exit --json")(demo)
