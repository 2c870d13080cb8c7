"""`flake-triage ingest`: bring in results, logs and commits from files, as if they had come from GitHub."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from app.domain.errors import Rejected
from app.domain.ids import RepoName
from app.domain.policy import VerdictPolicy
from app.settings import Settings
from worker import says
from worker.commands.database import opened_store
from worker.commands.tables import print_table
from worker.ingest.collection import rare_collections
from worker.ingest.commit_lines import ALWAYS, DatedCommit, read_commits
from worker.ingest.fields import Fields
from worker.ingest.load import Loaded, Loader
from worker.ingest.manifest import BadLine, Entry, entry_of, read_manifest
from worker.ingest.progress import Progress
from worker.ingest.timeline import units, unused
from worker.says import JsonFlag
from worker.upgrade import upgrade

SHOWN_UNITS = 20


@dataclass(slots=True)
class _Plan:
    """What to bring in. `manifest` is None where the options told the only entry, or there is none."""

    repo: RepoName | None
    entries: list[Entry] = field(default_factory=list)
    manifest: Path | None = None
    commits: list[DatedCommit] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)

    def read(self, progress: Progress) -> Iterator[Entry]:
        """The entries; each bad line is told when its turn comes."""
        for found in self.entries if self.manifest is None else read_manifest(self.manifest):
            if isinstance(found, BadLine):
                progress.complain(found.problem)
            else:
                yield found


def ingest(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Results files, or folders with results and ranks' logs.")
    ] = None,
    *,
    manifest: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="JSON lines: one job execution each.")
    ] = None,
    commits: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="JSON lines: one commit each.")
    ] = None,
    repo: Annotated[str | None, typer.Option(help="owner/name")] = None,
    workflow: Annotated[str | None, typer.Option(help="The workflow's name.")] = None,
    run: Annotated[int | None, typer.Option(min=1, help="The run's id.")] = None,
    attempt: Annotated[int, typer.Option(min=1, help="Which attempt of the run.")] = 1,
    event: Annotated[str | None, typer.Option(help="push, pull_request, schedule, ...")] = None,
    sha: Annotated[str | None, typer.Option(help="The commit; of a pull request, its head.")] = None,
    tree: Annotated[str | None, typer.Option(help="The tree that was tested.")] = None,
    parents: Annotated[
        list[str] | None, typer.Option(help="Parents of the commit that was tested; repeat, or use commas.")
    ] = None,
    base_sha: Annotated[str | None, typer.Option(help="A commit of the base without the change.")] = None,
    branch: Annotated[str | None, typer.Option(help="The branch that holds the commit.")] = None,
    pr: Annotated[int | None, typer.Option(min=1, help="The pull request's number.")] = None,
    job: Annotated[str | None, typer.Option(help="The job's name.")] = None,
    variant: Annotated[
        str | None, typer.Option(help="The job without its shard. Default: by its name.")
    ] = None,
    shard: Annotated[str | None, typer.Option(help="Which part of a split job.")] = None,
    runner: Annotated[str | None, typer.Option(help="The machine's name.")] = None,
    started_at: Annotated[str | None, typer.Option(help="As in 2026-07-16T19:04:11Z.")] = None,
    completed_at: Annotated[str | None, typer.Option(help="As in 2026-07-16T19:14:11Z.")] = None,
    conclusion: Annotated[str | None, typer.Option(help="success, failure, cancelled, ...")] = None,
    job_id: Annotated[int | None, typer.Option(min=1, help="GitHub's id of the job.")] = None,
    actor: Annotated[str | None, typer.Option(help="Who started the run.")] = None,
    log: Annotated[Path | None, typer.Option(help="The job's log.")] = None,
    default_branch: Annotated[str | None, typer.Option(help="Default: main.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Bring in one job execution, a manifest of many, or commits. Repeating it changes nothing.

    Nothing of it is ever posted to GitHub. Lines that cannot be taken are told and passed over.
    """
    options = {
        "repo": repo,
        "workflow": workflow,
        "run": run,
        "attempt": attempt,
        "event": event,
        "sha": sha,
        "tree": tree,
        "parents": _split(parents),
        "base_sha": base_sha,
        "branch": branch,
        "pr": pr,
        "job": job,
        "variant": variant,
        "shard": shard,
        "runner": runner,
        "started_at": started_at,
        "completed_at": completed_at,
        "conclusion": conclusion,
        "job_id": job_id,
        "actor": actor,
        "log": None if log is None else str(log),
        "paths": [str(path) for path in paths or ()],
    }
    plan = _plan(options, manifest, commits)
    settings = Settings()
    upgrade(settings)
    raise typer.Exit(_run(plan, settings, default_branch, as_json=as_json))


