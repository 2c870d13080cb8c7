"""Which of an attempt's jobs made an artifact, as our keys: GitHub does not say."""

from collections.abc import Sequence

from app.domain.artifact import ArtifactRef, attribute_artifact, attribute_bundle
from app.domain.ids import JobId
from app.domain.run import Job
from app.store.run_values import StoredAttempt, StoredJob


class Owners:
    def __init__(self, jobs: Sequence[StoredJob], attempt: StoredAttempt) -> None:
        self._jobs = [_plain(job, attempt) for job in jobs]
        self._keys: dict[JobId | None, int] = {job.github_id: job.id for job in jobs}

    def of(self, artifact: ArtifactRef) -> int | None:
        return self._keys.get(attribute_artifact(artifact.name, artifact.created_at, self._jobs))

    def of_bundle(self, artifact: ArtifactRef, *, runner: str = "") -> int | None:
        """Of an artifact that holds replay bundles; `runner` is the machine that one of them names."""
        found = attribute_bundle(artifact.name, artifact.created_at, self._jobs, runner=runner)
        return self._keys.get(found)


def _plain(job: StoredJob, attempt: StoredAttempt) -> Job:
    return Job(
        id=JobId(job.github_id),
        run_id=attempt.run,
        attempt=attempt.attempt,
        name=job.name,
        conclusion=job.conclusion,
        started_at=job.started_at,
        completed_at=job.completed_at,
        runner=job.runner,
        labels=(),
        failed_step=job.failed_step,
        url=job.url,
    )
