"""What an `ingest` command line asks for, checked before anything is stored."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from app.clock import SystemClock
from app.domain.errors import Rejected
from app.domain.ids import RepoName
from worker.ingest.commit_lines import DatedCommit, read_commits
from worker.ingest.fields import SEPARATOR, Fields
from worker.ingest.manifest import BadLine, Entry, read_manifest
from worker.ingest.progress import Progress
from worker.ingest.single_job import entry_from_options

NOT_OPTIONS = frozenset({"paths", "files"})
"""Subjects of a refusal that are no option's name."""


@dataclass(slots=True)
class Plan:
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


def plan_of(
    options: dict[str, Any], manifest: Path | None, commits: Path | None, default_branch: str | None
) -> Plan:
    """Raises typer.BadParameter for what makes no sense and for files that cannot be read."""
    is_single = bool(options["paths"]) or options["log"] is not None or options["run"] is not None
    if is_single and manifest is not None:
        raise typer.BadParameter("name files of one job, or use --manifest, not both")
    if not is_single and manifest is None and commits is None:
        raise typer.BadParameter("name a results file or a folder, or use --manifest or --commits")
    plan = Plan(repo=None, manifest=manifest)
    try:
        plan.repo = Fields(options).repo("repo") if options["repo"] is not None else None
        if is_single:
            now = SystemClock().now()
            plan.entries = [entry_from_options(options, default_branch=default_branch, now=now)]
            plan.repo = plan.entries[0].repo
    except Rejected as refused:
        raise typer.BadParameter(_refusal(refused)) from refused
    if commits is not None:
        read = read_commits(commits)
        plan.commits, plan.bad = read.commits, read.bad
        plan.repo = plan.repo or _only_repo(manifest)
    return plan


def _refusal(refused: Rejected) -> str:
    """The fields by the names of their options."""
    if refused.subject in NOT_OPTIONS:
        return refused.reason
    names = refused.subject.split(SEPARATOR)
    return f"{SEPARATOR.join('--' + name.replace('_', '-') for name in names)}: {refused.reason}"


def _only_repo(manifest: Path | None) -> RepoName:
    """Commits belong to a repository, and their lines do not name it."""
    found = read_manifest(manifest) if manifest is not None else ()
    named = {entry.repo.lower(): entry.repo for entry in found if isinstance(entry, Entry)}
    if len(named) != 1:
        raise typer.BadParameter("--commits needs --repo, or a manifest of one repository")
    return named.popitem()[1]
