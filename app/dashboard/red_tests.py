"""Failing tests, each once for all jobs in which it failed alike, what needs a person first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from app.dashboard import marks, views
from app.dashboard.branch_parts import RedTest
from app.dashboard.parts import Badge
from app.domain.ids import RunId
from app.domain.next_step import next_step
from app.domain.verdict import EvidenceKind, Kind, Verdict, Whose
from app.domain.wording import sentence
from app.store.screens.failure_lines import FailureLine, Ruling
from app.store.verdicts import StoredVerdict

URGENCY: Final = (
    Kind.BROKEN_MAIN,
    Kind.REGRESSION,
    Kind.NEW_FAILURE,
    Kind.UNDECIDED,
    Kind.ORDER_DEPENDENT,
    Kind.FLAKY,
    Kind.INFRASTRUCTURE,
)

BADGES_SHOWN: Final = 4
WHOSE_FIRST: Final = (Whose.YOURS, Whose.UNKNOWN, Whose.NOT_YOURS)


def urgency(ruling: Ruling | None) -> tuple[int, int]:
    """Sorts the reader's own first, then by kind; what is not judged yet stands at the end."""
    if ruling is None:
        return len(WHOSE_FIRST), len(URGENCY)
    return WHOSE_FIRST.index(ruling.whose), URGENCY.index(ruling.kind)


def by_urgency(failure: FailureLine) -> tuple[tuple[int, int], str, int]:
    return urgency(failure.ruling), failure.label, failure.key


def badges_of(found: Iterable[tuple[Ruling | None, bool]], *, with_whose: bool) -> tuple[Badge, ...]:
    """Different badges of failures, given as verdict and whether opaque; the most urgent first."""
    ordered = sorted(found, key=lambda one: (urgency(one[0]), one[1]))
    badges = (marks.badge(ruling, opaque=opaque, with_whose=with_whose) for ruling, opaque in ordered)
    return tuple(dict.fromkeys(badges))[:BADGES_SHOWN]


def red_tests(
    failures: Sequence[FailureLine],
    stored: Mapping[int, StoredVerdict],
    *,
    with_whose: bool,
    runs: Mapping[int, RunId] | None = None,
) -> tuple[RedTest, ...]:
    """Failures alike in test, mode and verdict share a line, which gives the reason that decided.

    With `runs`, GitHub's ids by attempt, each also says what to do next.
    """
    alike: dict[tuple[object, ...], list[FailureLine]] = {}
    for failure in sorted(failures, key=by_urgency):
        badge = marks.badge(failure.ruling, opaque=failure.opaque)
        alike.setdefault(
            (failure.test, failure.group or failure.title, badge, failure.job_passed), []
        ).append(failure)
    return tuple(_red_test(same, stored, runs or {}, with_whose=with_whose) for same in alike.values())


def _red_test(
    same: Sequence[FailureLine],
    stored: Mapping[int, StoredVerdict],
    runs: Mapping[int, RunId],
    *,
    with_whose: bool,
) -> RedTest:
    first = same[0]
    verdict = stored.get(first.key)
    return RedTest(
        name=views.failure_name(first),
        failure=views.failure_title(first),
        badge=marks.badge(first.ruling, opaque=first.opaque, with_whose=with_whose),
        jobs=views.listed_jobs(same),
        note="the job passed all the same" if first.job_passed else "",
        because=() if verdict is None else _because(verdict.verdict, with_whose=with_whose),
        next_step=sentence(next_step(verdict.verdict, f"run {runs[first.attempt]}"))
        if verdict is not None and first.attempt in runs
        else "",
    )


def _because(verdict: Verdict, *, with_whose: bool) -> tuple[str, ...]:
    """The reason that decided what it is, and the one that decided that it is not the reader's."""
    decided = list(verdict.reasons[:1])
    if with_whose and verdict.whose is Whose.NOT_YOURS:
        outside = [one for one in verdict.reasons[1:] if one.kind is EvidenceKind.SEEN_WITHOUT_CHANGE]
        decided += outside[:1]
    return tuple(sentence(one.text) for one in decided)
