"""Runs a trial of a bundle again, with the same limits and seed, and says whether it came to the same."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from app.domain.errors import Gone, Rejected
from worker.replay.bundle import layout
from worker.replay.bundle.manifest import differences, read_manifest
from worker.replay.bundle.rejudge import explain_all, read_suspect, rejudge
from worker.replay.explain.agreement import agree
from worker.replay.limits import Limits
from worker.replay.observed import Naming
from worker.replay.regular_file import read_bounded
from worker.replay.suspect import Suspect
from worker.replay.trial import Trial, TrialSpec
from worker.replay.trials import run_trial

MOST_SOURCE_BYTES = 64 << 20
MOST_SECONDS = 24 * 3600
MOST_NEIGHBOURS = 64


@dataclass(frozen=True, slots=True)
class Repeated:
    """`has_agreed`: both passed, or both failed with signature and cause that agree.

    A flake that passes this time has not agreed, and contradicts nothing.
    """

    bundle: Path
    project: Path
    then: Trial
    now: Trial
    has_agreed: bool
    changed: tuple[str, ...]  # files of the project that are not as they were sealed

    def as_json(self) -> dict[str, object]:
        return {
            "bundle": str(self.bundle),
            "trial": self.then.spec.number,
            "test": self.then.spec.test,
            "arm": self.then.spec.arm.value,
            "bare": self.then.spec.bare,
            "seed": self.then.spec.seed,
            "project": str(self.project),
            "agreed": self.has_agreed,
            "then": _told(self.then),
            "now": _told(self.now),
            "changed_sources": list(self.changed),
        }


def repeat(
    bundle: Path,
    scratch: Path,
    *,
    number: int | None = None,
    project: Path | None = None,
    python: Path | None = None,
    isolated: bool = True,
    on_event: Callable[[Naming], None] | None = None,
) -> Repeated:
    """Repeat one trial, by default the failure that the bundle's story is told of.

    It runs in `project`, else where it ran, else on the sources that the bundle holds; without walls only if
    the caller says so, whatever the bundle says of itself. Raises Gone for a trial that is not there,
    Rejected for a bundle that is not as it was sealed, and what a sandbox raises where none can be had.
    """
    if next(differences(bundle, read_manifest(bundle)), None) is not None:
        raise Rejected(
            str(bundle), "it is not as it was sealed; `flake-triage bundle verify` says what differs"
        )
    before = rejudge(bundle)
    then = _chosen(bundle, before.trials, before.explanation.cause, number)
    if not _is_modest(then.spec):
        raise Rejected(str(bundle), f"its trial {then.spec.number} asks for more than a replay ever does")
    suspect = _suspect(bundle, project, python, isolated=isolated)
    now = run_trial(then.spec, suspect, scratch / "trial", on_event=on_event)
    passed = [one for one in before.trials if one.outcome.counts and not one.outcome.is_failure]
    explained = explain_all([*passed, now])[-1]
    return Repeated(
        bundle=bundle,
        project=suspect.project,
        then=then,
        now=explained,
        has_agreed=_agree(then, explained),
        changed=tuple(_changed(bundle / layout.SOURCE, suspect.project)),
    )


def _is_modest(spec: TrialSpec) -> bool:
    """Whoever made the bundle decides over no more of this machine than `replay` gives a trial."""
    limits, disturbing = spec.limits, spec.perturbation
    usual = Limits(timeout_s=0)
    times = (*(disturbing.pause_ms or ()), *disturbing.pause_gap_ms, disturbing.store_delay_s)
    times += (disturbing.skew_s, disturbing.most_delay_s, limits.timeout_s)
    return (
        all(0 <= one <= MOST_SECONDS for one in times)
        and 0 <= disturbing.busy_neighbours <= MOST_NEIGHBOURS
        and 0 < limits.processes <= usual.processes
        and 0 <= limits.output_bytes <= usual.output_bytes
        and 0 <= limits.disk_bytes <= usual.disk_bytes
    )


def _chosen(bundle: Path, trials: tuple[Trial, ...], cause: object, number: int | None) -> Trial:
    if number is None:
        chosen = layout.evidence(trials, cause) or layout.control(trials)
    else:
        chosen = next((one for one in trials if one.spec.number == number), None)
    if chosen is None:
        known = ", ".join(str(one.spec.number) for one in trials) or "none"
        raise Gone(str(bundle), f"it holds no such trial; it has {known}")
    return chosen


def _suspect(bundle: Path, project: Path | None, python: Path | None, *, isolated: bool) -> Suspect:
    told = read_suspect(bundle)
    place = project or (told.project if told.project.is_dir() else bundle / layout.SOURCE)
    if python is None and not told.python.is_absolute():
        # It would be looked for where the caller stands, and name another program there.
        raise Rejected(
            str(bundle), f"it names {told.python}, not a whole path, as its interpreter; give --python"
        )
    return replace(told, project=place.resolve(), python=python or told.python, isolated=isolated)


def _agree(then: Trial, now: Trial) -> bool:
    if then.outcome.is_failure and now.outcome.is_failure:
        return agree(then, now)
    return then.outcome is now.outcome


def _changed(source: Path, project: Path) -> Iterator[str]:
    for file in sorted(source.rglob("*")):
        path = file.relative_to(source)
        if file.is_file() and not file.is_symlink():
            sealed = read_bounded(file, MOST_SOURCE_BYTES)
            if read_bounded((project / path).resolve(), MOST_SOURCE_BYTES) != sealed:
                yield path.as_posix()


def _told(trial: Trial) -> dict[str, object]:
    return {
        "outcome": trial.outcome.value,
        "signature": trial.signature,
        "cause_kind": trial.explanation.cause.kind.value,
        "rank": trial.explanation.cause.rank,
        "sentence": trial.explanation.cause.sentence,
        "seconds": round(trial.seconds, 3),
        "reason": trial.reason,
    }
