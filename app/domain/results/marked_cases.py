"""A testcase with one verdict of plain text, read whole by one expression, as most failures can be."""

import re
from dataclasses import dataclass
from typing import Final

_ATTRIBUTES: Final = rb"(?:\s+[A-Za-z_][A-Za-z0-9_.-]{0,39}=(?:\"[^\"<\t\r\n]*\"|'[^'<\t\r\n]*')){0,12}"
_OUTPUT: Final = rb"(?:<system-(?:out>[^<]*</system-out|err>[^<]*</system-err)>\s*){0,2}"
_VERDICT: Final = (
    rb"<(failure|error|skipped)(%s)\s*(?:/>|>([^<]*)</(failure|error|skipped)>)\s*" % _ATTRIBUTES
)
_SPELT: Final = re.compile(rb"([A-Za-z_][A-Za-z0-9_.-]{0,39})=(\"[^\"]*\"|'[^']*')")
_OTHER_REFERENCE: Final = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos);)")
_CHARACTERS: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


@dataclass(frozen=True, slots=True)
class Marked:
    """The testcase's attributes; its verdict's name, empty where it only printed, attributes and text."""

    attributes: dict[str, str]
    verdict: str
    told: dict[str, str]
    text: str


class MarkedCases:
    """Reads an element of one name; `at` is where it begins in a piece of plain markup."""

    def __init__(self, element: str) -> None:
        name = re.escape(element.encode())
        self._case = re.compile(
            rb"<%s(%s)\s*>\s*%s(?:%s)?%s</%s>\s*" % (name, _ATTRIBUTES, _OUTPUT, _VERDICT, _OUTPUT, name)
        )

    def read(self, piece: bytes, at: int) -> tuple[Marked, int] | None:
        """The element and its end; None for one that the parser has to look at."""
        found = self._case.match(piece, at)
        if found is None or found[5] not in {None, found[2]} or _is_odd(found.group()):
            return None
        attributes, told = _read(found[1]), _read(found[3] or b"")
        if attributes is None or told is None:
            return None
        verdict = (found[2] or b"").decode()
        return Marked(attributes, verdict, told, _unescaped(found[4] or b"")), found.end()


def _is_odd(element: bytes) -> bool:
    """What only the parser can tell: other references, line ends that it changes, and what is no XML."""
    return b"\r" in element or b"]]>" in element or _OTHER_REFERENCE.search(element) is not None


def _read(attributes: bytes) -> dict[str, str] | None:
    """None where a name stands twice, which is no XML."""
    told = _SPELT.findall(attributes)
    read = {name.decode(): _unescaped(value[1:-1]) for name, value in told}
    return read if len(read) == len(told) else None


def _unescaped(text: bytes) -> str:
    told = text.decode()
    if "&" not in told:
        return told
    first, *others = told.split("&")
    parts = [part.partition(";") for part in others]
    return first + "".join([_CHARACTERS[name] + after for name, _, after in parts])
