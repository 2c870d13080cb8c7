"""Which of a run's artifacts one of its attempts made: they carry no attempt, only a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from app.domain.artifact import ArtifactRef
from app.domain.errors import Gone
from app.domain.gap import Gap, GapKind
from app.store.run_values import StoredAttempt
from worker.deps import Deps

UPLOAD_SLACK: Final = timedelta(minutes=2)
"""GitHub's clocks: an artifact's time and its attempt's end are written by different machines."""
_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class OwnArtifacts:
    """The attempt's artifacts, one a name; `late` came after it had ended, and may be of no attempt.

    `earlier` were there before it began: the newest of each name that it did not use again.
    """

    found: tuple[ArtifactRef, ...]
    late: tuple[ArtifactRef, ...]
    earlier: tuple[ArtifactRef, ...] = ()

    def gap(self, attempt: StoredAttempt) -> Gap | None:
        if not self.late:
            return None
        names = ", ".join(one.name[:100] for one in self.late[:_NAMED])
        more = f" and {len(self.late) - _NAMED} more" if len(self.late) > _NAMED else ""
        detail = f"made after the attempt had ended, so not read: {names}{more}"
        return Gap(GapKind.RESULTS_UNATTRIBUTED, f"attempt {attempt.attempt}", detail)


def own_artifacts(
    found: Sequence[ArtifactRef], attempt: StoredAttempt, next_start: datetime | None
) -> OwnArtifacts:
    """Those made while the attempt ran, at most until the next one began.

    Of one name the newest counts, since an upload can overwrite another; but of an attempt that another one
    followed, the first, since clocks differ and a later one may be the other's.
    """
    of_name: dict[str, ArtifactRef] = {}
    earlier: dict[str, ArtifactRef] = {}
    late = []
    for artifact in sorted(found, key=lambda artifact: (artifact.created_at, artifact.id)):
        made = artifact.created_at
        if next_start is not None and made >= next_start:
            continue
        if made < attempt.started_at and attempt.attempt > 1:  # before the first, only a clock was behind
            earlier[artifact.name] = artifact
        elif made > attempt.completed_at + UPLOAD_SLACK:
            late.append(artifact)
        elif next_start is None or artifact.name not in of_name:
            of_name[artifact.name] = artifact
    return OwnArtifacts(
        found=tuple(sorted(of_name.values(), key=lambda artifact: artifact.id)),
        late=tuple(late),
        earlier=tuple(one for name, one in earlier.items() if name not in of_name),
    )


def next_start(deps: Deps, attempt: StoredAttempt) -> datetime | None:
    """When the next attempt of the run began; None if there is none."""
    try:
        following = deps.github.run_attempt(attempt.repo_name, attempt.run, attempt.attempt + 1)
    except Gone:
        return None
    return following.started_at
