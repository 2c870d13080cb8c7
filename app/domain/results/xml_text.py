"""Bytes of an XML file as clean UTF-8: the real encoding found, and what XML 1.0 forbids taken out."""

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO, Final

CHUNK_BYTES: Final = 64 * 1024

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins with the mark of UTF-16, so it is looked for first
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WITHOUT_BOM: Final = ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
_DECLARED: Final = re.compile(rb"<\?xml[^>]{0,200}?encoding\s{0,8}=\s{0,8}[\"']([A-Za-z0-9._-]{1,40})[\"']")
_BYTE_ENCODINGS: Final = ("iso8859-", "cp125", "koi8-", "gb", "big5", "euc_", "shift_jis")
"""Normal names, as the codec registry gives them, of encodings in which markup is written as in ASCII."""

_CONTROL: Final = bytes(code for code in range(32) if code not in b"\t\n\r")
_NONCHARACTER: Final = re.compile(b"\xef\xbf[\xbe\xbf]")
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}".encode()
_REFERENCE: Final = re.compile(rb"&#(x[0-9A-Fa-f]{1,8}|[0-9]{1,10});")
_CHARACTERS: Final = (
    (0x9, 0xA, 0xD),
    range(0x20, 0xD800),
    range(0xE000, 0xFFFE),
    range(0x10000, 0x110000),
)
_AT_REST: Final = (b"", 0)
"""State of a decoder that waits for no further bytes of a character."""
_LONGEST_TOKEN: Final = 16
"""Longer than a character reference and than the first word of a declaration."""


class Repairs:
    """Counts what had to be mended before a strict parser could read the text."""

    def __init__(self) -> None:
        self.encoding: str | None = None
        self.control_characters = 0
        self.references = 0

    def notes(self) -> list[str]:
        notes = []
        if self.encoding is not None:
            notes.append(f"bytes that are not {self.encoding} were replaced")
        if self.control_characters:
            notes.append(f"{self.control_characters} characters that XML forbids were removed")
        if self.references:
            notes.append(f"{self.references} references to characters that XML forbids were replaced")
        return notes


def clean_chunks(stream: BinaryIO, repairs: Repairs) -> Iterator[bytes]:
    """Yield the file as UTF-8 without byte order mark, never cut inside a reference or a tag's first word."""
    first = _read_chunk(stream)
    encoding, mark = detect_encoding(first)
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    chunk, held = first[mark:], b""
    while chunk:
        following = _read_chunk(stream)
        encoded = held + _to_utf8(decoder, chunk, encoding, repairs, final=not following)
        whole = len(encoded) if not following else _safe_length(encoded)
        held = encoded[whole:]
        cleaned = _clean(encoded[:whole], repairs)
        if cleaned:
            yield cleaned
        chunk = following


def _read_chunk(stream: BinaryIO) -> bytes:
    """A whole chunk but at the end, so that what is read does not depend on how a stream hands it out."""
    pieces, room = [], CHUNK_BYTES
    while room and (piece := stream.read(room)):
        pieces.append(piece)
        room -= len(piece)
    return b"".join(pieces)


def detect_encoding(start: bytes) -> tuple[str, int]:
    """Return the codec and the length of the byte order mark; a mark outranks the declaration.

    A declared encoding that cannot be true (UTF-16 written in single bytes) or is not known reads as UTF-8.
    """
    for mark, encoding in _BOMS:
        if start.startswith(mark):
            return encoding, len(mark)
    for pattern, encoding in _WITHOUT_BOM:
        if start.startswith(pattern):
            return encoding, 0
    declared = _DECLARED.search(start[:1000])
    if declared is not None:
        try:
            name = codecs.lookup(declared.group(1).decode("ascii")).name
        except LookupError:
            return "utf-8", 0
        if name.startswith(_BYTE_ENCODINGS):
            return name, 0
    return "utf-8", 0


def _to_utf8(
    decoder: codecs.IncrementalDecoder, chunk: bytes, encoding: str, repairs: Repairs, *, final: bool
) -> bytes:
    if encoding == "utf-8" and chunk.isascii() and decoder.getstate() == _AT_REST:
        return chunk
    return _decode(decoder, chunk, encoding, repairs, final=final).encode("utf-8", "replace")


def _decode(
    decoder: codecs.IncrementalDecoder, chunk: bytes, encoding: str, repairs: Repairs, *, final: bool
) -> str:
    try:
        return decoder.decode(chunk, final)
    except UnicodeDecodeError:
        repairs.encoding = encoding
        decoder.errors = "replace"  # the strict attempt left the decoder's state as it was
        return decoder.decode(chunk, final)


def _safe_length(encoded: bytes) -> int:
    """Length up to the last markup that may go on in the next chunk."""
    start = max(0, len(encoded) - _LONGEST_TOKEN)
    opening = max(encoded.rfind(b"<", start), encoded.rfind(b"&", start))
    return opening if opening >= 0 else len(encoded)


def _clean(encoded: bytes, repairs: Repairs) -> bytes:
    cleaned = encoded.translate(None, _CONTROL)
    repairs.control_characters += len(encoded) - len(cleaned)
    if not cleaned.isascii() and b"\xef\xbf" in cleaned:
        cleaned, count = _NONCHARACTER.subn(_REPLACEMENT, cleaned)
        repairs.control_characters += count
    return cleaned


def replace_references(encoded: bytes, repairs: Repairs) -> bytes:
    """Replace references to characters that XML forbids; `encoded` is markup outside CDATA."""
    if b"&" not in encoded:
        return encoded

    def replace(match: re.Match[bytes]) -> bytes:
        digits = match.group(1)
        code = int(digits[1:], 16) if digits.startswith(b"x") else int(digits)
        if _is_allowed(code):
            return match.group()
        repairs.references += 1
        return _REPLACEMENT

    return _REFERENCE.sub(replace, encoded)


def _is_allowed(code: int) -> bool:
    """XML 1.0 (fifth edition), production 2: Char."""
    return any(code in codes for codes in _CHARACTERS)
