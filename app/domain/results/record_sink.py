"""Follows the open records of a results file of elements: which hold texts of interest, and when they end."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.domain.bounded_text import BoundedText, bounded
from app.domain.outcome import Failed
from app.domain.results.junit_case import MESSAGE_LIMIT, TextBudget
from app.domain.results.record_tally import RecordTally
from app.domain.results.xml_stream import Stop

_PLACE: Final = re.compile(r"(?:^|\s)in (\S[^\n]{0,400}?):line (\d{1,9})\b")
"""How .NET writes a frame whose source is known: `at A.B() in /src/A.cs:line 12`."""
_SEARCHED: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Shape:
    """The names of a format: its roots, the elements that open a record, and the texts wanted of one.

    A text is named by the path of elements that leads to it from its record.
    """

    roots: frozenset[str]
    cases: frozenset[str]
    others: frozenset[str]
    texts: Mapping[tuple[str, ...], str]


class OpenRecord:
    """An element that may become a result, while it is open. Of each text the first one is kept."""

    __slots__ = ("attributes", "depth", "element", "exception", "parts", "path", "red_parts", "texts")

    def __init__(self, element: str, attributes: Mapping[str, str], depth: int) -> None:
        self.element = element
        self.attributes = attributes
        self.depth = depth
        self.path: list[str] = []
        self.texts: dict[str, BoundedText] = {}
        self.exception = ""
        self.parts = self.red_parts = 0

    def text(self, name: str) -> str:
        return str(self.texts.get(name, "")).replace("\r\n", "\n").strip()

    @property
    def has_failure(self) -> bool:
        return "message" in self.texts or "trace" in self.texts or bool(self.exception)

    def failure(self, otherwise: str) -> Failed:
        """What it says of its failure; `otherwise` is the message of one that says nothing."""
        message, trace = self.text("message"), self.text("trace")
        exception = "" if self.exception in message else self.exception
        headed = " : ".join(part for part in (exception, message) if part)
        text, is_text_cut = bounded("\n".join(part for part in (headed, trace) if part))
        short, is_short_cut = bounded(message or self.exception, MESSAGE_LIMIT // 2, MESSAGE_LIMIT // 2)
        is_cut = is_text_cut or is_short_cut or any(one.cut for one in self.texts.values())
        return Failed(short or otherwise, text, is_cut)

    def place(self) -> tuple[str | None, int | None]:
        """File and line of the first frame whose source is known: where it was thrown."""
        found = _PLACE.search(self.text("trace")[:_SEARCHED])
        return (found[1], int(found[2])) if found is not None else (None, None)


class RecordSink(ABC):
    """The events of one file as records that end; a reader says what becomes of each."""

    def __init__(self, shape: Shape, limit: int) -> None:
        self.listener: BoundedText | None = None
        self.tally = RecordTally(limit)
        self.open_records: list[OpenRecord] = []
        self._shape = shape
        self._budget = TextBudget()
        self._listening_depth = 0
        self._cases = 0

    @abstractmethod
    def record_closed(self, record: OpenRecord) -> None:
        """Take a record that is whole; those still open are the ones around it."""

    @abstractmethod
    def told(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take an element that lies in no record."""

    def opened(self, name: str, attributes: Mapping[str, str], depth: int) -> None:
        shape = self._shape
        if depth == 1 and name not in shape.roots:
            raise Stop(f"a further document, <{name[:80]}>, was left out")
        if name in shape.cases or name in shape.others:
            self._open(name, attributes, depth)
        elif self.open_records:
            self._descend(self.open_records[-1], name, attributes, depth)
        else:
            self.told(name, attributes)

    def closed(self, _name: str, depth: int) -> None:
        if depth == self._listening_depth:
            self._listening_depth, self.listener = 0, None
        if not self.open_records:
            return
        record = self.open_records[-1]
        if depth == record.depth:
            self.open_records.pop()
            self._budget.spend(sum(len(text) for text in record.texts.values()))
            self.record_closed(record)
        else:
            record.path.pop()

    def _open(self, name: str, attributes: Mapping[str, str], depth: int) -> None:
        if name in self._shape.cases:
            if self._cases >= self.tally.limit:
                raise Stop(f"the tests beyond the first {self.tally.limit} were left out")
            self._cases += 1
        self._listening_depth, self.listener = 0, None
        self.open_records.append(OpenRecord(name, attributes, depth))

    def _descend(self, record: OpenRecord, name: str, attributes: Mapping[str, str], depth: int) -> None:
        record.path.append(name)
        if name == "failure":
            record.exception = record.exception or attributes.get("exception-type") or ""
        wanted = self._shape.texts.get(tuple(record.path))
        if wanted is not None and wanted not in record.texts:
            self.listener = record.texts[wanted] = self._budget.start()
            self._listening_depth = depth


def last_part(path: str) -> str:
    """The file's own name of a path as Windows or Unix writes it: machines differ in the rest."""
    return path.replace("\\", "/").rpartition("/")[2]
