"""Damage to files as strategies: bytes flipped, cut out, doubled, put in, chunks swapped; and short reads."""

import io
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

Damage = Callable[[bytes, int, int], bytes]

INSERTED = (
    *(
        b"<",
        b">",
        b"&",
        b"]]>",
        b"<![CDATA[",
        b"<!--",
        b"-->",
        b"<?xml version='1.0'?>",
        b"&#0;",
        b"&#55357;",
    ),
    *(b"<!DOCTYPE a [", b"</testsuite>", b"<testcase name='n'>", b"<failure/>", b"\0", b"\xff\xfe", b"\xc3"),
    *(
        b"\n",
        b"\r\n",
        b"\x1b[31m",
        b"\xef\xbb\xbf",
        b"##[error]",
        b"E   ",
        b"Traceback (most recent call last):\n",
    ),
    *(b"=== FAILURES ===\n", b"[rank0]: ", b"{" * 50, b"(" * 50, b" " * 200, b"\t", b"a" * 5000),
)


def _flip(content: bytes, at: int, to: int) -> bytes:
    return content[:at] + bytes([content[at] ^ (1 + to % 255)]) + content[at + 1 :] if content else b""


def _cut(content: bytes, at: int, to: int) -> bytes:
    return content[: min(at, to)] + content[max(at, to) :]


def _end(content: bytes, at: int, _: int) -> bytes:
    return content[:at]


def _double(content: bytes, at: int, to: int) -> bytes:
    first, last = sorted((at, to))
    return content[:last] + content[first:last] + content[last:]


def _insert(content: bytes, at: int, to: int) -> bytes:
    return content[:at] + INSERTED[to % len(INSERTED)] + content[at:]


def _swap(content: bytes, at: int, to: int) -> bytes:
    first, last = sorted((at, to))
    middle = (first + last) // 2
    return content[:first] + content[middle:last] + content[first:middle] + content[last:]


DAMAGES: Sequence[Damage] = (_flip, _cut, _end, _double, _insert, _swap)


@st.composite
def damaged(draw: st.DrawFn, sound: Sequence[bytes]) -> bytes:
    """One of the sound files with up to four kinds of damage."""
    content = draw(st.sampled_from(sound))
    for _ in range(draw(st.integers(1, 4))):
        places = st.integers(0, max(0, len(content) - 1))
        content = draw(st.sampled_from(DAMAGES))(content, draw(places), draw(places))
    return content


class ShortReads(io.RawIOBase):
    """A stream that returns what was asked for in pieces of its own sizes, over and over."""

    def __init__(self, content: bytes, sizes: Sequence[int]) -> None:
        super().__init__()
        self._content, self._sizes = content, sizes
        self._at = self._turn = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview[int]") -> int:  # type: ignore[override]
        size = min(self._sizes[self._turn % len(self._sizes)], len(buffer))
        self._turn += 1
        piece = self._content[self._at : self._at + size]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


sizes = st.lists(st.integers(1, 400), min_size=1, max_size=5)
