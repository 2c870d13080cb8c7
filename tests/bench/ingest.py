"""Results a second from files into the store, on both databases, beside bare reading of the same files."""

import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import processes
from fixtures_postgres import Server, binaries, server
from junit_files import junit
from lxml import etree
from measured import Goal, Row, at_least, row_of_rounds
from rounds import seconds

from app.domain.policy import VerdictPolicy
from app.settings import Settings
from app.store.session import open_engine
from worker.ingest.collection import rare_collections
from worker.ingest.load import Loader
from worker.ingest.manifest import Entry, read_manifest
from worker.ingest.timeline import units
from worker.upgrade import upgrade

FIRST = datetime(2026, 11, 1, tzinfo=UTC)
A_JOB = 5000
GOALS = {"SQLite": at_least(150_000), "PostgreSQL": at_least(80_000)}

NewDatabase = Callable[[Path], Settings]


def measure(*, long: bool) -> list[Row]:
    jobs, rounds = (60, 5) if long else (20, 3)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for red in (0, 20):
            manifest = _write(folder / f"red-{red}", jobs, red)
            rows.append(_row("SQLite", processes.settings_for, manifest, jobs, red, rounds))
            if binaries() is not None:
                with server(durable=True, shared_buffers="512MB") as running:
                    rows.append(_row("PostgreSQL", _of(running), manifest, jobs, red, rounds))
    return rows


def _of(running: Server) -> NewDatabase:
    return lambda folder: processes.settings_for(folder, database_url=running.new_database(migrated=False))


def _row(database: str, new: NewDatabase, manifest: Path, jobs: int, red: int, rounds: int) -> Row:
    count, ours, floor = jobs * A_JOB, [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            settings = new(Path(name))
            upgrade(settings)
            floor.append(count / seconds(lambda: _read(manifest.parent)))
            with rare_collections():
                ours.append(count / seconds(lambda settings=settings: _load(settings, manifest)))
    goal: Goal | None = None if red else GOALS[database]
    what = f"{database}, {red} of {A_JOB:,} red"
    note = f"{jobs} jobs of {A_JOB:,} results; red ones are signed and judged too; floor: bare iterparse"
    return row_of_rounds("ingest", what, "results/s", ours, floor, goal, note)


def _load(settings: Settings, manifest: Path) -> None:
    store = open_engine(settings.app_database_url)
    loader = Loader(store, VerdictPolicy(), settings.github_url, None, _complain)
    for unit in units((one for one in read_manifest(manifest) if isinstance(one, Entry)), []):
        loader.load(unit)
    store.dispose()


def _read(folder: Path) -> None:
    for path in sorted(folder.glob("*.xml")):
        for _, element in etree.iterparse(str(path)):
            element.clear()


def _complain(words: str) -> None:
    raise AssertionError(words)


def _write(folder: Path, jobs: int, red: int) -> Path:
    """A manifest of runs of one test job on main, five minutes apart."""
    folder.mkdir()
    manifest = folder / "manifest.jsonl"
    lines = []
    for job in range(jobs):
        (folder / f"{job}.xml").write_bytes(junit(A_JOB, red=red, seen=job))
        sha = f"{job:040x}"
        entry = {
            "paths": [f"{job}.xml"],
            "repo": "octo/lib",
            "workflow": "ci",
            "run": 1000 + job,
            "event": "push",
            "sha": sha,
            "tree": sha,
            "branch": "main",
            "job": "test",
            "started_at": (FIRST + timedelta(minutes=5 * job)).isoformat(),
            "conclusion": "failure" if red else "success",
        }
        lines.append(json.dumps(entry))
    manifest.write_text("\n".join(lines))
    return manifest