def _split(values: list[str] | None) -> list[str] | None:
    return None if values is None else [one.strip() for value in values for one in value.split(",") if one]


def _plan(options: dict[str, Any], manifest: Path | None, commits: Path | None) -> _Plan:
    """Check what was asked for. Raises typer.BadParameter where it makes no sense."""
    is_single = bool(options["paths"]) or options["log"] is not None or options["run"] is not None
    if is_single and manifest is not None:
        raise typer.BadParameter("name files of one job, or use --manifest, not both")
    if not is_single and manifest is None and commits is None:
        raise typer.BadParameter("name a results file or a folder, or use --manifest or --commits")
    plan = _Plan(repo=None, manifest=manifest)
    try:
        plan.repo = Fields(options).repo("repo") if options["repo"] is not None else None
        if is_single:
            plan.entries = [entry_of(options, where="the command line", folder=Path())]
            plan.repo = plan.entries[0].repo
    except Rejected as refused:
        raise typer.BadParameter(f"--{_option(refused.subject)}: {refused.reason}") from refused
    if commits is not None:
        read = read_commits(commits)
        plan.commits, plan.bad = read.commits, read.bad
        plan.repo = plan.repo or _only_repo(manifest)
    return plan


def _option(name: str) -> str:
    return name.replace("_", "-")


def _only_repo(manifest: Path | None) -> RepoName:
    """Commits belong to a repository, and their lines do not name it."""
    found = read_manifest(manifest) if manifest is not None else ()
    named = {entry.repo.lower(): entry.repo for entry in found if isinstance(entry, Entry)}
    if len(named) != 1:
        raise typer.BadParameter("--commits needs --repo, or a manifest of one repository")
    return named.popitem()[1]


def _run(plan: _Plan, settings: Settings, default_branch: str | None, *, as_json: bool) -> int:
    shown: list[Loaded] = []
    with opened_store(settings) as store, Progress() as progress, rare_collections():
        loader = Loader(
            store, VerdictPolicy(), settings.github_url.rstrip("/"), default_branch, progress.complain
        )
        for bad in plan.bad:
            progress.complain(bad.problem)
        last = ALWAYS
        for unit in units(plan.read(progress), plan.commits):
            if plan.repo is not None:
                loader.add_commits(plan.repo, unit.commits)
            last = unit.at
            loaded = loader.load(unit)
            if loaded is None:
                continue
            progress.advance(loaded)
            if as_json:
                says.line(asdict(loaded))
            else:
                shown.append(loaded)
                del shown[:-SHOWN_UNITS]
        if plan.repo is not None:
            loader.add_commits(plan.repo, unused(plan.commits, last))
    if not as_json and shown:
        _print_table(shown, progress.units)
    progress.summarise(commits=len(plan.commits))
    has_read = progress.units > 0 and (not loader.files_named or loader.files_missing < loader.files_named)
    return 0 if has_read or plan.commits else says.NOTHING_DONE


def _print_table(shown: list[Loaded], total: int) -> None:
    more = "" if total <= len(shown) else f", the last {len(shown)} of {total}"
    table = Table(title=f"Attempts brought in{more}", title_justify="left")
    for name in ("repository", "run", "attempt", "jobs", "results", "failures", "gaps"):
        table.add_column(name, justify="left" if name == "repository" else "right")
    for one in shown:
        counts = (one.jobs, one.results, one.failures, one.gaps)
        table.add_row(one.repo, str(one.run), str(one.attempt), *(f"{count:,}" for count in counts))
    print_table(table)


def register(cli: typer.Typer) -> None:
    cli.command(
        epilog="Example: flake-triage ingest --manifest history.jsonl --commits commits.jsonl",
    )(ingest)
