"""Where a test ran and what it did there: jobs by attempt, and the picture of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.dashboard import links, marks, parts, views
from app.dashboard.charts import GridChart, grid_chart
from app.domain.ids import Sha
from app.domain.outcome import OutcomeKind
from app.domain.tested_tree import TestedTree
from app.domain.wording import short
from app.store import results, runs
from app.store.runs import JobRow
from app.store.screens.attempt_lines import AttemptLine
from app.store.screens.failure_lines import FailureLine

JOBS_READ = 240
ROWS_SHOWN = 24


@dataclass(frozen=True, slots=True)
class Sighting:
    """One job that should have run the test; `outcome` is None where its results do not name it."""

    job: int
    job_name: str
    job_url: str
    variant: str
    attempt: int
    head_sha: Sha
    tested: TestedTree
    outcome: OutcomeKind | None

    @property
    def mark(self) -> parts.Mark:
        return marks.NOT_REPORTED if self.outcome is None else marks.OF_OUTCOME[self.outcome]


def sightings(
    session: Session,
    test: int,
    attempts: Sequence[AttemptLine],
    *,
    variants: Collection[int],
    failures: Sequence[FailureLine],
) -> list[Sighting]:
    """Jobs of these attempts in variants that know the test, newest first, and the jobs of all failures."""
    failed = {failure.job: failure.outcome for failure in failures}
    wanted = JobRow.attempt_id.in_([line.key for line in attempts]) & JobRow.variant_id.in_(list(variants))
    found = runs.job_executions(session, wanted | JobRow.id.in_(list(failed)), limit=JOBS_READ)
    vectors = results.vectors(session, [one.job.id for one in found])
    return [
        Sighting(
            job=one.job.id,
            job_name=one.job.name,
            job_url=one.job.url,
            variant=one.job.variant,
            attempt=one.attempt.id,
            head_sha=one.attempt.head_sha,
            tested=one.job.tested,
            outcome=failed.get(one.job.id)
            or (vectors[one.job.id].outcome_of(test) if one.job.id in vectors else None),
        )
        for one in found
    ]


def grid(seen: Sequence[Sighting], attempts: Mapping[int, AttemptLine]) -> GridChart | None:
    """Variants by attempts, oldest on the left; of several shards the one that ran the test counts."""
    shown = [one for one in seen if one.attempt in attempts]
    if not shown:
        return None
    ordered = sorted({one.attempt for one in shown}, key=lambda key: (attempts[key].started_at, key))[-30:]
    rows = sorted({one.variant for one in shown})[:ROWS_SHOWN]
    columns = [(links.to_run(key), attempts[key]) for key in ordered]
    cells: dict[tuple[int, int], parts.Mark] = {}
    for one in shown:
        if one.variant in rows and one.attempt in ordered:
            place = (rows.index(one.variant), ordered.index(one.attempt))
            if place not in cells or one.outcome is not None:
                cells[place] = one.mark
    return grid_chart(
        rows, [(parts.Link(short(line.head_sha), href), _said(line)) for href, line in columns], cells
    )


def _said(line: AttemptLine) -> str:
    return f"{views.run_name(line)} ({line.event}) at {short(line.head_sha)}"
