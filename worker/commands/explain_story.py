"""What `explain` tells people of a file: the cause, its line among others, the test, what followed."""

from collections.abc import Iterator
from typing import Final

from app.domain.category import Category
from app.domain.explaining.explanation import Explanation, Quoted
from app.domain.wording import counted
from app.logs import redact
from worker.commands.explain_content import FileExplained
from worker.commands.file_names import spelled
from worker.commands.quoted_lines import Around
from worker.commands.telling import tell
from worker.replay.bundle.story import Line, Tone

MOST_FAILURES: Final = 20
LONGEST: Final = 300
"""Characters of a quoted line or a name."""

_WORDS: Final = {
    Category.ASSERTION: "an assertion",
    Category.EXCEPTION: "an exception or an error",
    Category.CRASH_SIGNAL: "a crash",
    Category.OOM: "memory",
    Category.TIMEOUT_HANG: "a time limit or a hang",
    Category.INIT_RENDEZVOUS: "init or rendezvous of ranks",
    Category.PORT_CONFLICT: "a port that was taken",
    Category.COLLECTIVE_MISMATCH: "different collectives on different ranks",
    Category.INFRA: "infrastructure",
    Category.WORKER_TERMINATED_SLOW: "a worker that was ended for being slow",
    Category.COLLECTION: "collection of tests",
    Category.XPASS: "an unexpected pass",
    Category.UNKNOWN: "unknown",
}


def tell_explained(one: FileExplained) -> None:
    """Print on stdout; names and lines are made harmless."""
    tell(_lines(one))


def _lines(one: FileExplained) -> Iterator[Line]:
    yield Line(_short(one.name), Tone.HEAD)
    told = one.explanation
    if told is None:
        yield Line(f"  could not be read: {_short(one.reason or '')}")
    else:
        yield from _explained(told, one.around)
    yield Line("")


def _explained(told: Explanation, around: tuple[Around, ...]) -> Iterator[Line]:
    yield Line(f"  {_short(told.root_cause)}", Tone.BAD if told.key or told.test else Tone.PLAIN)
    yield Line(f"  category  {told.category.value}: {_WORDS[told.category]}")
    if told.test is not None:
        yield Line(f"  test      {_short(told.test)}")
    if told.cut:
        yield Line("  the middle of the log was left out, so the cause may stand there")
    yield from _key(told.key, around)
    if told.consequences:
        yield Line("  only followed from it, or tells no more")
        yield from (_quoted(one) for one in told.consequences)
    others = [one for one in told.failures if one.test != told.test]
    if others:
        yield Line(f"  {counted(len(others), 'other failed test')}")
    for failure in others[:MOST_FAILURES]:
        yield Line(f"    {failure.category.value:<12} {_short(failure.test)}")
        if failure.key is not None:
            yield _quoted(failure.key)
    if len(others) > MOST_FAILURES:
        yield Line(f"    and {len(others) - MOST_FAILURES:,} more; --json tells all of them", Tone.SOFT)


def _key(key: Quoted | None, around: tuple[Around, ...]) -> Iterator[Line]:
    if around:
        width = len(f"{around[-1].number:,}")
        for one in around:
            sign = ">" if one.is_it else " "
            yield Line(
                f"  {sign} {one.number:>{width},} | {_short(one.text)}", Tone.BAD if one.is_it else Tone.SOFT
            )
    elif key is not None:
        yield _quoted(key)


def _quoted(quoted: Quoted) -> Line:
    number = "" if quoted.line is None else f"line {quoted.line:,}: "
    return Line(f"    {number}{_short(quoted.text.strip())}", Tone.SOFT)


def _short(text: str) -> str:
    """Secrets hidden before the cut, and everything that moves a terminal spelled out."""
    told = spelled(redact(text))
    return told if len(told) <= LONGEST else f"{told[:LONGEST]} ..."
