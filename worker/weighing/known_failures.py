"""Failures that others are weighed against, each read once: those of one group or test ask for the same."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from app.domain.ids import Sha
from app.domain.outcome import TestId
from app.store import failure_places, failures, identities
from app.store.failures import StoredFailure

Asked = tuple[int, datetime, int, Sha]
"""A group, since when, how many at most, and at which head not."""


class KnownFailures:
    """Within one session, in which no failure is stored or signed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._by_key: dict[int, StoredFailure] = {}
        self._answers: dict[Asked, list[int]] = {}
        self._alike: dict[tuple[int, int], bool] = {}
        self._tests: dict[int, TestId] = {}

    def of_group(self, group: int, *, since: datetime, limit: int, not_at: Sha) -> list[StoredFailure]:
        """The group's failures at other heads, newest first, at most `limit`."""
        asked = (group, since, limit, not_at)
        if asked not in self._answers:
            keys = failure_places.of_group(self._session, group, since=since, limit=limit, not_at=not_at)
            missing = [key for key in keys if key not in self._by_key]
            self._by_key |= {one.id: one for one in failures.by_ids(self._session, missing)}
            self._answers[asked] = keys
        return [self._by_key[key] for key in self._answers[asked]]

    def alike_in(self, group: int, jobs: Sequence[int]) -> set[int]:
        """Those of the jobs that hold a failure of the group."""
        missing = [job for job in jobs if (group, job) not in self._alike]
        if missing:
            alike = failures.alike_in(self._session, group, missing)
            self._alike |= {(group, job): job in alike for job in missing}
        return {job for job in jobs if self._alike[group, job]}

    def label(self, test: int | None) -> str:
        """Empty for a failure without a test."""
        if test is None:
            return ""
        if test not in self._tests:
            self._tests |= identities.by_key(self._session, {test})
        return self._tests[test].label
