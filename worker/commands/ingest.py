"""`flake-triage ingest`: bring in results, logs and commits from files, as if they had come from GitHub."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.clock import SystemClock
from app.domain.policy import VerdictPolicy
from app.settings import Settings
from worker import says
from worker.commands.database import opened_store
from worker.commands.ingest_formats import FORMATS
from worker.commands.ingest_plan import Plan, plan_of
from worker.commands.tables import print_listing
from worker.ingest.collection import rare_collections
from worker.ingest.commit_lines import ALWAYS
from worker.ingest.load import Loaded, Loader
from worker.ingest.progress import Progress
from worker.ingest.replacing import Replacing
from worker.ingest.timeline import units, unused
from worker.says import JsonFlag
from worker.upgrade import upgrade

SHOWN_UNITS = 20
COLUMNS = ("repository", "run", "attempt", "jobs", "results", "failures", "gaps", "status")


NEEDED = "Needed with PATHs."


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
    repo: Annotated[str | None, typer.Option(help=f"owner/name. {NEEDED}")] = None,
    workflow: Annotated[str | None, typer.Option(help="The workflow's name. Default: tests.")] = None,
    run: Annotated[int | None, typer.Option(min=1, help=f"The run's id. {NEEDED}")] = None,
    attempt: Annotated[int, typer.Option(min=1, help="Which attempt of the run.")] = 1,
    event: Annotated[str | None, typer.Option(help="Default: push, and pull_request with --pr.")] = None,
    sha: Annotated[
        str | None, typer.Option(help=f"The commit, whole; of a pull request, its head. {NEEDED}")
    ] = None,
    tree: Annotated[str | None, typer.Option(help="The tree that was tested.")] = None,
    parents: Annotated[
        list[str] | None, typer.Option(help="Parents of the commit that was tested; repeat, or use commas.")
    ] = None,
    base_sha: Annotated[str | None, typer.Option(help="A commit of the base without the change.")] = None,
    branch: Annotated[
        str | None, typer.Option(help="The branch that holds the commit. Default: of a push, main.")
    ] = None,
    pr: Annotated[int | None, typer.Option(min=1, help="The pull request's number.")] = None,
    job: Annotated[str | None, typer.Option(help=f"The job's name. {NEEDED}")] = None,
    variant: Annotated[
        str | None, typer.Option(help="The job without its shard. Default: by its name.")
    ] = None,
    shard: Annotated[str | None, typer.Option(help="Which part of a split job.")] = None,
    runner: Annotated[str | None, typer.Option(help="The machine's name.")] = None,
    started_at: Annotated[str | None, typer.Option(help="As in 2026-07-16T19:04:11Z. Default: now.")] = None,
    completed_at: Annotated[str | None, typer.Option(help="As in 2026-07-16T19:14:11Z.")] = None,
    conclusion: Annotated[
        str | None, typer.Option(help="success, failure, cancelled, ... Default: what the results say.")
    ] = None,
    job_id: Annotated[int | None, typer.Option(min=1, help="GitHub's id of the job.")] = None,
    actor: Annotated[str | None, typer.Option(help="Who started the run.")] = None,
    log: Annotated[Path | None, typer.Option(help="The job's log.")] = None,
    default_branch: Annotated[
        str | None, typer.Option(help="The repository's default branch. Default: main.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take jobs that are stored already anew, with other content.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Bring in one job execution, a manifest of many, or commits. Repeating it changes nothing.

    Nothing of it is ever posted to GitHub. With PATHs, nothing is stored unless all of them can be read.
    A job is known by its repository, run, attempt, name, variant and shard; to correct one, repeat it with
    --replace: what was stored of it is removed, and what was thought because of it is judged again.
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
    plan = plan_of(options, manifest, commits, default_branch)
    settings = Settings()
    upgrade(settings)
    raise typer.Exit(_run(plan, settings, default_branch, replace=replace, as_json=as_json))


def _split(values: list[str] | None) -> list[str] | None:
    return None if values is None else [one.strip() for value in values for one in value.split(",") if one]


def _run(plan: Plan, settings: Settings, default_branch: str | None, *, replace: bool, as_json: bool) -> int:
    shown: list[Loaded] = []
    policy = VerdictPolicy()
    with opened_store(settings) as store, Progress() as progress, rare_collections():
        loader = Loader(
            store,
            policy,
            settings.github_url.rstrip("/"),
            default_branch,
            progress.complain,
            Replacing(SystemClock().now(), policy) if replace else None,
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
        _print_units(shown, progress.units)
    progress.summarise(commits=len(plan.commits))
    has_read = progress.units > 0 and (not loader.files_unread or loader.files_unread < loader.files_named)
    return 0 if has_read or plan.commits else says.NOTHING_DONE


def _print_units(shown: list[Loaded], total: int) -> None:
    if total > len(shown):
        says.text(f"The last {len(shown)} of {total:,} attempts:")
    print_listing(COLUMNS, [_row(one) for one in shown], name=0)


def _row(one: Loaded) -> tuple[str, ...]:
    counts = (f"{count:,}" for count in (one.jobs, one.results, one.failures, one.gaps))
    return (one.repo, str(one.run), str(one.attempt), *counts, one.status)


def register(cli: typer.Typer) -> None:
    cli.command(epilog=FORMATS)(ingest)
