"""The command line as a person runs it, on a small project of plain Python."""

import contextlib
import io
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from worker import trouble
from worker.cli import cli

PROJECT = {
    "pytest.ini": "[pytest]\n",
    "sums/__init__.py": "",
    "sums/add.py": "def add(one, other):\n    return one - other\n",
    "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n",
    "tests/test_sums.py": (
        "import pytest\nfrom sums.add import add\n\n\n"
        "def test_wrong(two):\n    assert add(two, 2) == 4\n\n\n"
        "def test_right(two):\n    assert add(two, 2) == 0\n\n\n"
        "@pytest.mark.skip(reason='not here')\ndef test_skipped():\n    raise AssertionError\n\n\n"
        "class TestMore:\n    @pytest.mark.parametrize('value', [1, 2])\n"
        "    def test_each(self, value):\n        assert value\n"
    ),
    "tests/test_broken.py": "import nowhere_to_be_found\n\n\ndef test_any():\n    pass\n",
}
WRONG, RIGHT = "tests/test_sums.py::test_wrong", "tests/test_sums.py::test_right"


@dataclass(frozen=True, slots=True)
class Told:
    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def object(self) -> dict[str, Any]:
        assert len(self.objects) == 1, (self.out, self.err)
        return self.objects[0]


def write_project(folder: Path, files: Mapping[str, str] = PROJECT) -> Path:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def flake_triage(*arguments: object) -> Told:
    """In this process, which saves the second that a start takes; what is expected to go wrong is told."""
    result = CliRunner().invoke(cli, [str(one) for one in arguments])
    if isinstance(result.exception, trouble.Expected):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            code = trouble.tell(result.exception)
        return Told(code, result.stdout, result.stderr + said.getvalue())
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Told(result.exit_code, result.stdout, result.stderr)


def replay(project: Path, *arguments: object, out: Path) -> Told:
    """With our own interpreter, which has pytest, and as JSON."""
    own = ("--project", project, "--python", sys.executable, "--out", out, "--json")
    return flake_triage("replay", *arguments, *own)
