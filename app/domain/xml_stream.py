"""Hostile or broken XML as bounded events: what a strict parser reads, after repairs that are all noted.

The parser calls a target instead of building a tree, so neither a long text nor a long file is ever held.
"""

import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final, Protocol

from lxml import etree

from app.domain.results_file import refusal_of_text
from app.domain.xml_text import Repairs, clean_chunks

MAX_DEPTH: Final = 100
PROLOG_BYTES: Final = 1024 * 1024
"""How far the first element is looked for when other text stands before it."""
DECLARATION_BYTES: Final = 64 * 1024

_ROOT: Final = b"<r>"  # one element around the file, so that text and further documents may follow the first
_ROOT_END: Final = b"</r>"
_DECLARATION: Final = re.compile(rb"<(?:\?xml[\s?]|!DOCTYPE\b)", re.IGNORECASE)
_AFTER_TEXT: Final = re.compile(rb"<\?xml[\s?]|<(?:testsuites?|testrun|testcase)[\s/>]")
_LIBXML_LINE: Final = re.compile(r", line \d+, column \d+.*", re.DOTALL)


class Stop(Exception):
    """Raised by a sink to end the reading; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class XmlSink(Protocol):
    """Receives events; names come without their namespace, and a document's root has depth 1."""

    def opened(self, name: str, attributes: Mapping[str, str], depth: int) -> None: ...
    def closed(self, name: str, depth: int) -> None: ...
    def text(self, piece: str) -> None: ...


class XmlDamage:
    """What was wrong with a file: `refused` if it is no XML, else `problems`, empty for a sound file."""

    def __init__(self) -> None:
        self.refused: str | None = None
        self.problems: list[str] = []


def read_xml(stream: BinaryIO, sink: XmlSink) -> XmlDamage:
    """Feed all readable elements to the sink. Total: no bytes make it raise.

    An element left open by a cut or an error never gets its `closed`, so nothing half-read looks whole.
    """
    damage = XmlDamage()
    repairs = Repairs()
    guard = _Guard(sink)
    parser = _strict_parser(guard)
    try:
        parser.feed(_ROOT)
        for piece in _documents(clean_chunks(stream, repairs), guard, damage):
            parser.feed(piece)
        if guard.path:
            damage.problems.append(f"cut off inside <{guard.path[-1][:80]}>")
        elif damage.refused is None:
            parser.feed(_ROOT_END)
    except Stop as stop:
        damage.problems.append(stop.reason)
    except etree.XMLSyntaxError as error:
        damage.problems.append(
            f"broken at line {error.lineno or 1}: {_LIBXML_LINE.sub('', error.msg or '')[:200]}"
        )
    if guard.documents > 1:
        damage.problems.append(f"{guard.documents} documents in one file")
    if guard.outside_text:
        damage.problems.append("text outside the document was left out")
    damage.problems.extend(repairs.notes())
    return damage


def _strict_parser(target: "_Guard") -> etree.XMLParser:
    return etree.XMLParser(  # type: ignore[call-overload, no-any-return]  # the stub asks for optional methods
        target=target,
        encoding="utf-8",
        huge_tree=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
    )


class _Guard:
    """The parser's target: bounds the depth, drops namespaces and hides the element around the file."""

    def __init__(self, sink: XmlSink) -> None:
        self.path: list[str] = []
        self.documents = 0
        self.outside_text = False
        self._inside = False
        self._sink = sink

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if not self._inside:
            self._inside = True
            return
        name = tag.rpartition("}")[2]
        self.path.append(name)
        depth = len(self.path)
        if depth == 1:
            self.documents += 1
        elif depth > MAX_DEPTH:
            raise Stop(f"elements nested deeper than {MAX_DEPTH}")
        self._sink.opened(name, attributes, depth)

    def end(self, _tag: str) -> None:
        if self.path:
            depth = len(self.path)
            self._sink.closed(self.path.pop(), depth)

    def data(self, piece: str) -> None:
        if self.path:
            self._sink.text(piece)
        elif not self.outside_text and not piece.isspace():
            self.outside_text = True

    def close(self) -> None:
        """The parser asks for a result; events are all there is."""


def _documents(chunks: Iterator[bytes], guard: _Guard, damage: XmlDamage) -> Iterator[bytes]:
    """Yield the bytes of the documents without their declarations, which may only stand at a file's start.

    The caller feeds each piece before it asks for the next, so the guard knows whether a declaration
    stands between documents or is quoted inside one.
    """
    buffered = _find_start(chunks, guard, damage)
    while buffered:
        found = _DECLARATION.search(buffered)
        if found is None:
            yield buffered
            buffered = next(chunks, b"")
            continue
        yield buffered[: found.start()]
        if guard.path:
            yield buffered[found.start() : found.end()]
            buffered = buffered[found.end() :] or next(chunks, b"")
            continue
        buffered = _skip_declaration(buffered[found.start() :], chunks)
        if not buffered:
            buffered = next(chunks, b"")


def _find_start(chunks: Iterator[bytes], guard: _Guard, damage: XmlDamage) -> bytes:
    """Return bytes from the first markup on; where other text comes first, only a known start counts."""
    head = b""
    for chunk in chunks:
        head += chunk
        stripped = head.lstrip()
        if stripped.startswith(b"<"):
            return head
        found = _AFTER_TEXT.search(head)
        if found is not None:
            guard.outside_text = True
            return b"\n" * head.count(b"\n", 0, found.start()) + head[found.start() :]
        if len(head) > PROLOG_BYTES:
            break
    damage.refused = refusal_of_text(head[:1000].decode("utf-8", "replace"))
    return b""


def _skip_declaration(buffered: bytes, chunks: Iterator[bytes]) -> bytes:
    """Drop one declaration; a document type with a part of its own could define entities, so it ends all."""
    is_doctype = buffered.startswith(b"<!")
    while True:
        end = buffered.find(b">") if is_doctype else buffered.find(b"?>")
        part = buffered if end < 0 else buffered[:end]
        if is_doctype and b"[" in part:
            raise Stop("an internal document type could define entities, so the file is not read")
        if end >= 0:
            rest = buffered[end + (1 if is_doctype else 2) :]
            return b"\n" * part.count(b"\n") + rest
        chunk = next(chunks, b"")
        if not chunk or len(buffered) > DECLARATION_BYTES:
            raise Stop("a declaration without an end")
        buffered += chunk
