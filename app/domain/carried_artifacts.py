"""Artifacts of earlier attempts, which GitHub lists with all the run's: they tell nothing of this one."""

from collections.abc import Iterator, Mapping, Sequence

from app.domain.artifact import ArtifactRef, names_job
from app.domain.gap import Gap, GapKind


def carried_over(
    earlier: Sequence[ArtifactRef], made_by: Mapping[int, str], silent: Sequence[str]
) -> Iterator[tuple[str, Gap]]:
    """The gaps of jobs that left results in an earlier attempt and none in this one, by the job's name.

    `earlier` were made before this attempt began. `made_by` names the jobs that made them, where that was
    found out then; otherwise the artifact's name has to mean one job alone. `silent` are the jobs that ran
    in this attempt and uploaded nothing. What belongs to any other job was not run again: no gap.
    """
    for artifact in sorted(earlier, key=lambda one: (one.created_at, one.id)):
        job = made_by.get(artifact.id) or _meant(artifact, silent)
        if job is not None and job in silent:
            made = f"{artifact.created_at:%Y-%m-%d %H:%M} UTC"
            detail = f"made by an earlier attempt of {job} ({made}); in this one the job uploaded nothing"
            yield job, Gap(GapKind.ARTIFACT_OF_OTHER_ATTEMPT, artifact.name, detail)


def _meant(artifact: ArtifactRef, jobs: Sequence[str]) -> str | None:
    meant = [job for job in jobs if names_job(artifact.name, job)]
    return meant[0] if len(meant) == 1 else None
