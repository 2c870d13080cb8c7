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

    def take(self, piece: bytes) -> Iterator[bytes]:
        """Yield what is left for the parser. The piece may begin and end within a tag."""
        self._is_on = self._is_on and _OPENING not in piece  # or the file could tell runs of its own
        done, at = 0, piece.find(self._start) if self._is_on else -1
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
            if (found := shape.read(piece, at)) is not None:
                return found
        new = _shape_at(self._element, piece, at) if len(self._shapes) < MAX_SHAPES else None
        found = None if new is None else new.read(piece, at)
        if new is not None and found is not None:
            self._shapes.append(new)
        return found


def _shape_at(element: str, piece: bytes, at: int) -> "_Shape | None":
    found = _whole(element).match(piece, at)
    if found is None:
        return None
    attributes = tuple((name.decode(), '"' if mark else "'") for name, mark in _SPELT.findall(found.group(1)))
    if len(dict(attributes)) < len(attributes):
        return None
    skeleton = _VALUE.sub(lambda value: value.group()[:1] * 2, found.group()).decode()
    return _shape(element, skeleton, attributes)


@lru_cache(maxsize=4)
def _whole(element: str) -> re.Pattern[bytes]:
    return re.compile(f"<{element}((?:{_ATTRIBUTE}){{1,{_MAX_ATTRIBUTES}}}){_END % element}".encode())


class _Shape:
    """One order and quoting of attributes, each a name with its quote.

    `skeleton` is the first element seen, without its values and with the white space after it. A run that
    repeats it to the byte is proved to be one by its length alone; another one is matched first.
    """

    def __init__(self, element: str, skeleton: str, attributes: tuple[tuple[str, str], ...]) -> None:
        passed = "".join(rf"\s+{re.escape(name)}={_quoted(quote)}" for name, quote in attributes)
        caught = "".join(rf"\s+{re.escape(name)}={_quoted(quote, '(%s)')}" for name, quote in attributes)
        self._run = re.compile(f"(?:<{element}{passed}{_END % element}){{{LEAST},}}+".encode())
        self._loose = re.compile(f"<{element}{caught}")
        bare = skeleton.rstrip()
        self._exact = re.compile(
            _EMPTY_VALUE.sub(lambda empty: _quoted(empty.group()[0], "(%s)"), re.escape(bare))
        )
        self._length, self._gap = len(skeleton), len(skeleton) - len(bare)
        self._is_empty = bare.endswith("/>")
        self._is_single = len(attributes) == 1
        self._names = tuple(name for name, _ in attributes)

    def read(self, piece: bytes, at: int) -> tuple[Run, int] | None:
        """The run that begins there, and its end; None if there is none that is worth it."""
        exact = self._read_exact(piece, at) if self._is_empty else None
        return exact or self._read_loosely(piece, at)

    def _read_exact(self, piece: bytes, at: int) -> tuple[Run, int] | None:
        closing = piece.find(b"</", at)
        end = piece.rfind(_EMPTY_END, at, closing if closing >= 0 else len(piece)) + len(_EMPTY_END)
        text = piece[at:end].decode()
        rows = self._rows(self._exact, text)
        length = len(rows) * self._length - self._gap + sum(map(len, chain.from_iterable(rows)))
        return (Run(self._names, rows), end) if len(rows) >= LEAST and length == len(text) else None

    def _read_loosely(self, piece: bytes, at: int) -> tuple[Run, int] | None:
        found = self._run.match(piece, at)
        if found is None or _NO_XML in found.group():
            return None
        return Run(self._names, self._rows(self._loose, found.group().decode())), found.end()

    def _rows(self, pattern: re.Pattern[str], text: str) -> list[tuple[str, ...]]:
        rows = pattern.findall(text)
        return [(value,) for value in rows] if self._is_single else rows


def _quoted(quote: str, value: str = "%s") -> str:
    return quote + value % rf"[^{quote}<&\t\r\n]*" + quote


_shape = lru_cache(maxsize=256)(_Shape)
