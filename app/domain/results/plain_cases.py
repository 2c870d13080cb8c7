"""Runs of like elements without children, cut out of the markup and read by their shape, not by the parser.

Most of a results file is `<testcase classname=".." name=".." time=".." />`, thousands of times. One regular
expression reads a run of them in a quarter of the time that a parser takes to call us for each.
"""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from app.domain.results.marked_cases import Marked, MarkedCases

RUN: Final = "_run"
"""The element that stands in the markup for a run, so that the parser tells its place. Its opening is shorter
than what `clean_chunks` never cuts in two."""

LEAST: Final = 4
"""A shorter run costs more than it saves."""
MAX_SHAPES: Final = 4
"""Shapes of one file; a file of many more is none of whose elements are alike."""
_MAX_ATTRIBUTES: Final = 12
_LONGEST_SKELETON: Final = 1024
"""A longer one would make an expression that costs more than it saves."""

_STAND_IN: Final = f"<{RUN}/>".encode()
_OPENING: Final = f"<{RUN}".encode()
_EMPTY_END: Final = b"/>"
_ATTRIBUTE: Final = r"\s+([A-Za-z_][A-Za-z0-9_.-]{0,39})=(?:(\")[^\"<&\t\r\n]*\"|'[^'<&\t\r\n]*')"
_TEXT: Final = r"[^<&]*(?:&(?:lt|gt|amp|quot|apos);[^<&]*)*"
_PRINTED: Final = rf"(?:\s*<system-(?:out>{_TEXT}</system-out|err>{_TEXT}</system-err)>){{0,2}}\s*"
_END: Final = rf"\s*(?:/>|>{_PRINTED}</%s>)\s*"
"""What a test printed is not kept, so it may stand in a run."""
_NO_XML: Final = b"]]>"
_SPELT: Final = re.compile(_ATTRIBUTE.encode())
_VALUE: Final = re.compile(rb"\"[^\"]*\"|'[^']*'")
_EMPTY_VALUE: Final = re.compile(r"\"\"|''")


@dataclass(frozen=True, slots=True)
class Run:
    """The attributes of each element of a run: a row holds their values in the order of `names`."""

    names: tuple[str, ...]
    rows: list[tuple[str, ...]]


class PlainRuns:
    """Takes the runs of one element out of a file's plain markup; `runs` holds them until they are read.

    Whatever the parser has to look at stays where it is: values with references or line ends, names with a
    prefix, elements with children. So what is read is the same as if the parser had read it.
    """

    def __init__(self, element: str) -> None:
        self.runs: deque[Run | Marked] = deque()
        self._marked = MarkedCases(element)
        self._element = element
        self._start = f"<{element}".encode()
        self._is_on = bool(element)
        self._shapes: list[_Shape] = []
        self._tried: dict[_Shape, int] = {}
        """How far in the piece a shape was compared in vain. It is not compared there again: with shapes that
        alternate, the time would grow with the square of their number."""

    def take(self, piece: bytes) -> Iterator[bytes]:
        """Yield what is left for the parser. The piece may begin and end within a tag."""
        self._is_on = self._is_on and _OPENING not in piece  # or the file could tell runs of its own
        self._tried.clear()
        may_hold_one = self._is_on and _NO_XML not in piece
        done, at = 0, piece.find(self._start) if may_hold_one else -1
        while at >= 0:
            found = self._read(piece, at)
            if found is None:
                at = piece.find(self._start, at + 1)
                continue
            if done < at:
                yield piece[done:at]
            run, end = found
            self.runs.append(run)
            yield _STAND_IN + b"\n" * piece.count(b"\n", at, end)  # keeps the parser's line numbers true
            done, at = end, piece.find(self._start, end)
        if done < len(piece):
            yield piece[done:]

    def _read(self, piece: bytes, at: int) -> tuple[Run | Marked, int] | None:
        return self._read_run(piece, at) or self._marked.read(piece, at)

    def _read_run(self, piece: bytes, at: int) -> tuple[Run, int] | None:
        for shape in self._shapes:
            if (found := self._read_as(shape, piece, at)) is not None:
                return found
        new = _shape_at(self._element, piece, at) if len(self._shapes) < MAX_SHAPES else None
        if new is None:
            return None
        self._shapes.append(new)
        return self._read_as(new, piece, at)

    def _read_as(self, shape: "_Shape", piece: bytes, at: int) -> tuple[Run, int] | None:
        if at >= self._tried.get(shape, 0) and shape.begins_exactly(piece, at):
            end = _end_of_empty(piece, at)
            if (run := shape.read_exactly(piece, at, end)) is not None:
                return run, end
            self._tried[shape] = end
        return shape.read_loosely(piece, at)


