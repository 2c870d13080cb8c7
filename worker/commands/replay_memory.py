"""Refuses a memory limit that a test would not pass on its best day: one unlimited trial tells its peak."""

import tempfile
from dataclasses import replace
from pathlib import Path

import typer

from app.domain.replay_words import Arm
from worker.replay.limits import Limits
from worker.replay.sandbox.memory_rule import MemoryTooTight, checked_memory
from worker.replay.suspect import Suspect
from worker.replay.trial import TrialSpec
from worker.replay.trials import run_trial


def require_room(suspect: Suspect, limits: Limits) -> None:
    """BadParameter where `limits` hold less than 1.2 times what the test needs without any.

    Where no counter of memory can be read, nothing can be said against a limit, and nothing is.
    """
    if limits.memory_bytes is None:
        return
    free = replace(limits, memory_bytes=None, cpus=None)
    spec = TrialSpec(number=0, test=suspect.test, arm=Arm.PLAIN, bare=True, seed=0, limits=free)
    with tempfile.TemporaryDirectory(prefix="flake-triage-peak-") as folder:
        trial = run_trial(spec, suspect, Path(folder) / "trial")
    try:
        checked_memory(limits.memory_bytes, trial.usage.memory_peak_bytes if trial.outcome.counts else None)
    except MemoryTooTight as error:
        raise typer.BadParameter(f"--memory: {error}; --tight-memory takes it all the same") from error
