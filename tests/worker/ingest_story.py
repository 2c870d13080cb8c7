"""A history of jobs told in few words: results files, a manifest, a commits file, and the verdicts on it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from click.testing import Result
from typer.testing import CliRunner

from worker.cli import cli

START = datetime(2026, 11, 1, 8, 0, tzinfo=UTC)
BOOM = "ValueError: shape (2, 3) does not fit (4,)"


def sha(word: str) -> str:
    """A commit's name from a word: 40 hexadecimal digits, the same word the same name."""
    return word.encode().hex().ljust(40, "0")[:40]


def traceback(test: str, error: str = BOOM) -> str:
    """What pytest writes of an exception in the code under test."""
    kind = error.partition(":")[0]
    return (
        f"    def {test}():\n>       check_shapes()\n\ntests/test_a.py:12: \n_ _ _ _\n\n"
        f"    def check_shapes():\n>       raise_it()\nE       {error}\n\npkg/shapes.py:7: {kind}"
    )


OPAQUE = (
    "    def test_workers():\n>       assert all(process.exitcode == 0 for process in processes)\n"
    "E       assert False\n\ntests/test_a.py:40: AssertionError"
)


@dataclass
class Story:
    """Jobs start one minute after the other; every method that adds something returns what it added."""

    folder: Path
    at: datetime = START
    entries: list[dict[str, Any]] = field(default_factory=list)
    commits: list[dict[str, Any]] = field(default_factory=list)
    _files: int = 0

    def junit(self, outcomes: Mapping[str, str]) -> str:
        """A results file; an outcome is `passed`, `skipped`, or the text of a failure."""
        cases = []
        for name, outcome in outcomes.items():
            inner = {"passed": "", "skipped": "<skipped/>"}.get(outcome)
            if inner is None:
                message = next((line[1:].strip() for line in outcome.splitlines() if line[:1] == "E"), "")
                inner = f"<failure message={quoteattr(message)}>{quoteattr(outcome)[1:-1]}</failure>"
            cases.append(f'<testcase classname="tests.test_a" name="{name}" time="0.01">{inner}</testcase>')
        self._files += 1
        name = f"junit-{self._files}.xml"
        text = f'<testsuites><testsuite name="pytest">{"".join(cases)}</testsuite></testsuites>'
        (self.folder / name).write_text(text)
        return name

    def job(self, run: int, outcomes: Mapping[str, str] | None = None, **facts: Any) -> dict[str, Any]:
        """Add a job execution; it failed if any outcome is a failure. `outcomes` None: no results file."""
        self.at += timedelta(minutes=1)
        is_red = any(outcome not in {"passed", "skipped"} for outcome in (outcomes or {}).values())
        entry = {
            "paths": [] if outcomes is None else [self.junit(outcomes)],
            "repo": "octo/lib",
            "workflow": "ci",
            "run": run,
            "attempt": 1,
            "event": "push",
            "sha": sha("m0"),
            "branch": "main",
            "job": "test (3.12)",
            "variant": "test (3.12)",
            "started_at": self.at.isoformat(),
            "conclusion": "failure" if is_red else "success",
        } | facts
        self.entries.append(entry)
        return entry

    def pull(self, run: int, number: int, head: str, outcomes: Mapping[str, str], **facts: Any) -> None:
        """A pull request's job, on a tree of its own unless told otherwise."""
        told = {"tree": sha(f"t{head}"), "branch": f"topic-{number}", "base_sha": sha("m0")} | facts
        self.job(run, outcomes, event="pull_request", sha=sha(head), pr=number, **told)

    def commit(self, name: str, *parents: str, **facts: Any) -> None:
        """A commit that is known from the story's present time on."""
        self.commits.append(
            {
                "sha": sha(name),
                "parents": [sha(parent) for parent in parents],
                "tree": sha(f"t{name}"),
                "branch": "main",
                "author": "ada",
                "pr": None,
                "files": [],
                "at": self.at.isoformat(),
            }
            | facts
        )

    def write(self) -> tuple[Path, Path]:
        manifest, commits = self.folder / "manifest.jsonl", self.folder / "commits.jsonl"
        manifest.write_text("".join(json.dumps(entry) + "\n" for entry in self.entries))
        commits.write_text("".join(json.dumps(commit) + "\n" for commit in self.commits))
        return manifest, commits

    def ingest(self) -> list[dict[str, Any]]:
        """Bring the whole story in, and return what is said of each unit."""
        manifest, commits = self.write()
        also = ["--commits", str(commits)] if self.commits else []
        return json_lines(invoke("ingest", "--manifest", str(manifest), *also, "--json"))


@dataclass(frozen=True)
class Said:
    """The verdicts of a story, by what they are about."""

    verdicts: list[dict[str, Any]]

    def of(self, run: int, test: str | None = "test_one", *, attempt: int = 1) -> dict[str, Any]:
        """The newest verdict on a test in a run; there must be one."""
        label = None if test is None else f"tests.test_a::{test}"
        found = [v for v in self.verdicts if (v["run"], v["attempt"], v["test"]) == (run, attempt, label)]
        assert len(found) == 1, f"{len(found)} newest verdicts on {label} in run {run}"
        return found[0]


def call(verdict: dict[str, Any]) -> tuple[str, str, str]:
    return verdict["kind"], verdict["strength"], verdict["whose"]


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def json_lines(result: Result) -> list[dict[str, Any]]:
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def said() -> Said:
    return Said(json_lines(invoke("verdicts", "--latest", "--json")))


def story_in(folder: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    """A story whose commands use this data folder."""
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(data_dir))
    folder.mkdir(exist_ok=True)
    return Story(folder)
