"""The signature of a failure: parse first, mask second, compare last.

`sign` reads the text into a record, and hashes five keys from it, one for each question that is asked of two
failures: the same text, the same failure mode, the same place, the same cause over many tests, the same job.
"""

import hashlib
import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.category import Category
from app.domain.failure_reading import Reading, read_failure
from app.domain.failure_record import FailureRecord, RepoFrame
from app.domain.generic import is_placeholder, says_nothing
from app.domain.job_name import parse_job_name
from app.domain.masking import mask
from app.domain.opacity import holds_no_cause, names_no_cause
from app.domain.outcome import TestId
from app.domain.raised import collapse
from app.domain.record_failure import record_failure
from app.domain.repo_path import likely_files

SIGNATURE_VERSION = 3
"""Rises whenever any key of any text may change; it is part of every key."""

KEY_FRAMES = 3
"""Innermost frames in the group key: they tell call paths apart, and survive a refactoring further out."""
TITLE_CHARS = 200
_KEY_HEX = 32
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Unicode categories that steer a terminal, reorder a line, or show nothing."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Keys by level, None where the level would link what is not alike (`generic`, no frame, no job).

    A failure of which nothing was told has no key at all. `opaque` says that the text holds no cause: an
    equal `group` then does not mean an equal cause. `title` is one line for a heading: the statement of an
    assertion as in the source, otherwise the masked root cause.
    """

    version: int
    exact: str | None
    group: str | None
    frame: str | None
    cluster: str | None
    job: str | None
    category: Category
    generic: bool
    opaque: bool
    title: str
    record: FailureRecord


def sign(
    *, test: TestId | None, message: str, text: str, job: str | None = None, workflow: str | None = None
) -> Signature:
    """Sign one failure from its raw message and text; total on any input, and the same for the same input.

    `message` is what the results file says beside the text, often its first line. `job` and `workflow` place
    failures that belong to no test.
    """
    reading = read_failure(message, text)
    record = record_failure(reading, test)
    generic = says_nothing(record, reading.lines)
    job_base = parse_job_name(job).base if job is not None and test is None else None
    group = None if generic and test is None else _group_key(record, job_base)
    return Signature(
        version=SIGNATURE_VERSION,
        exact=None if is_placeholder(reading.lines) else _key("exact", record.test_base, *reading.lines),
        group=group,
        frame=None if group is None or not record.frames else _frame_key(record, job_base),
        cluster=None if generic else _cluster_key(record, test),
        job=None if job_base is None or not record.template else _job_key(record, workflow, job_base),
        category=record.category,
        generic=generic,
        opaque=_is_opaque(reading, record, generic=generic),
        title=_title(record, reading),
        record=record,
    )


def _group_key(record: FailureRecord, job_base: str | None) -> str:
    return _key(
        "group",
        *_place(record, job_base),
        record.template,
        record.statement if record.category is Category.ASSERTION else "",
    )


def _job_key(record: FailureRecord, workflow: str | None, job_base: str) -> str:
    return _key("job", workflow, job_base, record.category, record.template)


def _frame_key(record: FailureRecord, job_base: str | None) -> str:
    return _key("frame", *_place(record, job_base))


def _place(record: FailureRecord, job_base: str | None) -> list[object]:
    """Everything of the group key but the words: what stays when a message is rewritten."""
    return [
        record.test_base,
        job_base,
        record.phase,
        record.category,
        record.chain[0].type,
        record.chain[-1].type,
        [[frame.path, frame.function] for frame in record.frames[-KEY_FRAMES:]],
        record.crash,
    ]


def _cluster_key(record: FailureRecord, test: TestId | None) -> str | None:
    """One cause over many tests: the test, its file and its assertions are left out."""
    root = record.chain[0]
    if not root.type or not record.template:
        return None
    frame = _outside_of(record.frames, likely_files(test))
    place = None if frame is None else [frame.path, frame.function]
    return _key("cluster", record.category, root.type, record.template, place)


def _outside_of(frames: Sequence[RepoFrame], files: Sequence[str]) -> RepoFrame | None:
    return next((frame for frame in reversed(frames) if frame.path not in files), None)


def _key(level: str, *parts: object) -> str:
    said = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    digest = hashlib.sha256(said.encode("ascii")).hexdigest()[:_KEY_HEX]
    return f"v{SIGNATURE_VERSION}:{level}:{digest}"


def _is_opaque(reading: Reading, record: FailureRecord, *, generic: bool) -> bool:
    if generic and record.test_base is None:
        return True  # the last words of a job name no cause
    if reading.cause is None:
        return generic or names_no_cause(" ".join(reading.lines[:5]))
    speechless = generic and not record.frames and record.crash is None
    return holds_no_cause(reading.cause.root) or (speechless and record.category is not Category.ASSERTION)


def _title(record: FailureRecord, reading: Reading) -> str:
    root = record.chain[0]
    if record.category is Category.ASSERTION and record.statement:
        words = record.statement
    elif root.type:
        words = f"{root.type}: {record.template}" if record.template else root.type
    else:
        words = record.template or mask(reading.lines[0] if reading.lines else "")
    visible = collapse("".join(" " if unicodedata.category(each) in _HIDDEN else each for each in words))
    visible = visible or "no readable text"
    return visible if len(visible) <= TITLE_CHARS else visible[: TITLE_CHARS - 1].rstrip() + "…"
