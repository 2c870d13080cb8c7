"""Turn a reading into the record that keys are hashed from: masked, repository-relative, free of versions."""

import hashlib
import re
from collections.abc import Sequence

from app.domain.assertion import assertion_template, is_assertion
from app.domain.categorise import categorise, categorise_lines
from app.domain.category import Category
from app.domain.compared_values import compared_values
from app.domain.failure_reading import Reading
from app.domain.failure_record import Attributes, ChainLink, FailureRecord, Phase, RepoFrame
from app.domain.generic import is_generic_line
from app.domain.masking import mask
from app.domain.outcome import TestId
from app.domain.raised import Raised
from app.domain.repo_path import find_root, repo_relative

_MESSAGE_CHARS = 2_000
_HEAD_LINES, _TAIL_LINES, _LINE_CHARS = 10, 20, 200
"""How much of a text without any exception is compared: masking more of a log would cost too much time."""
_INLINE_CHARS = 300
_COMPARED = re.compile(r"(?P<side>left|right|expected|actual|received|got|want|which is):.*", re.IGNORECASE)
"""How other frameworks show the two sides of an assertion: Rust, Jest, GoogleTest, Go."""
_SIGNAL = re.compile(r"\bSIG[A-Z]{3,6}\b")
_FATAL_SIGNALS = (
    ("Segmentation fault", "SIGSEGV"),
    ("Aborted", "SIGABRT"),
    ("Bus error", "SIGBUS"),
    ("Illegal instruction", "SIGILL"),
    ("Floating", "SIGFPE"),
)
_INLINED = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})
"""Frames that Python 3.12 no longer makes (PEP 709)."""


def record_failure(reading: Reading, test: TestId | None) -> FailureRecord:
    """The record of one reading; `test` names the phase's default and the checkout's root."""
    phase = reading.phase or (Phase.PROCESS if test is None else Phase.CALL)
    frames: tuple[RepoFrame, ...] = ()
    statement, said = "", "\n".join(reading.lines)
    if reading.cause is None:
        category, template = _read_plain(reading.lines)
        chain: tuple[ChainLink, ...] = (ChainLink("", template),)
    else:
        root, outermost = reading.cause.root, reading.cause.outermost
        checkout = find_root((frame.path for frame in (*root.frames, *outermost.frames)), test)
        frames, statement = next(
            (shown for each in (root, outermost) if (shown := _repo_frames(each, checkout, test))), ((), "")
        )
        category = _categorise(root, collecting=phase is Phase.COLLECT)
        template = _template(root, statement)
        chain = (ChainLink(_type_of(root), template),)
        if outermost is not root:
            chain = (*chain, ChainLink(_type_of(outermost), _template(outermost, "")))
        said = "\n".join(root.message)
    return FailureRecord(
        framework=reading.framework,
        test_base=None if test is None else test.base_label,
        phase=phase,
        category=category,
        chain=chain,
        frames=frames,
        statement=statement,
        template=template,
        crash=_crash(reading, category),
        attributes=Attributes(
            param=None if test is None or test.name == test.base_name else test.name[len(test.base_name) :],
            ranks=reading.ranks,
            message=said[:_MESSAGE_CHARS],
            truncated=reading.truncated,
            values=compared_values(reading),
        ),
    )


def _type_of(raised: Raised) -> str:
    """A spawned child imports the test module under another name; old Pythons get groups from a package."""
    if raised.leaves:
        return "ExceptionGroup"
    return raised.type.removeprefix("__main__.").removeprefix("__mp_main__.").removeprefix("builtins.")


def _template(raised: Raised, statement: str) -> str:
    if raised.leaves:
        return " | ".join(sorted({f"{_type_of(leaf)}: {_template(leaf, '')}" for leaf in raised.leaves}))
    if is_assertion(raised.type):
        return assertion_template(raised.headline, statement)
    return mask(raised.headline)


def _categorise(raised: Raised, *, collecting: bool) -> Category:
    if raised.leaves:
        first = min(raised.leaves, key=lambda leaf: (leaf.type, leaf.message))
        return _categorise(first, collecting=collecting)
    return categorise(raised.type, raised.headline, collecting=collecting)


def _repo_frames(
    raised: Raised, checkout: str | None, test: TestId | None
) -> tuple[tuple[RepoFrame, ...], str] | None:
    """Distinct frames inside the repository, outer to inner, and the source line of the innermost.

    Recursion is folded, so that its depth does not matter. pytest does not name the function of an excerpt
    that was cut; the outermost one is the test's own.
    """
    found: dict[RepoFrame, str] = {}
    for frame in raised.frames:
        path = repo_relative(frame.path, checkout)
        if path is None or frame.function in _INLINED:
            continue
        function = frame.function or (test.base_name if test is not None and not found else "")
        known = RepoFrame(path, function)
        found.pop(known, None)
        found[known] = frame.source
    if not found:
        return None
    frames = tuple(found)
    if raised.type.endswith("RecursionError"):
        frames = tuple(sorted(frames, key=lambda each: (each.path, each.function)))
    return frames, list(found.values())[-1]


def _read_plain(lines: Sequence[str]) -> tuple[Category, str]:
    """Category and template of a text without an exception: all of it counts, so no phrase alone merges."""
    if len(lines) > _HEAD_LINES + _TAIL_LINES:
        lines = [*lines[:_HEAD_LINES], *lines[-_TAIL_LINES:]]
    lines = [line[:_LINE_CHARS].strip() for line in lines]
    category, telling = categorise_lines(lines)
    shapes = (mask(_COMPARED.sub(r"\g<side> <value>", line)) for line in lines)
    masked = [line for line in shapes if not is_generic_line(line)]
    whole = "\n".join(masked)
    if len(whole) > _INLINE_CHARS:
        digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        whole = f"{mask(telling) if telling else masked[0]} (text {digest})"
    return category or Category.UNKNOWN, whole


def _crash(reading: Reading, category: Category) -> str | None:
    if category not in {Category.CRASH_SIGNAL, Category.OOM, Category.WORKER_TERMINATED_SLOW}:
        return None
    lines = reading.lines if reading.cause is None else (reading.cause.root.headline,)
    for line in lines:
        if (named := _SIGNAL.search(line)) is not None:
            return named[0]
        for words, signal in _FATAL_SIGNALS:
            if words in line:
                return signal
    return None
