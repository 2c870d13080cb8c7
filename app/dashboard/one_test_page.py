"""One test with its evidence: failure modes, observations, verdicts, and the text of the failure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import links, marks, parts, views
from app.dashboard.charts import Day, day_chart
from app.dashboard.contexts import TestPage
from app.dashboard.filters import count, percent, results
from app.dashboard.grid import Sighting, grid, sightings
from app.dashboard.links import GitHubLinks
from app.dashboard.tests_page import windows
from app.dashboard.tests_parts import Change, Figure, Mode, Observation
from app.domain.verdict import EvidenceKind
from app.domain.wording import counted
from app.store import blobs, verdicts
from app.store.screens import attempt_lines, failure_lines, one_test
from app.store.screens.attempt_lines import AttemptLine
from app.store.screens.failure_lines import FailureLine
from app.store.screens.one_test import DayCount, GroupLine, TestName
from app.store.verdicts import StoredVerdict

FAILURES_READ: Final = 200
MODES_SHOWN: Final = 20
OBSERVATIONS_SHOWN: Final = 40
EXCERPT_HEAD: Final = 3_000
EXCERPT_TAIL: Final = 9_000
"""Characters: the end of a failure's text says what happened, the beginning where."""
RANK_LOGS_SHOWN: Final = 50

NO_GROUP: Final = 0


@dataclass(frozen=True, slots=True)
class _Facts:
    name: TestName
    failures: Sequence[FailureLine]
    groups: Mapping[int, GroupLine]
    verdicts: Mapping[int, Sequence[StoredVerdict]]
    """By failure, oldest first."""
    texts: Mapping[str, str]
    runs: Mapping[int, AttemptLine]
    attempts: Mapping[int, AttemptLine]
    sightings: Sequence[Sighting]
    github: GitHubLinks


def one_test_page(
    session: Session, test: int, github: GitHubLinks, *, days: int, now: datetime
) -> TestPage | None:
    """None if there is no such test. A fixed number of statements, however often it failed."""
    name = one_test.name_of(session, test)
    if name is None:
        return None
    since = now - timedelta(days=days)
    facts = _read(session, name, github, since=since)
    counts = one_test.day_counts(session, test, since=since.date())
    rank_logs = one_test.rank_logs(
        session, {failure.attempt for failure in facts.failures}, limit=RANK_LOGS_SHOWN
    )
    modes = _modes(facts)
    newest = facts.failures[0] if facts.failures else None
    return TestPage(
        title=name.label,
        section="tests",
        asked_at=now,
        label=name.label,
        repo=name.repo_name,
        place=name.file or name.suite,
        badge=marks.badge(
            newest.ruling if newest else None,
            opaque=bool(newest and newest.opaque),
            with_whose=newest is not None and _is_of_pull(newest, facts),
        ),
        windows=windows(days),
        figures=_figures(facts, counts),
        days=day_chart(
            [Day(one.day, one.ran, one.red) for one in counts], first=since.date(), last=now.date()
        )
        if counts
        else None,
        grid=grid(facts.sightings, facts.attempts),
        modes=modes[:MODES_SHOWN],
        rank_logs=tuple(views.file(line) for line in rank_logs),
        left_out=_left_out(facts, modes),
    )


def _read(session: Session, name: TestName, github: GitHubLinks, *, since: datetime) -> _Facts:
    failures = failure_lines.of_test(session, name.key, since=since, limit=FAILURES_READ)
    failed_in = attempt_lines.by_key(session, {failure.attempt for failure in failures})
    attempts = attempt_lines.around_failures(
        session,
        name.repo,
        {line.head_sha for line in failed_in.values()},
        branch=name.default_branch,
        since=since,
        limit=30,
    )
    history = verdicts.history(session, [failure.key for failure in failures])
    by_failure: dict[int, list[StoredVerdict]] = {}
    for stored in history:
        by_failure.setdefault(stored.failure, []).append(stored)
    newest_texts = {failure.text_blob for failure in _newest_of_each_mode(failures)}
    variants = one_test.variants(session, name.key, since=since.date())
    known = {line.key: line for line in (*attempts, *failed_in.values())}
    return _Facts(
        name=name,
        failures=failures,
        groups=one_test.groups(session, {one.group for one in failures if one.group is not None}),
        verdicts=by_failure,
        texts=blobs.texts(session, newest_texts),
        runs=attempt_lines.of_github_runs(session, name.repo, views.runs_named(history)),
        attempts=known,
        sightings=sightings(session, name.key, attempts, variants=variants, failures=failures),
        github=github,
    )


def _newest_of_each_mode(failures: Sequence[FailureLine]) -> list[FailureLine]:
    newest: dict[int, FailureLine] = {}
    for failure in failures:
        newest.setdefault(failure.group or NO_GROUP, failure)
    return list(newest.values())[:MODES_SHOWN]


def _modes(facts: _Facts) -> tuple[Mode, ...]:
    """Newest failure first; failures whose text forms no group stand together at the end."""
    by_group: dict[int, list[FailureLine]] = {}
    for failure in facts.failures:
        by_group.setdefault(failure.group or NO_GROUP, []).append(failure)
    ordered = sorted(by_group.items(), key=lambda found: (found[0] == NO_GROUP, -found[1][0].key))
    return tuple(_mode(group, failures, facts) for group, failures in ordered[:MODES_SHOWN])


