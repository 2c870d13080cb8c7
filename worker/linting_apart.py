"""Lints a file of strangers in a process of its own, within bounds: whatever it does, the worker goes on."""

import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import Final

import structlog

from app.domain.finding_record import from_record
from app.domain.lint.finding import LintFinding

WITHIN_S: Final = 120.0
"""On the clock; the child bounds its own CPU time far below."""
CHILD: Final = "worker.lint_child"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Lint:
    """`note` says why nothing could be found; `found` counts also what was too much to keep."""

    findings: tuple[LintFinding, ...] = ()
    found: int = 0
    note: str = ""


def lint_apart(source: str, path: str, *, within_s: float = WITHIN_S, child: str = CHILD) -> Lint:
    """Never raises for what the file holds; `child` is the module that is run."""
    asked = json.dumps({"source": source, "path": path}).encode()
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, our own words
            [sys.executable, "-P", "-m", child],  # -P: never a module of the folder that we stand in
            input=asked,
            capture_output=True,
            check=False,
            timeout=within_s,
        )
    except subprocess.TimeoutExpired:
        return Lint(note="It takes too long to lint.")
    if done.returncode in {-signal.SIGXCPU, -signal.SIGKILL}:
        return Lint(note="It takes too long to lint.")
    if done.returncode != 0:
        log.warning("the lint broke down", path=path, said=done.stderr[-2000:].decode(errors="replace"))
        return Lint(note="The lint broke down on it; the worker's log says why.")
    told = json.loads(done.stdout)
    note = f"It could not be linted: {told['refused']}." if told["refused"] else ""
    return Lint(tuple(from_record(one) for one in told["findings"]), told["found"], note)
