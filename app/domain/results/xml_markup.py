"""Markup without what a report does not need: no declarations or comments, and only short CDATA sections.

The parser holds a comment or a CDATA section whole before it hands it on (300 MB took 1.2 GB, measured with
libxml2 2.14), so long ones never reach it as one.
"""

import re
from collections.abc import Iterator
from typing import Final

from app.domain.results.xml_text import Repairs, replace_references

_SECTION: Final = re.compile(rb"<(?:\?|!--|!\[CDATA\[|!DOCTYPE)", re.IGNORECASE)
_CDATA: Final = b"<![CDATA["
_CDATA_END: Final = b"]]>"
_ENDS: Final = {_CDATA: _CDATA_END, b"<!--": b"-->", b"<?": b"?>", b"<!DOCTYPE": b">"}
_LONGEST_END: Final = 3
_MAX_NEWLINES: Final = 64 * 1024


class ForbiddenMarkup(Exception):
    """A document type with a part of its own: it could define entities, so the file is not read."""


class MarkupFilter:
    """Passes text and tags on; a section that ends in a later chunk is followed from chunk to chunk.

    No chunk may end within the first word of a section, as `clean_chunks` sees to.
    """

    def __init__(self, repairs: Repairs) -> None:
        self._repairs = repairs
        self._opening: bytes | None = None
        self._held = b""
        self._newlines = 0

    @property
    def is_open(self) -> bool:
        """Whether a section has begun and not ended."""
        return self._opening is not None

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        text, self._held = self._held + chunk, b""
        at = 0
        while at < len(text):
            if self._opening is None:
                piece, at = self._plain(text, at)
            else:
                piece, at = self._section(text, at, self._opening)
            if piece:
                yield piece

    def _plain(self, text: bytes, at: int) -> tuple[bytes, int]:
        may_hold_one = b"!" in text or b"?" in text
        found = _SECTION.search(text, at) if may_hold_one else None
        if found is None:
            return replace_references(text[at:], self._repairs), len(text)
        self._opening = found.group().upper()
        return replace_references(text[at : found.start()], self._repairs), found.end()

    def _section(self, text: bytes, at: int, opening: bytes) -> tuple[bytes, int]:
        end = text.find(_ENDS[opening], at)
        if end < 0:
            safe = max(at, len(text) - _LONGEST_END + 1)
            self._held = text[safe:]
            return self._inside(text[at:safe], opening), len(text)
        self._opening = None
        piece = self._inside(text[at:end], opening)
        if self._newlines:  # in a comment they keep the parser's line numbers true, and are no text
            piece = b"<!--" + b"\n" * min(self._newlines, _MAX_NEWLINES) + b"-->"
            self._newlines = 0
        return piece, end + len(_ENDS[opening])

    def _inside(self, part: bytes, opening: bytes) -> bytes:
        if opening == _CDATA:
            return _CDATA + part + _CDATA_END
        if opening == b"<!DOCTYPE" and b"[" in part:
            raise ForbiddenMarkup
        self._newlines += part.count(b"\n")
        return b""
