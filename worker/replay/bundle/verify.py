"""Is a bundle what it was, and does it show what it says? Digests first, then the judgement, made again."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.domain.errors import Rejected
from worker.replay.bundle import layout
from worker.replay.bundle.manifest import differences, irregular, read_manifest
from worker.replay.bundle.rejudge import rejudge
from worker.replay.bundle.write import report_json

MOST_TOLD = 200
_LONGEST_VALUE = 120


@dataclass(frozen=True, slots=True)
class Checked:
    """`differences` hold one sentence each, the first MOST_TOLD of `count`; none means that all is well.

    `verdict` and `cause` are as the journals give them today, None where they could not be computed.
    """

    bundle: Path
    test: str
    files: int
    differences: tuple[str, ...]
    count: int
    verdict: str | None
    cause: str | None

    @property
    def is_good(self) -> bool:
        return not self.count

    def as_json(self) -> dict[str, object]:
        return {
            "bundle": str(self.bundle),
            "test": self.test,
            "good": self.is_good,
            "files": self.files,
            "verdict": self.verdict,
            "cause_kind": self.cause,
            "differences": list(self.differences),
            "difference_count": self.count,
        }


def verify(bundle: Path) -> Checked:
    """Compare every file with its digest, and the report with what the journals give.

    Raises Gone where there is no manifest, Rejected where it is none or hostile. What is read is bounded, and
    a bundle that holds links or pipes is not read any further.
    """
    manifest = read_manifest(bundle)
    told = list(differences(bundle, manifest))
    verdict = cause = None
    if next(irregular(bundle), None) is None:
        try:
            again = rejudge(bundle)
        except (Rejected, OSError) as error:
            told.append(f"verdict and cause cannot be computed again: {error}")
        else:
            verdict, cause = again.verdict.value, again.explanation.cause.kind.value
            told += _told_otherwise(bundle, report_json(again))
    return Checked(
        bundle, manifest.test, len(manifest.files), tuple(told[:MOST_TOLD]), len(told), verdict, cause
    )


def _told_otherwise(bundle: Path, again: dict[str, object]) -> Iterator[str]:
    try:
        told = layout.read_json(bundle / layout.REPORT)
    except Rejected as error:
        yield str(error)
        return
    for place, said, computed in _unequal("", told, json.loads(json.dumps(again))):
        yield f"{layout.REPORT} says of {place or 'all'} {said}; the journals give {computed}"


def _unequal(place: str, told: object, again: object) -> Iterator[tuple[str, str, str]]:
    """Where two JSON values part: as deep as both have the same shape."""
    if isinstance(told, dict) and isinstance(again, dict):
        for key in dict.fromkeys([*told, *again]):
            inner = f"{place}.{key}" if place else str(key)
            yield from _unequal(inner, told.get(key, _ABSENT), again.get(key, _ABSENT))
    elif isinstance(told, list) and isinstance(again, list) and len(told) == len(again):
        for index, (one, other) in enumerate(zip(told, again, strict=True)):
            yield from _unequal(f"{place}[{index}]", one, other)
    elif told != again:
        yield place, _short(told), _short(again)


_ABSENT = object()


def _short(value: object) -> str:
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value, default=str)
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "..."
