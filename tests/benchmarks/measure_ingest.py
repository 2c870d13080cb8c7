"""How many results a second `ingest` takes into SQLite: reading alone, storing alone, and both.

Run: python tests/benchmarks/measure_ingest.py [JOBS] [RESULTS_A_JOB] [FAILURES_A_JOB]
Processor time is measured, since other work on the machine does not change it much.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.domain.junit import read_results
from app.domain.policy import VerdictPolicy
from app.settings import Settings
from app.store.session import open_engine
from worker.ingest.collection import rare_collections
from worker.ingest.load import Loader
from worker.ingest.manifest import Entry, read_manifest
from worker.ingest.timeline import units
from worker.upgrade import upgrade

FIRST = datetime(2026, 11, 1, tzinfo=UTC)


def main(jobs: int = 20, results: int = 5000, failures: int = 0) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        manifest = write_story(folder, jobs, results, failures)
        with rare_collections():
            settings = Settings(data_dir=folder / "data")
            upgrade(settings)
            reading = seconds(lambda: read_all(folder))
            whole = seconds(lambda: load(settings, manifest))
    count = jobs * results
    say(f"{jobs} jobs of {results} results, {failures} of them red")
    for what, taken in (("reading", reading), ("all the rest", whole - reading), ("together", whole)):
        say(f"{what:>14}: {taken:6.2f} s, {count / taken:10,.0f} results/s")


def write_story(folder: Path, jobs: int, results: int, failures: int) -> Path:
    lines = []
    for job in range(jobs):
        cases = "\n".join(case(number, is_red=number < failures) for number in range(results))
        (folder / f"{job}.xml").write_text(f'<testsuite name="pytest">{cases}</testsuite>')
        entry = {
            "paths": [f"{job}.xml"],
            "repo": "octo/lib",
            "workflow": "ci",
            "run": 1000 + job,
            "event": "push",
            "sha": f"{job:040x}",
            "tree": f"{job:040x}",
            "branch": "main",
            "job": "test",
            "started_at": (FIRST + timedelta(minutes=5 * job)).isoformat(),
            "conclusion": "failure" if failures else "success",
        }
        lines.append(json.dumps(entry))
    manifest = folder / "manifest.jsonl"
    manifest.write_text("\n".join(lines))
    return manifest


def case(number: int, *, is_red: bool) -> str:
    failure = f'<failure message="KeyError: {number}">E   KeyError: {number}</failure>' if is_red else ""
    place = f'classname="tests.mod{number // 50}.TestThing" name="test_{number}[{number % 5}]"'
    return f'<testcase {place} time="0.{number % 1000:03}">{failure}</testcase>'


def read_all(folder: Path) -> None:
    for path in sorted(folder.glob("*.xml")):
        with path.open("rb") as file:
            read_results(file)


def load(settings: Settings, manifest: Path) -> None:
    store = open_engine(settings.app_database_url)
    loader = Loader(store, VerdictPolicy(), settings.github_url, None, say)
    for unit in units((one for one in read_manifest(manifest) if isinstance(one, Entry)), []):
        loader.load(unit)
    store.dispose()


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")


def seconds(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
