"""Typed values out of one untrusted JSON object, each refusal naming the field."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from app.domain.errors import Rejected
from app.domain.ids import RepoName, Sha
from app.domain.moment import FIRST_YEAR, LAST_YEAR, is_plausible
from app.domain.repo_name import is_repo_name

LONGEST_TEXT = 4000
MOST_ITEMS = 10_000
SEPARATOR = ", "
"""Between the fields that are the subject of one refusal."""
LARGEST = 2**63 - 1
"""What a 64-bit column takes."""

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
"""SHA-1 or SHA-256. A short name never equals the same commit's whole one: evidence would be missed."""


def told(refused: Rejected) -> str:
    """`field sha: must be ...` or `fields run, job: missing`, for an object in a file."""
    return f"field{'s' if SEPARATOR in refused.subject else ''} {refused}"


class Fields:
    """Reads one object. Every method raises Rejected with the field's name as its subject."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._record = record

    def require(self, *names: str) -> None:
        """Refuse an object that lacks any of these, naming all that it lacks, so that one try tells all."""
        lacking = [name for name in names if self._record.get(name) is None or self._record[name] == ""]
        if lacking:
            raise Rejected(SEPARATOR.join(lacking), "missing")

    def text(self, name: str) -> str:
        found = self.optional_text(name)
        if found is None:
            raise Rejected(name, "missing")
        return found

    def optional_text(self, name: str) -> str | None:
        """None where the field is absent, null or empty."""
        value = self._record.get(name)
        return None if value is None or value == "" else _text(name, value)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, or a single one; empty where the field is absent or null."""
        value = self._record.get(name)
        if value is None:
            return ()
        if isinstance(value, str):
            return (_text(name, value),)
        if not isinstance(value, Sequence) or len(value) > MOST_ITEMS:
            raise Rejected(name, f"must be a list of at most {MOST_ITEMS} texts")
        return tuple(_text(name, one) for one in value)

    def number(self, name: str) -> int:
        found = self.optional_number(name)
        if found is None:
            raise Rejected(name, "missing")
        return found

    def optional_number(self, name: str) -> int | None:
        value = self._record.get(name)
        if value is None:
            return None
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,19}", value):
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= LARGEST:
            raise Rejected(name, "must be a whole number above 0")
        return value

    def instant(self, name: str) -> datetime:
        found = self.optional_instant(name)
        if found is None:
            raise Rejected(name, "missing")
        return found

    def optional_instant(self, name: str) -> datetime | None:
        """An instant in UTC; one without a zone is refused, since nobody knows what it means."""
        written = self.optional_text(name)
        if written is None:
            return None
        try:
            moment = datetime.fromisoformat(written)
            if moment.tzinfo is None:
                raise Rejected(name, "a time needs its zone, as in 2026-07-16T19:04:11Z")
            if not is_plausible(moment):
                raise Rejected(name, f"must be a time from {FIRST_YEAR} to {LAST_YEAR}")
            return moment.astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise Rejected(name, "must be a time as in 2026-07-16T19:04:11Z") from error

    def repo(self, name: str) -> RepoName:
        written = self.text(name)
        if not is_repo_name(written):
            raise Rejected(name, "must be owner/name")
        return RepoName(written)

    def sha(self, name: str) -> Sha:
        return as_sha(name, self.text(name))

    def optional_sha(self, name: str) -> Sha | None:
        written = self.optional_text(name)
        return None if written is None else as_sha(name, written)

    def optional_shas(self, name: str) -> tuple[Sha, ...] | None:
        """None where the field is absent or null: not known is not the same as none."""
        if self._record.get(name) is None:
            return None
        return tuple(as_sha(name, one) for one in self.texts(name))


def as_sha(name: str, written: str) -> Sha:
    if not _SHA.fullmatch(written.lower()):
        raise Rejected(name, "must be a whole SHA, 40 or 64 hexadecimal digits, as `git rev-parse` gives it")
    return Sha(written.lower())


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise Rejected(name, f"must be a text of at most {LONGEST_TEXT} characters")
    if "\0" in value or not _is_storable(value):
        raise Rejected(name, "holds characters that no database stores")
    return value


def _is_storable(value: str) -> bool:
    """JSON can spell half a character, which UTF-8 cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
