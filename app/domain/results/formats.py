"""Reads a results file of any format that is known, chosen by its content alone: by its first element."""

import io
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import BinaryIO, Final, Protocol, cast

from app.domain.bounded_text import BoundedText
from app.domain.results import nunit, trx, xunit_net
from app.domain.results.junit import read_junit
from app.domain.results.results_file import MAX_TESTS, Reading
from app.domain.results.xml_stream import Stop, XmlSink, read_xml
from app.domain.unstable_ids import unstable_told

HEAD_BYTES: Final = 64 * 1024
"""How far the first element is looked for; a file whose comments are longer is taken for JUnit."""

_JUNIT: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s{0,64}(?:<\?xml[^>]{0,200}>\s{0,64})?<(?:testsuites?|testcase|testrun)[\s/>]"
)
"""How nearly all files begin: they need no parser to be known."""


class _Reader(XmlSink, Protocol):
    def reading(self, damage: list[str]) -> Reading: ...


def read_results(stream: BinaryIO, *, limit: int = MAX_TESTS) -> Reading:
    """Read one file to its end, or to `limit` tests. Total: no bytes make it raise, only the stream may.

    The stream is read once, from where it stands, and need not be able to go back.
    """
    reading = _read(stream, limit)
    unstable = unstable_told(result.test for result in reading.results)
    return reading if unstable is None else replace(reading, problems=(*reading.problems, unstable))


def _read(stream: BinaryIO, limit: int) -> Reading:
    head = _read_head(stream)
    whole = cast("BinaryIO", _Resumed(head, stream))
    if _JUNIT.match(head) is None:
        reader = _reader_of(_first_element(head), limit)
        if reader is not None:
            return reader.reading(read_xml(whole, reader))
    return read_junit(whole, limit=limit)


def _reader_of(root: str, limit: int) -> _Reader | None:
    if root in nunit.ROOTS:
        return nunit.NUnitSink(limit)
    if root in xunit_net.ROOTS:
        return xunit_net.XunitNetSink(limit)
    if root in trx.ROOTS:
        return trx.TrxSink(limit)
    return None


def _read_head(stream: BinaryIO) -> bytes:
    pieces, room = [], HEAD_BYTES
    while room and (piece := stream.read(room)):
        pieces.append(piece)
        room -= len(piece)
    return b"".join(pieces)


def _first_element(head: bytes) -> str:
    seen = _FirstElement()
    read_xml(io.BytesIO(head), seen)
    return seen.name


class _FirstElement:
    """Ends the reading at the first element."""

    listener: BoundedText | None = None
    name = ""

    def opened(self, name: str, _attributes: Mapping[str, str], _depth: int) -> None:
        self.name = name
        raise Stop("known")

    def closed(self, name: str, depth: int) -> None:
        """Never called: the reading ends before."""


class _Resumed:
    """A stream whose first bytes have been read already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = memoryview(head), rest

    def read(self, size: int) -> bytes:
        if not self._head:
            return self._rest.read(size)
        piece, self._head = bytes(self._head[:size]), self._head[size:]
        return piece
