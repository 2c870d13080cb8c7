"""With what a replay was made: versions of everything, the machine, and the job; for the bundle."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from app.settings import StepOfJob
from worker.commands.interpreters import installed


def about(python: Path) -> dict[str, str]:
    """By name; packages as they stand beside the interpreter, which is not started for it."""
    machine, step = os.uname(), StepOfJob()
    packages = {f"package {name}": found for name, found in sorted(installed(python).items())}
    return {
        "flake-triage": version("flake-triage"),
        "interpreter": str(python),
        "engine's python": platform.python_version(),
        "kernel": f"{machine.sysname} {machine.release}",
        "machine": machine.machine,
        "cpus": str(os.cpu_count() or "unknown"),
        **{f"github {name}": value for name, value in (step.facts if step.is_in_job else {}).items()},
        **packages,
    }