def _end_of_empty(piece: bytes, at: int) -> int:
    """The end of the last element without children before the next closing tag; one begins at `at`."""
    closing = piece.find(b"</", at)
    return piece.rfind(_EMPTY_END, at, closing if closing >= 0 else len(piece)) + len(_EMPTY_END)


def _shape_at(element: str, piece: bytes, at: int) -> "_Shape | None":
    """The shape of the run that begins there; none is made for less, since to make one takes long."""
    whole = _whole(element)
    found = first = whole.match(piece, at)
    if first is None:
        return None
    attributes = _attributes(first)
    for _ in range(LEAST - 1):
        found = found and whole.match(piece, found.end())
        if found is None or _attributes(found) != attributes:
            return None
    if len(dict(attributes)) < len(attributes):
        return None
    skeleton = _VALUE.sub(lambda value: value.group()[:1] * 2, first.group()).decode()
    is_exact = skeleton.rstrip().endswith("/>") and len(skeleton) <= _LONGEST_SKELETON
    return _shape(element, skeleton if is_exact else "", attributes)


def _attributes(found: re.Match[bytes]) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode(), '"' if mark else "'") for name, mark in _SPELT.findall(found.group(1)))


@lru_cache(maxsize=4)
def _whole(element: str) -> re.Pattern[bytes]:
    return re.compile(f"<{element}((?:{_ATTRIBUTE}){{1,{_MAX_ATTRIBUTES}}}){_END % element}".encode())


class _Shape:
    """One order and quoting of attributes, each a name with its quote.

    `skeleton` is the first element seen, without its values and with the white space after it; empty for an
    element that has text. A run that repeats it to the byte is proved to be one by its length alone; another
    one is matched first.
    """

    def __init__(self, element: str, skeleton: str, attributes: tuple[tuple[str, str], ...]) -> None:
        passed = "".join(rf"\s+{re.escape(name)}={_quoted(quote)}" for name, quote in attributes)
        caught = "".join(rf"\s+{re.escape(name)}={_quoted(quote, '(%s)')}" for name, quote in attributes)
        self._run = re.compile(f"(?:<{element}{passed}{_END % element}){{{LEAST},}}+".encode())
        self._loose = re.compile(f"<{element}{caught}")
        bare = skeleton.rstrip()
        self._first = re.compile(_with_values(skeleton, "%s").encode())
        self._exact = re.compile(_with_values(bare, "(%s)"))
        self._length, self._gap = len(skeleton), len(skeleton) - len(bare)
        self._is_single = len(attributes) == 1
        self._names = tuple(name for name, _ in attributes)

    def begins_exactly(self, piece: bytes, at: int) -> bool:
        """Whether an element begins there that repeats the skeleton."""
        return self._length > 0 and self._first.match(piece, at) is not None

    def read_exactly(self, piece: bytes, at: int, end: int) -> Run | None:
        """All that stands there as a run, if each of it repeats the skeleton."""
        text = piece[at:end].decode()
        rows = self._rows(self._exact, text)
        length = len(rows) * self._length - self._gap + sum(map(len, chain.from_iterable(rows)))
        return Run(self._names, rows) if len(rows) >= LEAST and length == len(text) else None

    def read_loosely(self, piece: bytes, at: int) -> tuple[Run, int] | None:
        """The run that begins there, and its end; None if there is none that is worth it."""
        found = self._run.match(piece, at)
        if found is None:
            return None
        return Run(self._names, self._rows(self._loose, found.group().decode())), found.end()

    def _rows(self, pattern: re.Pattern[str], text: str) -> list[tuple[str, ...]]:
        rows = pattern.findall(text)
        return [(value,) for value in rows] if self._is_single else rows


def _with_values(skeleton: str, value: str) -> str:
    return _EMPTY_VALUE.sub(lambda empty: _quoted(empty.group()[0], value), re.escape(skeleton))


def _quoted(quote: str, value: str = "%s") -> str:
    return quote + value % rf"[^{quote}<&\t\r\n]*" + quote


_shape = lru_cache(maxsize=256)(_Shape)
