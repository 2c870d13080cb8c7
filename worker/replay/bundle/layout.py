"""What stands where in a bundle. The engine made the trials' folders and the plan; the rest comes last."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from worker.replay.trial import Trial
from worker.replay.trial_folder import TRIAL

REPORT: Final = "report.json"  # the object of the command line's contract
SUSPECT: Final = "suspect.json"  # the test, its project and interpreter, and what is known of CI's failure
ABOUT: Final = "about.json"  # versions and the machine
CLEANUP: Final = "cleanup.json"  # what was looked for after each trial, and what was found
TIMELINE: Final = "timeline.txt"
PICTURE: Final = "picture.svg"
PAGE: Final = "page.html"
SOURCE: Final = "source"
PLAN: Final = "plan.json"
MOST_TRIALS: Final = 10_000


def trial_folders(bundle: Path) -> list[Path]:
    """Every folder that holds a trial's record, in the order of their names; followed through no link."""
    return sorted(_below(bundle, depth=2))


def _below(folder: Path, *, depth: int) -> Iterator[Path]:
    if depth == 0 or folder.is_symlink() or not folder.is_dir():
        return
    for one in folder.iterdir():
        if one.name == SOURCE or one.is_symlink():
            continue
        if (one / TRIAL).is_file():
            yield one
        else:
            yield from _below(one, depth=depth - 1)


def evidence(trials: Sequence[Trial], cause: object) -> Trial | None:
    """The failure that a story is told of: one with that cause, seen from inside if any was."""
    failures = [one for one in trials if one.outcome.is_failure]
    alike = [one for one in failures if one.explanation.cause == cause] or failures
    return next((one for one in alike if not one.spec.bare), alike[0] if alike else None)


def control(trials: Sequence[Trial]) -> Trial | None:
    """A trial that passed, seen from inside if any was."""
    passed = [one for one in trials if one.outcome.counts and not one.outcome.is_failure]
    return next((one for one in passed if not one.spec.bare), passed[0] if passed else None)
