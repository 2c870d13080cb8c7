"""A matrix leg without a results file, where all its siblings have one: silence that is not a pass."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.domain.gap import Gap, GapKind
from app.domain.job_name import JobName, parse_job_name
from app.domain.run import Conclusion
from app.domain.wording import listed


@dataclass(frozen=True, slots=True)
class Leg:
    """A job of an attempt as it came out; `has_results` says whether a results file of it was taken.

    `variant` and `shard` are those that the job is stored under, whoever told them.
    """

    name: str
    variant: str
    shard: str | None
    conclusion: Conclusion | None
    has_results: bool

    @property
    def ended(self) -> bool:
        return self.conclusion is None or self.conclusion.decides


def siblings_with_results(leg: Leg, jobs: Iterable[Leg]) -> tuple[str, ...]:
    """The other legs of its workflow job, if all that ran to their end have results and it has none."""
    if leg.has_results or not leg.ended:
        return ()
    parsed = parse_job_name(leg.name)
    others = [one for one in jobs if one.ended and _is_sibling(leg, parsed, one)]
    if not all(one.has_results for one in others):
        return ()
    return tuple(sorted({_title(one) for one in others}))


def _is_sibling(leg: Leg, parsed: JobName, other: Leg) -> bool:
    """Jobs of one name that differ in a matrix value or in their shard."""
    told = parse_job_name(other.name)
    differs = (told.values, told.shard, other.variant, other.shard) != (
        parsed.values,
        parsed.shard,
        leg.variant,
        leg.shard,
    )
    return told.base == parsed.base and differs


def _title(leg: Leg) -> str:
    """The name, with what a manifest tells beside it."""
    return leg.name if parse_job_name(leg.name).variant == leg.variant else f"{leg.name} [{leg.variant}]"


def told_by_siblings(job: str, gaps: Sequence[Gap], siblings: Sequence[str]) -> tuple[Gap, ...]:
    """The job's gaps, with the siblings in what is said of its missing file: it has one gap of that."""
    if not siblings:
        return tuple(gaps)
    own = [gap for gap in gaps if gap.kind is GapKind.NO_RESULTS_FILE and gap.subject == job]
    missing = own[0].detail if own else "no results file of this job could be read"
    words = f"{listed(siblings)}, of the same workflow job, had one"
    return (
        *(gap for gap in gaps if gap not in own),
        Gap(GapKind.NO_RESULTS_FILE, job, f"{missing}; {words}"),
    )
