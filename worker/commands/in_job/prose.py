"""Sentences as Markdown: what they quote in backticks is shown as code, and all else as what it is."""

import re
from typing import Final

from app.domain.markdown import code, inline, one_line

_CODE: Final = re.compile(r"(?<![^\s(])`(?P<code>[^`\s](?:[^`]{0,300}[^`\s])?)`(?![^\s,.;:)])")
"""Words between single backticks that stand apart; what does not is no quotation, and is escaped."""


def prose(text: str, limit: int = 1000, *, in_table: bool = False) -> str:
    """At most `limit` characters of the text. `in_table`: a bar in code would end a table's cell."""
    line = one_line(text, limit)
    parts, after = [], 0
    for found in _CODE.finditer(line):
        if in_table and "|" in found["code"]:
            continue
        parts += [_plain(line[after : found.start()]), code(found["code"], limit)]
        after = found.end()
    return "".join([*parts, _plain(line[after:])])


def cut_at_word(text: str, limit: int) -> str:
    """One line, plain; cut once, at a word's end, however often its teller has cut it already."""
    whole = one_line(text, 20 * limit)
    line = whole.removesuffix("...").rstrip()
    is_cut = line != whole
    if len(line) > limit:
        head, _, _ = line[: limit + 1].rpartition(" ")
        line, is_cut = head if len(head) > limit // 2 else line[:limit], True
    return f"{line} …" if is_cut else line


def _plain(text: str) -> str:
    """Escaped; `inline` would take the spaces at its ends away."""
    if not text.strip():
        return text
    lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead}{inline(text, len(text))}{trail}"
