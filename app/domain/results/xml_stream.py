"""Hostile or broken XML as bounded events: what a strict parser reads, after repairs that are all noted.

The parser calls a target instead of building a tree, so neither a long text nor a long file is ever held.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, Final, Protocol

from lxml import etree

from app.domain.bounded_text import BoundedText
from app.domain.results.marked_cases import Marked
from app.domain.results.plain_cases import RUN, PlainRuns, Run
from app.domain.results.results_file import refusal_of_text
from app.domain.results.xml_markup import ForbiddenMarkup, MarkupFilter
from app.domain.results.xml_text import Repairs, clean_chunks

MAX_DEPTH: Final = 100
_TOO_DEEP: Final = f"elements nested deeper than {MAX_DEPTH}"
PIECES_HELD: Final = 512
"""Pieces of one text before they are joined; the parser makes none longer than what it was fed."""
PROLOG_BYTES: Final = 1024 * 1024
"""How far the first element is looked for when other text stands before it."""

_ROOT: Final = b"<r>"  # one element around the file, so that text and further documents may follow the first
_ROOT_END: Final = b"</r>"
_SECTION: Final = b"<!"
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


@dataclass(frozen=True, slots=True)
class Leaf:
    """An element that a file holds by the thousand, mostly without children.

    `read` gets the attributes of one that has none, instead of the sink's `opened` and `closed`: every call
    into Python costs as much as the parsing of a short element.
    """

    name: str
    read: Callable[[Mapping[str, str]], None]
    read_run: Callable[[Run], None]
    read_marked: Callable[[Marked], None]


def read_xml(stream: BinaryIO, sink: XmlSink, leaf: Leaf | None = None) -> list[str]:
    """Feed all readable elements to the sink; return what was wrong with the file, nothing for a sound one.

    Total: no bytes make it raise. An element left open by a cut or an error never gets its `closed`, so
    nothing half-read looks whole.
    """
    repairs = Repairs()
    guard = _Guard(sink, leaf or _NO_LEAF)
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
            line += piece.count(b"\n")
            if piece.startswith(_SECTION):
                parser.feed(piece)
            else:
                for part in guard.plain.take(piece):
                    parser.feed(part)
    if guard.open_element is not None:
        raise Stop(f"cut off at line {line}, inside <{guard.open_element[:_QUOTED]}>")
    if markup.is_open:
        raise Stop(f"cut off at line {line}, inside a comment or a declaration")
    parser.feed(_ROOT_END)
    parser.close()  # a tag that the file breaks off in is an error only now


def _strict_parser(target: "_Guard") -> etree.XMLParser:
    return etree.XMLParser(  # type: ignore[call-overload, no-any-return]  # the stub asks for optional methods
        target=target,
        encoding="utf-8",
        huge_tree=True,
        resolve_entities="internal",  # those of XML itself; a document type never gets here
        no_network=True,
        load_dtd=False,
    )


def _nothing(_told: object) -> None:
    """Reads nothing."""


_NO_LEAF: Final = Leaf("", _nothing, _nothing, _nothing)


class _Guard:
    """The parser's target: bounds the depth, drops namespaces and hides the element around the file."""

    def __init__(self, sink: XmlSink, leaf: Leaf) -> None:
        self.documents = 0
        self.outside_text = False
        self._path: list[str] = []
        self._sink, self._opened, self._closed = sink, sink.opened, sink.closed
        self._leaf, self._read_leaf, self._read_run = leaf.name, leaf.read, leaf.read_run
        self._read_marked = leaf.read_marked
        self.plain = PlainRuns(leaf.name)
        self._text: list[str] = []
        self._listener = BoundedText()
        self._passed = False
        self._held: Mapping[str, str] | None = None
        """Attributes of the open leaf, as long as no child of it was seen."""

    @property
    def open_element(self) -> str | None:
        return self._path[-1] if len(self._path) > 1 else None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        path = self._path
        depth = len(path)
        if self._text:
            self._hand_on()
        if self._held is not None:
            self._opened(self._leaf, self._held, depth - 1)
            self._held = None
        if tag == self._leaf and 1 < depth <= MAX_DEPTH:
            path.append(tag)
            self._held = attributes
            return
        name = tag if tag[0] != "{" else tag.rpartition("}")[2]
        path.append(name)
        if name == RUN and self.plain.runs and depth <= MAX_DEPTH:
            self._pass_run(self.plain.runs.popleft(), depth)
            self._passed = True
        elif 1 < depth <= MAX_DEPTH:
            self._opened(name, attributes, depth)
        elif depth == 1:
            self.documents += 1
            self._opened(name, attributes, depth)
        elif depth > MAX_DEPTH:
            raise Stop(_TOO_DEEP)

    def _pass_run(self, run: Run | Marked, depth: int) -> None:
        if isinstance(run, Marked):
            self._pass_marked(run, depth)
        elif depth > 1:
            self._read_run(run)
        else:
            for row in run.rows:  # each is a document of its own
                self.documents += 1
                self._opened(self._leaf, dict(zip(run.names, row, strict=True)), depth)
                self._closed(self._leaf, depth)

    def _pass_marked(self, marked: Marked, depth: int) -> None:
        if depth == MAX_DEPTH and marked.verdict:
            raise Stop(_TOO_DEEP)
        if depth > 1:
            self._read_marked(marked)
            return
        self.documents += 1
        self._opened(self._leaf, marked.attributes, depth)
        if marked.verdict:
            self._opened(marked.verdict, marked.told, depth + 1)
            self.data(marked.text)
            self._hand_on()
            self._closed(marked.verdict, depth + 1)
        self._closed(self._leaf, depth)

    def end(self, _tag: str) -> None:
        path = self._path
        name = path.pop()
        if self._text:
            self._hand_on()
        if self._passed:
            self._passed = False
            return
        held = self._held
        if held is not None:
            self._held = None
            self._read_leaf(held)
        elif path:
            self._closed(name, len(path))

    def data(self, piece: str) -> None:
        if len(self._path) > 1:
            listener = self._sink.listener
            if listener is not None:
                self._listener = listener
                self._text.append(piece)  # the parser hands a text over in many short pieces
                if len(self._text) >= PIECES_HELD:
                    self._hand_on()
        elif not self.outside_text and not piece.isspace():
            self.outside_text = True

    def _hand_on(self) -> None:
        """Before the sink hears of anything else: it may then listen no longer, or with another ear."""
        self._listener.add("".join(self._text))
        self._text.clear()

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
