"""The command line as a person runs it, on a small project of plain Python."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def flake_triage(*arguments: object, cwd: Path | None = None) -> Told:
    command = [sys.executable, "-m", "worker", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, timeout=110)
    return Told(done.returncode, done.stdout, done.stderr)


def replay(project: Path, *arguments: object, out: Path) -> Told:
    """With our own interpreter, which has pytest, and as JSON."""
    own = ("--project", project, "--python", sys.executable, "--out", out, "--json")
    return flake_triage("replay", *arguments, *own)
