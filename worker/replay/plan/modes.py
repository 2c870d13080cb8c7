"""Which failures are one failure: trials that agree form a mode, and one mode is what the replay is about."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.domain.replay_words import CauseKind, Outcome
from worker.replay.plan.contradiction import contradicts
from worker.replay.plan.rows import Result, Row
from worker.replay.suspect import Original
from worker.replay.trial import Trial

Agrees = Callable[[Trial, Trial], bool]


@dataclass(frozen=True, slots=True)
class Reference:
    """What a failure must be like to count. `signature` is None where nothing was given to compare with, and
    where the original is opaque: its signature would match anything that says as little.
    """

    signature: str | None = None
    original: Original | None = None


def reference_of(original: Original | None, expected: str | None) -> Reference:
    """A signature that the user names holds in any case; the original's own only where it names a cause."""
    known = None if original is None or original.opaque else original.signature
    return Reference(expected or known, original)


@dataclass(frozen=True, slots=True)
class Modes:
    """`groups` in the order of their first trial; `chosen` is the one that counts, None if there is none."""

    groups: tuple[tuple[Trial, ...], ...]
    chosen: int | None

    @property
    def failures(self) -> tuple[Trial, ...]:
        """The failures that count, in order."""
        return () if self.chosen is None else self.groups[self.chosen]

    @property
    def others(self) -> tuple[tuple[Trial, ...], ...]:
        return tuple(group for at, group in enumerate(self.groups) if at != self.chosen)


def find_modes(trials: Sequence[Trial], reference: Reference, agrees: Agrees) -> Modes:
    """Sort the failures of `trials` into modes; a trial joins a mode only if it agrees with all of it that it
    can be compared with.

    Agreement is not transitive: a bare trial, which shows little, may agree with two probed ones that differ.
    Trials that were ended early come last, when one with signature and cause can link them to bare ones.
    """
    groups: list[list[Trial]] = []
    for trial in sorted(filter(_is_failure, trials), key=_was_ended_early):
        for group in groups:
            comparable = [other for other in group if _can_be_compared(trial, other)]
            if comparable and all(agrees(trial, other) for other in comparable):
                group.append(trial)
                break
        else:
            groups.append([trial])
    for group in groups:
        group.sort(key=lambda trial: trial.spec.number)
    groups.sort(key=lambda group: group[0].spec.number)
    candidates = [at for at, group in enumerate(groups) if _may_be(group, reference)]
    return Modes(tuple(map(tuple, groups)), _choose(groups, candidates))


def _is_failure(trial: Trial) -> bool:
    return trial.outcome.is_failure


def _was_ended_early(trial: Trial) -> bool:
    return trial.outcome is Outcome.ENDED_EARLY


def _can_be_compared(one: Trial, other: Trial) -> bool:
    """One that was ended early has a cause and no signature; a bare one may have a signature and no cause."""
    pair = (one, other)
    unexplained = any(trial.explanation.cause.kind is CauseKind.NOT_EXPLAINED for trial in pair)
    return not (unexplained and any(map(_was_ended_early, pair)))


def _may_be(group: Sequence[Trial], reference: Reference) -> bool:
    if reference.signature is not None:
        return any(trial.signature == reference.signature for trial in group)
    if reference.original is not None:
        original = reference.original
        return not any(contradicts(original, trial) for trial in group)
    return True


def _choose(groups: Sequence[Sequence[Trial]], candidates: Sequence[int]) -> int | None:
    """The first mode that failed; another one only once it has failed twice and the first has not."""
    repeated = [at for at in candidates if len(groups[at]) > 1]
    return next(iter(repeated or candidates), None)


def rows_of(trials: Sequence[Trial], modes: Modes) -> list[Row]:
    ours = {id(trial) for trial in modes.failures}
    return [
        Row(trial.spec.arm, trial.spec.bare, _result(trial, id(trial) in ours), trial.seconds)
        for trial in trials
    ]


def _result(trial: Trial, is_ours: bool) -> Result:  # noqa: FBT001 - private, and read where it is called
    if trial.outcome is Outcome.VOID:
        return Result.VOID
    if trial.outcome is Outcome.NO_TRIAL:
        return Result.NOTHING
    if trial.outcome is Outcome.PASSED:
        return Result.PASSED
    return Result.FAILED if is_ours else Result.OTHER
