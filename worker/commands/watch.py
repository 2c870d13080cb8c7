"""`flake-triage watch`: the whole service on this machine, without a webhook: it asks GitHub itself.

It keeps what it finds to itself: trying it out beside a service, or before one, changes nothing there.
"""

import re
import shlex
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

import typer
from sqlalchemy import Engine

from app.clock import SystemClock
from app.domain.errors import Unavailable
from app.domain.ids import RepoName
from app.domain.look_trouble import LookTrouble
from app.domain.repo_name import is_repo_name
from app.domain.wording import counted
from app.settings import PREFIX, Settings
from app.store import watch as watched
from app.store.session import read_only, unit_of_work
from app.store.watch import Watched
from worker import listening, says
from worker.commands.database import opened_store
from worker.commands.watch_news import News, Newsroom
from worker.github_access import require_access
from worker.queue.lock import exclusive
from worker.quiet import Quiet
from worker.says import JsonFlag
from worker.service import running
from worker.stop_signals import stop_signals
from worker.upgrade import upgrade

RUNS_AT_FIRST = 50
RUNS_WITHOUT_TOKEN = 5
"""Each costs about eight requests, of which strangers have 60 an hour."""

INTERVAL_WITHOUT_TOKEN_S = 300.0
"""Without a token an unchanged list costs a request as well."""

LOOK_S = 0.5

OWN_FOLDER = "watch"
"""Inside the data folder: a service that shared its tables would post what is found, or miss what it left."""

Names = Annotated[list[str], typer.Argument(metavar="OWNER/REPO...", help="The repositories.")]
Since = Annotated[str, typer.Option(help="How far back to begin: 2d, 12h.")]
Once = Annotated[bool, typer.Option("--once", help="End when everything found is judged.")]
Interval = Annotated[float, typer.Option(min=10, help="Seconds between two looks at a list of runs.")]
Port = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=65535,
        help="Port of the dashboard; else FLAKE_TRIAGE_PORT, or any free one where that is taken.",
    ),
]
Comment = Annotated[bool, typer.Option("--comment/--no-comment", help="Post comments and alerts to GitHub.")]


def watch(
    repositories: Names,
    *,
    since: Since = "2d",
    once: Once = False,
    interval: Interval = 60,
    port: Port = None,
    comment: Comment = False,
    as_json: JsonFlag = False,
) -> None:
    """Ask GitHub for the runs of repositories, judge what failed, and show it here and on a dashboard.

    Needs no webhook and no public address. Nothing is posted to GitHub unless --comment is given: what would
    be posted is printed and kept. The token may read Actions, Contents and Pull requests; public repositories
    need none.
    """
    names = _names(repositories)
    back = _duration(since)
    settings = _settings(names, back, interval=interval, port=port, comment=comment)
    require_access(settings)
    if port:
        with listening.listen(settings, port_named="--port"):
            pass  # the service would only write into its log that somebody has it
    upgrade(settings)
    _refuse_second_worker(settings)
    stop = threading.Event()
    # An exception of the signal's own could be raised, and lost, within a finalizer: it went on for ever.
    with stop_signals(stop.set), opened_store(settings) as store:
        now = SystemClock().now()
        with unit_of_work(store) as session:
            for name in names:
                watched.look_from(session, name, since=now - back)
        with read_only(store) as session:
            newsroom = Newsroom(session, names, begins_at=now)
        _begin(settings)
        with running(settings, log=settings.data_dir / "watch.log") as service:
            until = "until all is judged" if once else "end with Ctrl-C"
            says.progress(f"The dashboard is at {settings.dashboard_url} - {until}.")
            says.progress(_look_at(settings, "verdicts --latest"))
            story = Story(settings, store, newsroom, service, stop, tell=_tell_json if as_json else _tell)
            code = story.tell_all(len(names), once=once)
    raise typer.Exit(code)


@dataclass(slots=True)
class Story:
    """Tells what the service does, as it does it."""

    settings: Settings
    store: Engine
    newsroom: Newsroom
    service: subprocess.Popen[bytes]
    stop: threading.Event
    tell: Callable[[News], None]

    def tell_all(self, repositories: int, *, once: bool) -> int:
        """Until the end that `once` asks for, or `stop`; return the exit code.

        Ends by itself too where GitHub will show none of the repositories.
        """
        quiet = Quiet.of(self.settings)
        try:
            while not self.stop.wait(LOOK_S):
                # Asked before the news: what was finished by then has left its news in the store.
                is_quiet = quiet.is_quiet()
                looked = self._tell_new(is_quiet=is_quiet)
                if len(looked) == repositories and _is_over(looked, once=once, is_quiet=is_quiet):
                    return self._ended(looked)
                if self.service.poll() is not None:
                    raise Unavailable("service", f"it ended; see {self.settings.data_dir / 'watch.log'}")
            says.progress("ending ...")
            return 0
        finally:
            quiet.close()

    def _tell_new(self, *, is_quiet: bool) -> list[Watched]:
        with read_only(self.store) as session:
            looked = self.newsroom.watched(session)
            for news in self.newsroom.since_last(session, now=SystemClock().now()):
                self.tell(news)
            if is_quiet:
                for news in self.newsroom.reports(session):
                    self.tell(news)
        return looked

    def _ended(self, looked: list[Watched]) -> int:
        could = [one for one in looked if one.trouble is None]
        if not could:
            return says.NOTHING_DONE
        expected = sum(one.seen.ordered for one in could)
        told = self.newsroom.runs_told
        says.progress(f"{counted(told, 'run')} read." if told or expected else "Nothing new was read.")
        return says.NOTHING_DONE if expected and not told else 0


