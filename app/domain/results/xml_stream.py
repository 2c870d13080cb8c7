"""Hostile or broken XML as bounded events: what a strict parser reads, after repairs that are all noted.

The parser calls a target instead of building a tree, so neither a long text nor a long file is ever held.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import BinaryIO, Final, Protocol

from lxml import etree

from app.domain.bounded_text import BoundedText
from app.domain.results.results_file import refusal_of_text
from app.domain.results.xml_markup import ForbiddenMarkup, MarkupFilter
from app.domain.results.xml_text import Repairs, clean_chunks

MAX_DEPTH: Final = 100
PROLOG_BYTES: Final = 1024 * 1024
"""How far the first element is looked for when other text stands before it."""

_ROOT: Final = b"<r>"  # one element around the file, so that text and further documents may follow the first
_ROOT_END: Final = b"</r>"
_AFTER_TEXT: Final = re.compile(rb"<\?xml[\s?]|<(?:testsuites?|testrun|testcase)[\s/>]")
_QUOTED: Final = 200
_LIBXML_LINE: Final = re.compile(r", line \d+, column \d+.*", re.DOTALL)


class Stop(Exception):
    """Raised by a sink to end the reading; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class XmlSink(Protocol):
    """Receives events; names come without their namespace, and a document's root has depth 1.

    Text goes to `listener`, if the sink has set one: most text of a report is of no interest.
    """

    listener: BoundedText | None

    def opened(self, name: str, attributes: Mapping[str, str], depth: int) -> None: ...
    def closed(self, name: str, depth: int) -> None: ...


def read_xml(stream: BinaryIO, sink: XmlSink) -> list[str]:
    """Feed all readable elements to the sink; return what was wrong with the file, nothing for a sound one.

    Total: no bytes make it raise. An element left open by a cut or an error never gets its `closed`, so
    nothing half-read looks whole.
    """
    repairs = Repairs()
    guard = _Guard(sink)
    problems = []
    try:
        _feed(_strict_parser(guard), clean_chunks(stream, repairs), guard, repairs)
    except Stop as stop:
        problems.append(stop.reason)
    except ForbiddenMarkup:
        problems.append("an internal document type could define entities, so the file is not read")
    except etree.XMLSyntaxError as error:
        reason = _LIBXML_LINE.sub("", error.msg or "")[:_QUOTED]
        problems.append(f"broken at line {error.lineno or 1}: {reason}")
    if guard.documents > 1:
        problems.append(f"{guard.documents} documents in one file")
    if guard.outside_text:
        problems.append("text outside the document was left out")
    return problems + repairs.notes()


def _feed(parser: etree.XMLParser, chunks: Iterator[bytes], guard: "_Guard", repairs: Repairs) -> None:
    markup = MarkupFilter(repairs)
    line = 1
    parser.feed(_ROOT)
    for chunk in chain([_find_start(chunks, guard)], chunks):
        for piece in markup.feed(chunk):
            parser.feed(piece)
            line += piece.count(b"\n")
    if guard.open_element is not None:
        raise Stop(f"cut off at line {line}, inside <{guard.open_element[:_QUOTED]}>")
    if markup.is_open:
        raise Stop(f"cut off at line {line}, inside a comment or a declaration")
    parser.feed(_ROOT_END)


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
        self.documents = 0
        self.outside_text = False
        self._path: list[str] = []
        self._sink, self._opened, self._closed = sink, sink.opened, sink.closed

    @property
    def open_element(self) -> str | None:
        return self._path[-1] if len(self._path) > 1 else None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = tag if tag[0] != "{" else tag.rpartition("}")[2]
        path = self._path
        depth = len(path)
        path.append(name)
        if 1 < depth <= MAX_DEPTH:
            self._opened(name, attributes, depth)
        elif depth == 1:
            self.documents += 1
            self._opened(name, attributes, depth)
        elif depth > MAX_DEPTH:
            raise Stop(f"elements nested deeper than {MAX_DEPTH}")

    def end(self, _tag: str) -> None:
        path = self._path
        name = path.pop()
        if path:
            self._closed(name, len(path))

    def data(self, piece: str) -> None:
        if len(self._path) > 1:
            if self._sink.listener is not None:
                self._sink.listener.add(piece)
        elif not self.outside_text and not piece.isspace():
            self.outside_text = True

    def close(self) -> None:
        """The parser asks for a result; events are all there is."""


def _find_start(chunks: Iterator[bytes], guard: _Guard) -> bytes:
    """Return bytes from the first markup on; where other text comes first, only a known start counts."""
    head = b""
    for chunk in chunks:
        head += chunk
        if head.lstrip().startswith(b"<"):
            return head
        found = _AFTER_TEXT.search(head)
        if found is not None:
            guard.outside_text = True
            return b"\n" * head.count(b"\n", 0, found.start()) + head[found.start() :]
        if len(head) > PROLOG_BYTES:
            break
    raise Stop(refusal_of_text(head[:_QUOTED].decode("utf-8", "replace")))
