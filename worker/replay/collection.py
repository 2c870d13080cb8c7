"""Which tests a path holds, as pytest collects them: in a sandbox, since collecting runs the project."""

import subprocess
import tempfile
from pathlib import Path
from typing import Final

from app.domain.errors import Gone, Rejected
from worker.replay.limits import Limits
from worker.replay.sandbox.open import open_sandbox
from worker.replay.suspect import Suspect

MOST_BYTES: Final = 8 << 20
MOST_TESTS: Final = 2000
_NOT_COLLECTED: Final = 5  # pytest's exit code where it found no test


def collect(suspect: Suspect, path: str, *, limits: Limits) -> list[str]:
    """Node ids of every test of a file or folder, in pytest's order; `suspect.test` is not looked at.

    Raises Gone where there is none, Rejected where it cannot be collected, and what a sandbox raises where
    none can be had.
    """
    scratch = Path(tempfile.gettempdir())
    with (
        tempfile.TemporaryDirectory(prefix="flake-triage-tools-") as tools,
        tempfile.TemporaryFile() as printed,
        open_sandbox(limits, suspect, scratch, tools=Path(tools), journal=None) as sandbox,
    ):
        command = [
            str(sandbox.view.python),
            "-m",
            "pytest",
            "--collect-only",
            "-qq",
            "-p",
            "no:cacheprovider",
        ]
        process = sandbox.launch(
            [*command, "--verbosity=-1", path], {}, stdout=printed, stderr=subprocess.STDOUT
        )
        try:
            code = process.wait(timeout=limits.timeout_s)
        except subprocess.TimeoutExpired as error:
            sandbox.kill()
            raise Rejected(path, f"its tests were not collected within {limits.timeout_s:g} s") from error
        printed.seek(0)
        text = printed.read(MOST_BYTES).decode("utf-8", "replace")
    return _nodes(path, code, text)


def _nodes(path: str, code: int, text: str) -> list[str]:
    nodes = [line for line in text.splitlines() if "::" in line and not line.startswith((" ", "ERROR "))]
    if code == _NOT_COLLECTED or (code == 0 and not nodes):
        raise Gone(path, "pytest finds no test in it")
    if code != 0:
        said = [line.strip() for line in text.splitlines() if line.strip()]
        raise Rejected(path, f"pytest cannot collect it: {said[-1][:300] if said else f'exit code {code}'}")
    if len(nodes) > MOST_TESTS:
        raise Rejected(path, f"it holds {len(nodes)} tests, more than the {MOST_TESTS} of one command")
    return nodes