def _is_over(looked: list[Watched], *, once: bool, is_quiet: bool) -> bool:
    if all(one.trouble is not None and one.trouble.needs_somebody for one in looked):
        return True
    now = SystemClock().now()
    waits = any(one.trouble is LookTrouble.LIMITED for one in looked)
    is_whole = all(one.trouble is not None or (one.due_at is not None and one.due_at > now) for one in looked)
    return once and is_quiet and is_whole and not waits


def _tell(news: News) -> None:
    for line in news.sentence.split("\n"):
        says.text(line)


def _tell_json(news: News) -> None:
    says.line(news.record)


def _names(written: list[str]) -> list[RepoName]:
    """Each once, whatever its case."""
    for name in written:
        if not is_repo_name(name):
            raise typer.BadParameter(f"{name!r} is not a repository's name, owner/name")
    return [RepoName(name) for name in {name.lower(): name for name in written}.values()]


def _duration(written: str) -> timedelta:
    match = re.fullmatch(r"([0-9]{1,3})([dh])", written)
    amount = int(match[1]) if match else 0
    found = timedelta(days=amount) if match and match[2] == "d" else timedelta(hours=amount)
    if not timedelta(0) < found <= timedelta(days=35):
        raise typer.BadParameter("--since takes days or hours up to 35d, such as 2d or 12h")
    return found


def _settings(
    names: list[RepoName], back: timedelta, *, interval: float, port: int | None, comment: bool
) -> Settings:
    own = Settings()
    most = RUNS_AT_FIRST if _has_token(own) else RUNS_WITHOUT_TOKEN
    changes = {
        "data_dir": own.data_dir / OWN_FOLDER,
        "database_url": None,
        "host": "127.0.0.1",
        "port": port or listening.free_port(own.port if port is None else 0),
        "public_url": None,
        "repositories": ",".join(names),
        "reconcile_s": interval if _has_token(own) else max(interval, INTERVAL_WITHOUT_TOKEN_S),
        "first_look_days": back / timedelta(days=1),
        "first_look_runs": own.first_look_runs if "first_look_runs" in own.model_fields_set else most,
        "post": comment,
    }
    return own.model_copy(update=changes)


def _has_token(settings: Settings) -> bool:
    return settings.github_token is not None or settings.github_app_id is not None


def _refuse_second_worker(settings: Settings) -> None:
    """Raises Conflict where another `watch` uses the folder: the service would only try again and again."""
    with exclusive(settings.data_dir / "worker.queue.lock", subject="watch"):
        return


def _look_at(settings: Settings, command: str) -> str:
    """How another command is told to look here, whatever database it would use otherwise."""
    variables = {"DATA_DIR": shlex.quote(str(settings.data_dir))}
    if Settings().on_postgres:
        variables["DATABASE_URL"] = ""
    told = " ".join(f"{PREFIX}{name}={value}" for name, value in variables.items())
    return f"`{told} flake-triage {command}` lists what is thought."


def _begin(settings: Settings) -> None:
    if not _has_token(settings):
        says.progress(
            "No token: GitHub answers 60 requests an hour, and gives no logs and no artifacts, so failures "
            f"are told by job. At first {settings.first_look_runs} runs are read; the lists are looked at "
            f"every {settings.reconcile_s:.0f} s. Set {PREFIX}GITHUB_TOKEN to read all of it, for example to "
            "the output of `gh auth token`."
        )
    if Settings().on_postgres:
        says.progress(f"{PREFIX}DATABASE_URL is not used: everything is kept in {settings.data_dir}.")
    if not settings.post:
        says.progress("Nothing is posted to GitHub; --comment would post.")
    elif settings.linked_url is None:
        says.progress("What is posted has no link to the dashboard, which only this machine reaches.")
    says.progress("starting the service ...")


def register(cli: typer.Typer) -> None:
    cli.command(epilog="Example: flake-triage watch you/yours --since 2d")(watch)
