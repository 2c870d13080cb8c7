"""Second stage: bring the attempt's artifacts and job logs into the store before GitHub lets them go."""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

from app.domain.artifact import ArtifactRef, UnpackBudget
from app.domain.carried_artifacts import carried_over
from app.domain.errors import Gone, Rejected, Unavailable
from app.domain.gap import Gap, GapKind
from app.domain.joblog.rank_log import is_results_candidate, is_text_log, rank_of
from app.store import artifacts, blobs, commits, gaps, recording, replays, runs, seen_jobs
from app.store.artifacts import ArtifactState, FileKind, SourceFile, StoredArtifact
from app.store.blobs import PackedBlob
from app.store.commits import CommitFacts
from app.store.outbox import Order, ask
from app.store.replays import ArrivedReplay
from app.store.run_values import StoredAttempt, StoredJob
from app.store.session import read_only, unit_of_work
from worker.deps import Deps, Payload
from worker.fetching.annotations import read_annotations
from worker.fetching.job_logs import FetchedLog, LogFetcher
from worker.fetching.known_commits import known_commit
from worker.fetching.own_artifacts import next_start, own_artifacts
from worker.fetching.owners import Owners
from worker.fetching.unpack import open_artifact
from worker.received_bundles import Received, arrived, receive

ASK_AGAIN_S = 5.0
_PROMISES: Final = re.compile(r"test|result|report|junit|log|rank", re.IGNORECASE)


@dataclass(slots=True)
class Haul:
    """What one attempt gave, gathered outside any transaction."""

    artifacts: list[StoredArtifact] = field(default_factory=list)
    files: list[SourceFile] = field(default_factory=list)
    packed: list[PackedBlob] = field(default_factory=list)
    replays: list[ArrivedReplay] = field(default_factory=list)
    gaps: list[tuple[int | None, Gap]] = field(default_factory=list)
    logs: list[FetchedLog] = field(default_factory=list)
    looked_up: list[CommitFacts] = field(default_factory=list)


def fetch_artifacts(deps: Deps, payload: Payload) -> None:
    """Download within bounds; what cannot be had becomes a gap. Safe to repeat, also after what follows."""
    with read_only(deps.store) as session:
        attempt = runs.attempt(session, payload["attempt"])
        jobs = [job for job in runs.jobs_of(session, attempt.id) if not job.is_adopted]
    haul = Haul()
    _fetch_results(deps, attempt, jobs, haul)
    logs = LogFetcher(deps, attempt)
    haul.logs += logs.fetch(jobs)
    _read_annotations(deps, attempt, jobs, haul)
    haul.looked_up += [known_commit(facts) for facts in logs.trees.seen()]
    _store(deps, attempt, haul)


def _read_annotations(deps: Deps, attempt: StoredAttempt, jobs: Sequence[StoredJob], haul: Haul) -> None:
    """What GitHub notes at red jobs whose logs, once they have been looked for, tell no cause.

    Where a log is refused, as without a token, notes are not asked for: few requests are left to spend.
    """
    told = {log.job for log in haul.logs if not log.is_silent}
    red = [job for job in jobs if job.conclusion is not None and job.conclusion.is_red]
    for noted in read_annotations(deps, attempt, [job for job in red if job.id not in told]):
        if noted.gap is not None:
            haul.gaps.append((noted.job, noted.gap))
        if noted.file is not None and noted.blob is not None:
            haul.files.append(noted.file)
            haul.packed.append(noted.blob)


def _fetch_results(deps: Deps, attempt: StoredAttempt, jobs: Sequence[StoredJob], haul: Haul) -> None:
    listed = deps.github.artifacts(attempt.repo_name, attempt.run)
    own = own_artifacts(listed, attempt, next_start(deps, attempt) if listed else None)
    ran = [job for job in jobs if job.started_at is not None]
    if not own.found and ran and _is_young(deps, attempt):
        # An empty list right after the end has been seen to fill up within minutes.
        raise Unavailable(f"artifacts of run {attempt.run}", "none listed yet", retry_after_s=ASK_AGAIN_S)
    owners = Owners(jobs, attempt)
    if (late := own.gap(attempt)) is not None:
        haul.gaps.append((None, late))
    for artifact in own.found:
        _fetch_artifact(deps, attempt, artifact, owners, haul)
    if own.earlier:
        haul.gaps += _carried_over(deps, attempt, jobs, own.earlier, haul)


def _carried_over(
    deps: Deps,
    attempt: StoredAttempt,
    jobs: Sequence[StoredJob],
    earlier: Sequence[ArtifactRef],
    haul: Haul,
) -> list[tuple[int | None, Gap]]:
    """Gaps of jobs that were run again and uploaded nothing this time; none if nobody can say which did."""
    uploaded = {artifact.job for artifact in haul.artifacts}
    if None in uploaded:
        return []
    silent = {job.name: job.id for job in jobs if job.started_at is not None and job.id not in uploaded}
    with read_only(deps.store) as session:
        made_by = artifacts.made_by(session, attempt.run_key, [one.id for one in earlier])
    return [(silent[job], gap) for job, gap in carried_over(earlier, made_by, list(silent))]


def _is_young(deps: Deps, attempt: StoredAttempt) -> bool:
    """Whether its artifacts may still be listed; since we know of it by our clock, whatever GitHub's says."""
    now, wait = deps.clock.now(), timedelta(seconds=deps.settings.artifact_wait_s)
    return now - attempt.completed_at < wait and now - attempt.recorded_at < wait


