"""Is a bundle what it was, and does it show what it says? Digests first, then the judgement, made again."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.domain.errors import Rejected
from worker.replay.bundle import layout
from worker.replay.bundle.judges import is_prose, own_digest
from worker.replay.bundle.manifest import Manifest, differences, irregular, read_manifest
from worker.replay.bundle.rejudge import rejudge
from worker.replay.bundle.write import report_json

MOST_TOLD = 200
_LONGEST_VALUE = 120


@dataclass(frozen=True, slots=True)
class Checked:
    """`differences` hold one sentence each, the first MOST_TOLD of `count`; none means that all is well.

    `verdict` and `cause` are as the journals give them today, None where they could not be computed.
    `reworded` counts sentences that this build words otherwise than the build that judged the bundle: facts
    must be equal whoever judged, words only where the same code did.
    """

    bundle: Path
    test: str
    files: int
    differences: tuple[str, ...]
    count: int
    verdict: str | None
    cause: str | None
    reworded: int = 0

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
            "reworded": self.reworded,
        }


def verify(bundle: Path) -> Checked:
    """Compare every file with its digest, and the report with what the journals give.

    Raises Gone where there is no manifest, Rejected where it is none or hostile. What is read is bounded, and
    a bundle that holds links or pipes is not read any further.
    """
    manifest = read_manifest(bundle)
    told = list(differences(bundle, manifest))
    verdict = cause = None
    reworded = 0
    if next(irregular(bundle), None) is None:
        try:
            again = rejudge(bundle)
        except (Rejected, OSError) as error:
            told.append(f"verdict and cause cannot be computed again: {error}")
        else:
            verdict, cause = again.verdict.value, again.explanation.cause.kind.value
            otherwise, reworded = _told_otherwise(bundle, manifest, report_json(again))
            told += otherwise
    return Checked(
        bundle,
        manifest.test,
        len(manifest.files),
        tuple(told[:MOST_TOLD]),
        len(told),
        verdict,
        cause,
        reworded,
    )


def _told_otherwise(bundle: Path, manifest: Manifest, again: dict[str, object]) -> tuple[list[str], int]:
    """What the report says otherwise, and how many sentences another build words otherwise."""
    try:
        told = layout.read_json(bundle / layout.REPORT)
    except Rejected as error:
        return [str(error)], 0
    is_ours = manifest.judged_by == own_digest()
    found, reworded = [], 0
    for place, said, computed in _unequal("", told, json.loads(json.dumps(again))):
        if is_prose(place) and not is_ours:
            reworded += 1
        else:
            found.append(f"{layout.REPORT} says of {place or 'all'} {said}; the journals give {computed}")
    return found, reworded


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
