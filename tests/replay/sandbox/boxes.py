"""Runs code in a sandbox, as whoever runs the tests or as nobody, and tells what came of it."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boxed_run
import pytest
from boxed_run import Ran, run_boxed

REPOSITORY = Path(__file__).parents[3]
SYSTEM_PYTHON = Path("/usr/bin/python3")
NOBODY = 65534


@dataclass
class Box:
    """A place in /tmp that everybody can reach, with a project, a tools and a journal folder."""

    place: Path
    as_nobody: bool
    walls: str

    def run(self, code: str, *, isolated: bool = True, backends: Sequence[str] = (), **limits: Any) -> Ran:
        request = {
            "place": str(self.place),
            "python": str(SYSTEM_PYTHON if self.as_nobody else sys.executable),
            "code": code,
            "isolated": isolated,
            "walls": [self.walls],
            "backends": list(backends),
            "limits": {"timeout_s": 60, **limits},
        }
        if not self.as_nobody:
            return run_boxed(request)
        become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        done = subprocess.run(
            [*become, str(SYSTEM_PYTHON), boxed_run.__file__],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
            cwd=self.place,
            env={
                "PATH": os.defpath,
                "SOME_TOKEN": os.getenv("SOME_TOKEN", ""),
                "PYTHONPATH": str(REPOSITORY),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
        )
        assert done.returncode == 0, done.stderr
        return Ran(**json.loads(done.stdout))


@contextmanager
def new_box(user: str, walls: str) -> Iterator[Box]:
    """Skips where this machine cannot have it; the place goes at the end."""
    as_nobody = user == "nobody"
    if as_nobody and (os.geteuid() != 0 or not _is_usable(SYSTEM_PYTHON)):
        pytest.skip("to become nobody takes root, and a Python of the system from 3.11 on")
    with tempfile.TemporaryDirectory(prefix="sandbox-test-") as name:
        place = Path(name)
        place.chmod(0o755)
        for folder in ("project", "tools", "journal", "scratch"):
            (place / folder).mkdir()
            if as_nobody:
                os.chown(place / folder, NOBODY, NOBODY)
        box = Box(place, as_nobody, walls)
        refused = box.run("pass").refused
        if refused:
            pytest.skip(refused)
        yield box


def _is_usable(python: Path) -> bool:
    asked = "import sys; sys.exit(sys.version_info < (3, 11))"
    return python.exists() and subprocess.run([python, "-c", asked], check=False).returncode == 0


WAYS = [(user, walls) for user in ("self", "nobody") for walls in ("bubblewrap", "unshare")]
