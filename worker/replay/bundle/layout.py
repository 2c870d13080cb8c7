"""What stands where in a bundle. The engine made the trials' folders and the plan; the rest comes last."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from app.domain.errors import Rejected
from worker.replay.bundle.manifest import NAME as MANIFEST
from worker.replay.plan_file import NAME as PLAN
from worker.replay.regular_file import read_bounded
from worker.replay.trial import Trial
from worker.replay.trial_folder import TRIAL

__all__ = ["MANIFEST", "PLAN"]

REPORT: Final = "report.json"  # the object of the command line's contract
SUSPECT: Final = "suspect.json"  # the test, its project and interpreter, and what is known of CI's failure
ABOUT: Final = "about.json"  # versions and the machine
CLEANUP: Final = "cleanup.json"  # what was looked for after each trial, and what was found
TIMELINE: Final = "timeline.txt"
PICTURE: Final = "picture.svg"
PAGE: Final = "page.html"
TRACES: Final = "traces"  # of the trial in the picture, one for each process
SOURCE: Final = "source"
MOST_JSON_BYTES: Final = 64 << 20


def trial_folders(bundle: Path) -> list[Path]:
    """The folders of the trials in order: those that are named by a number. Those of canaries are apart."""
    found = [one for one in bundle.iterdir() if one.name.isdecimal() and not one.is_symlink()]
    return sorted((one for one in found if (one / TRIAL).is_file()), key=lambda one: int(one.name))


def bundles_in(folder: Path) -> list[Path]:
    """The folder itself where it is a bundle, else the bundles that stand in it, in order of their names."""
    if (folder / MANIFEST).is_file():
        return [folder]
    return sorted(one.parent for one in folder.glob(f"*/{MANIFEST}"))


def read_json(path: Path) -> object:
    """Rejected where it is missing, too large, or no JSON."""
    try:
        return json.loads(read_bounded(path, MOST_JSON_BYTES))
    except (ValueError, RecursionError) as error:
        raise Rejected(str(path.parent), f"its {path.name} cannot be read") from error


def evidence(trials: Sequence[Trial], cause: object) -> Trial | None:
    """The failure that a story is told of: one with that cause, seen from inside if any was."""
    failures = [one for one in trials if one.outcome.is_failure]
    alike = [one for one in failures if one.explanation.cause == cause] or failures
    return next((one for one in alike if not one.spec.bare), alike[0] if alike else None)


def control(trials: Sequence[Trial]) -> Trial | None:
    """A trial that passed, seen from inside if any was."""
    passed = [one for one in trials if one.outcome.counts and not one.outcome.is_failure]
    return next((one for one in passed if not one.spec.bare), passed[0] if passed else None)