def _mode(group: int, failures: Sequence[FailureLine], facts: _Facts) -> Mode:
    known = facts.groups.get(group)
    newest = failures[0]
    stored = facts.verdicts.get(newest.key, ())
    text = facts.texts.get(newest.text_blob, "")
    return Mode(
        anchor=f"mode-{group}",
        title=known.title if known is not None else newest.title,
        category=known.category.replace("-", " ")
        if known is not None
        else "no group: the text is too general",
        opaque=known.opaque if known is not None else newest.opaque,
        failures=counted(len(failures), "failure"),
        first_seen_at=known.first_seen_at if known is not None else failures[-1].failed_at,
        last_seen_at=known.last_seen_at if known is not None else newest.failed_at,
        ruling=views.ruling(stored[-1], facts.runs, with_whose=_is_of_pull(newest, facts))
        if stored
        else None,
        observations=_observations(failures, facts),
        history=_history(failures, facts),
        text=views.excerpt(
            text,
            cut=newest.cut,
            head=EXCERPT_HEAD,
            tail=EXCERPT_TAIL,
            removed=newest.text_blob == blobs.REMOVED,
        ),
        newest=parts.Link("whole text and every verdict", links.to_failure(newest.key)),
    )


def _observations(failures: Sequence[FailureLine], facts: _Facts) -> tuple[Observation, ...]:
    """This mode's failures, each with what the test did elsewhere at the same head; newest head first."""
    own = {failure.job: failure for failure in failures}
    heads = {
        facts.attempts[failure.attempt].head_sha for failure in failures if failure.attempt in facts.attempts
    }
    seen = [
        sighting
        for sighting in facts.sightings
        if sighting.job in own
        or (sighting.outcome is not None and not sighting.outcome.is_red and sighting.head_sha in heads)
    ]
    order = {head: place for place, head in reversed(list(enumerate(one.head_sha for one in seen)))}
    seen.sort(key=lambda one: (order[one.head_sha], one.job not in own))
    return tuple(_observation(one, own.get(one.job), facts) for one in seen[:OBSERVATIONS_SHOWN])


def _observation(sighting: Sighting, failure: FailureLine | None, facts: _Facts) -> Observation:
    return Observation(
        mark=sighting.mark,
        attempt=views.attempt(facts.attempts[sighting.attempt], facts.github),
        job=links.outside(sighting.job_name, sighting.job_url),
        tree=views.tree(sighting.tested),
        failure=None if failure is None else parts.Link("text and verdicts", links.to_failure(failure.key)),
        badge=None
        if failure is None
        else marks.badge(failure.ruling, opaque=failure.opaque, with_whose=_is_of_pull(failure, facts)),
    )


def _is_of_pull(failure: FailureLine, facts: _Facts) -> bool:
    """On main nobody's change is under test, so there is no "whose" to answer."""
    return facts.attempts[failure.attempt].pull is not None


def _history(failures: Collection[FailureLine], facts: _Facts) -> tuple[Change, ...]:
    """Every verdict on this mode's failures, newest first."""
    changes = [
        Change(
            at=stored.judged_at,
            badge=views.ruling(stored, {}, with_whose=_is_of_pull(failure, facts)).badge,
            failure=parts.Link(
                f"{views.run_name(facts.attempts[failure.attempt])} in {failure.job_name}",
                links.to_failure(failure.key),
            ),
        )
        for failure in failures
        for stored in facts.verdicts.get(failure.key, ())
    ]
    return tuple(sorted(changes, key=lambda change: change.at, reverse=True)[:OBSERVATIONS_SHOWN])


def _figures(facts: _Facts, counts: Sequence[DayCount]) -> tuple[Figure, ...]:
    ran, red = sum(day.ran for day in counts), sum(day.red for day in counts)
    skipped = sum(day.skipped for day in counts)
    same_tree = _heads_with(facts, {EvidenceKind.SAME_TREE_FLIP})
    flips = same_tree | _heads_with(facts, {EvidenceKind.SAME_SHA_FLIP})
    modes = {failure.group or NO_GROUP for failure in facts.failures}
    at_most = "at least " if len(facts.failures) == FAILURES_READ else ""
    return (
        Figure("Failures", f"{at_most}{count(len(facts.failures))}", counted(len(modes), "mode"), "#modes"),
        Figure("Flips", count(len(flips)), f"{count(len(same_tree))} on one tree", "#grid"),
        Figure("Failure rate", percent(red, ran), f"{count(red)} of {results(ran)}", "#days"),
        Figure("Skipped", count(skipped), "not counted as results", "#days"),
    )


def _heads_with(facts: _Facts, kinds: Collection[EvidenceKind]) -> set[str]:
    """Heads at which a failure has such evidence, in any of its verdicts."""
    return {
        facts.attempts[failure.attempt].head_sha
        for failure in facts.failures
        for stored in facts.verdicts.get(failure.key, ())
        if any(reason.kind in kinds for reason in stored.verdict.reasons)
    }


def _left_out(facts: _Facts, modes: Sequence[Mode]) -> str:
    if len(facts.failures) == FAILURES_READ:
        return f"Only the newest {FAILURES_READ} failures are shown; a shorter window shows fewer."
    return f"Only {MODES_SHOWN} failure modes are shown." if len(modes) > MODES_SHOWN else ""