def _fetch_artifact(
    deps: Deps, attempt: StoredAttempt, artifact: ArtifactRef, owners: Owners, haul: Haul
) -> None:
    job = owners.of(artifact)
    state, detail = ArtifactState.FETCHED, ""
    try:
        members, received, gaps = _take(deps, attempt, artifact)
    except Gone as gone:
        expired = artifact.expired
        state = ArtifactState.EXPIRED if expired else ArtifactState.GONE
        missing = GapKind.ARTIFACT_EXPIRED if expired else GapKind.ARTIFACT_GONE
        detail = gone.reason
        haul.gaps.append((job, Gap(missing, artifact.name, gone.reason)))
    except Rejected as refused:
        state, detail = ArtifactState.REFUSED, refused.reason
        haul.gaps.append((job, Gap(GapKind.ARTIFACT_REFUSED, artifact.name, refused.reason)))
    else:
        haul.gaps += [(job, gap) for gap in gaps]
        for path, kind, blob in members:
            haul.packed.append(blob)
            haul.files.append(SourceFile(job, artifact.name, path, kind, blob.digest))
        _keep_bundles(attempt, artifact, owners, received, haul)
        if not members and not received.bundles:
            state, detail = ArtifactState.UNWANTED, "no results file, no rank log and no replay bundle in it"
    haul.artifacts.append(
        StoredArtifact(
            github_id=artifact.id,
            job=job,
            name=artifact.name,
            size_bytes=artifact.size_bytes,
            digest=artifact.digest,
            state=state,
            detail=detail,
            created_at=artifact.created_at,
        )
    )


def _keep_bundles(
    attempt: StoredAttempt, artifact: ArtifactRef, owners: Owners, received: Received, haul: Haul
) -> None:
    """What replays in the job say, with the report and the test's source as they were."""
    haul.gaps += [(owners.of_bundle(artifact), gap) for gap in received.gaps]
    for bundle in received.bundles:
        job = owners.of_bundle(artifact, runner=bundle.runner)
        haul.replays.append(arrived(bundle, artifact, attempt, job))
        for path, kind, blob in bundle.files:
            haul.packed.append(blob)
            haul.files.append(SourceFile(job, artifact.name, path, kind, blob.digest))


def _take(
    deps: Deps, attempt: StoredAttempt, artifact: ArtifactRef
) -> tuple[list[tuple[str, FileKind, PackedBlob]], Received, list[Gap]]:
    """The files that we read, packed; all of them or, if one is dangerous, none. Bundles are read apart.

    An archive inside that could not be opened is a gap if its name promises results or logs: builds are full
    of others.
    """
    budget = UnpackBudget()
    with tempfile.TemporaryDirectory(dir=deps.scratch) as folder:
        got = deps.github.download_artifact(
            attempt.repo_name, artifact.id, Path(folder) / "artifact", limit_bytes=budget.download_bytes
        )
        if artifact.digest is not None and artifact.digest != f"sha256:{got.sha256}":
            raise Rejected(
                artifact.name, f"its digest is sha256:{got.sha256[:12]}, not {artifact.digest[:19]}"
            )
        name = got.filename or artifact.name
        run = f"{attempt.run}/{attempt.attempt}"
        received = receive(got.path, budget, artifact=artifact.name, run=run)
        members, gaps = [], []
        for member in open_artifact(
            got.path, budget, fallback_name=name, wanted=lambda path: _is_read(path, received), nested=True
        ):
            kind, refused = _kind_of(member.name), member.refused
            if refused is None and kind is not None:
                try:
                    members.append((member.name, kind, PackedBlob(member.stream)))
                except Rejected as error:
                    if member.archive is None:
                        raise
                    refused = error.reason
            if refused is not None and (kind is not None or _PROMISES.search(member.name)):
                gaps.append(Gap(GapKind.FILE_REFUSED, f"{artifact.name}/{member.name}", refused))
        return members, received, gaps


def _is_read(path: str, received: Received) -> bool:
    return not received.holds(path) and _kind_of(path) is not None


def _kind_of(path: str) -> FileKind | None:
    if is_results_candidate(path):
        return FileKind.RESULTS
    return FileKind.RANK_LOG if is_text_log(path) and rank_of(path) is not None else None


def _store(deps: Deps, attempt: StoredAttempt, haul: Haul) -> None:
    now = deps.clock.now()
    with unit_of_work(deps.store) as session:
        blobs.keep(session, *haul.packed, *(log.blob for log in haul.logs if log.blob is not None))
        commits.remember(session, attempt.repo, haul.looked_up)
        artifacts.record(session, attempt.id, haul.artifacts)
        replays.record(session, attempt.id, haul.replays)
        artifacts.add_files(session, attempt.id, [*haul.files, *(f for log in haul.logs for f in log.files)])
        for job, gap in haul.gaps:
            gaps.note(session, attempt.id, job, [gap], at=now)
        for log in haul.logs:
            gaps.note(session, attempt.id, log.job, log.gaps, at=now)
            recording.set_tested_tree(session, log.job, log.tested)
        seen_jobs.set_timed_out(session, {log.job for log in haul.logs if log.timed_out})
        ask(session, Order(f"read:{attempt.id}", "read_results", {"schema": 1, "attempt": attempt.id}))
