"""Read every exception out of a text, in print order, whichever way Python or pytest shows it.

pytest's long, short, line and native styles mix within one text with plain tracebacks of other processes,
so one reader goes through the lines and decides by what each of them is.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from app.domain.native_traceback import (
    CHAIN_LINES,
    EXCEPTION,
    HEADER,
    indent_of,
    is_group_header,
    is_marker,
    read_block,
    read_group,
)
from app.domain.raised import Frame, Raised, collapse
from app.domain.stack_dump import FATAL, is_stack_of_main, read_fatal, read_timeout_stack

_LOCATION = re.compile(
    r"(?P<path>(?:[A-Za-z]:)?[^\s:>'\"=][^:'\"=]{0,500}):\d{1,9}: ?"
    r"(?:in (?P<function>.{1,300})|(?P<rest>.*))$"
)
_DEFINITION = re.compile(r"(?:    )?(?:async )?def (?P<name>\w{1,200})")
_BARE = re.compile(r"[\w.]{0,150}(?:Error|Exception|Exit|Empty|Interrupt|Warning|Failed|Timeout|Failure)$")
_ESCAPED = HEADER + "\\n"
_BARE_LIMIT = 20
_MESSAGE_LINES = 50
_SUMMARY = re.compile(r"(?:FAILED|ERROR) \S{1,500} - ")
_SYNTAX = re.compile(r"(?:Syntax|Indentation|Tab)Error:")
_FIXTURE = re.compile(r"fixture '.{1,200}' not found$")


def read_exceptions(lines: Sequence[str]) -> list[Raised]:
    """All exceptions of one stream in print order; a carrier comes before what it carries."""
    reader = _Reader(lines)
    reader.read()
    return reader.found


def read_bare(lines: Sequence[str]) -> list[Raised]:
    """Lines that look like `SomeError: message` without a traceback: for texts that hold nothing better."""
    found: list[Raised] = []
    for at, line in enumerate(lines):
        match = EXCEPTION.match(line) if len(found) < _BARE_LIMIT else None
        if match is not None and _BARE.match(match["type"]):
            found.append(Raised(match["type"], (match["message"] or "", *lines[at + 1 : at + 2]), chain=at))
    return found


def read_message(lines: Sequence[str]) -> Raised | None:
    """The exception that a results file's message or a line of pytest's summary names; None if none."""
    told = [line for line in lines if line.strip()][:_MESSAGE_LINES]
    if not told:
        return None
    raised = _read_error_lines([_SUMMARY.sub("", told[0]), *told[1:]], None)
    known = raised.type == "AssertionError" or _BARE.match(raised.type)
    return raised if known else None


class _Reader:
    """State between lines: the frames of the open traceback, the shown excerpt, and the `E` lines so far."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.found: list[Raised] = []
        self._lines = lines
        self._chain = 0
        self._linked = False
        self._start_traceback()

    def _start_traceback(self) -> None:
        self._frames: list[Frame] = []
        self._errors: list[str] = []
        self._start_entry()

    def _start_entry(self) -> None:
        self._function = ""
        self._source = ""

    def read(self) -> None:
        at = 0
        while at < len(self._lines):
            at = self._read_from(at)
        self._finish(None)

    def _read_from(self, at: int) -> int:
        """Read what begins at this line; return where the next thing begins."""
        line = self._lines[at]
        if line.startswith("E  ") or line == "E":
            return self._read_errors(at)
        if line.startswith(">"):
            return self._read_statement(at)
        if line.endswith(HEADER) or line.startswith((FATAL, "~~~")):
            return self._read_native(at)
        if line.startswith(CHAIN_LINES):
            self._finish(None)
            self._linked = True
        elif line.startswith("_ _ _"):
            self._start_entry()
        elif not self._function and (definition := _DEFINITION.match(line)) is not None:
            self._function = definition["name"]
        elif ":" in line and (location := _LOCATION.match(line)) is not None:
            self._read_location(at, location)
        return at + 1

    def _read_native(self, at: int) -> int:
        """Read a whole traceback or stack dump that the interpreter printed."""
        line = self._lines[at]
        if is_group_header(line):
            raised, following = read_group(self._lines, at)
        elif line.startswith(FATAL):
            raised, following = read_fatal(self._lines, at)
        elif is_stack_of_main(line):
            raised, following = read_timeout_stack(self._lines, at)
        elif line.endswith(HEADER):
            raised, following = read_block(self._lines, at)
        else:
            return at + 1
        self._finish(None)
        if raised is not None:
            self._add(raised)
            self._linked = raised.carrier
        return following

    def _read_statement(self, at: int) -> int:
        """The long style marks the line that failed; a statement of many lines goes on below it."""
        source = [self._lines[at][1:]]
        if not self._function and (definition := _DEFINITION.match(source[0].lstrip())) is not None:
            self._function = definition["name"]
        at += 1
        while at < len(self._lines) and self._lines[at].startswith("    "):
            if not is_marker(self._lines[at]):
                source.append(self._lines[at])
            at += 1
        self._source = collapse(" ".join(source[:20]))
        return at

    def _read_errors(self, at: int) -> int:
        if self._errors:
            self._finish(None)
        margin = indent_of(self._lines[at][1:])
        while at < len(self._lines) and self._lines[at][:1] == "E":
            content = self._lines[at][1:]
            self._errors.append(content[min(margin, indent_of(content)) :])
            at += 1
        return at

    def _read_location(self, at: int, location: re.Match[str]) -> None:
        """`path:N: in f` opens a short entry; `path:N: Type` closes a long one, `path:N:` passes it by."""
        if location["function"] is not None:
            if self._errors:
                self._finish(None)
            source = self._lines[at + 1] if at + 1 < len(self._lines) else ""
            shown = collapse(source) if source.startswith("    ") else ""
            self._frames.append(Frame(location["path"], location["function"], shown))
            self._start_entry()
        elif self._errors or self._source:
            self._frames.append(Frame(location["path"], self._function, self._source))
            self._start_entry()
            if self._errors:
                named = EXCEPTION.match(location["rest"])
                self._finish(named["type"] if named else None)

    def _finish(self, named: str | None) -> None:
        """Close the open traceback; `named` is the exception type that its last line gave."""
        if self._errors:
            carried = read_exceptions(_carried_lines(self._errors))
            raised = _read_error_lines(self._errors, named)
            self._add(replace(raised, frames=tuple(self._frames), carrier=bool(carried)))
            self.found.extend(replace(each, chain=self._chain) for each in carried)
        self._start_traceback()

    def _add(self, raised: Raised) -> None:
        if not self._linked:
            self._chain += 1
        self._linked = False
        self.found.append(replace(raised, chain=self._chain))


def _read_error_lines(errors: Sequence[str], named: str | None) -> Raised:
    """What pytest's `E` lines say; an introspected assert names no type of its own."""
    if errors[0].lstrip().startswith('File "'):  # a syntax error shows its place before its name
        errors = next((errors[at:] for at, line in enumerate(errors) if _SYNTAX.match(line)), errors)
    headline = errors[0]
    if headline.startswith("assert ") or headline == "assert":
        return Raised("AssertionError", tuple(errors))
    match = EXCEPTION.match(headline)
    if match is not None and (named is None or match["type"].rpartition(".")[2] == named.rpartition(".")[2]):
        return Raised(match["type"], (match["message"] or "", *errors[1:]))
    if _FIXTURE.match(headline):
        named = "FixtureLookupError"
    return Raised(named or "", tuple(errors))


def _carried_lines(errors: Sequence[str]) -> list[str]:
    """The lines from the first traceback inside an error, printed as it is or as the repr of a string."""
    if any(_ESCAPED in line for line in errors):
        errors = "\n".join(errors).replace("\\n", "\n").split("\n")
    start = next((at for at, line in enumerate(errors) if line.endswith(HEADER)), len(errors))
    return list(errors[start:])
