"""Hostile text made safe for GitHub's Markdown: it shows as what it is, and does nothing.

Rules from the GFM specification and GitHub's own filters: mentions, references, emoji and math are looked
for in the rendered text, so a backslash does not stop them; code does, and so does a zero-width space.
"""

import re
import unicodedata

from app.domain.redaction import redact

BREAK = "\u200b"
"""Zero-width space: parts what GitHub would otherwise link, mention or run."""

REPLACED = "\ufffd"
"""Stands where a control, direction or otherwise invisible character was: shown, never dropped in silence."""

_JOINERS = "\u200c\u200d"  # spelling and emoji need them, and they do nothing else
_ANSI = re.compile(r"(?:\x1b|#x1B)\[[0-9;?]{0,32}[A-Za-z]")
_PUNCTUATION = re.compile(r"[\\`*\[\]~|]|(?<![^\W_])_|_(?![^\W_])")  # `_` inside a word does nothing
_LEADING = re.compile(r"^([-+=#]|[0-9]{1,9}(?=[.)]))")
_LINKED = re.compile(
    r"(?<=@)(?=\w)"  # mentions, e-mail addresses
    r"|(?<=\#)(?=\w)"  # issues, here and in other repositories
    r"|(?<=\bgh)(?=-[0-9])"  # GH-123
    r"|(?<=:)(?=//)"  # addresses: one of another issue would leave a trace there
    r"|(?<=\bwww)(?=\.)"
    r"|(?<=:)(?=[a-z0-9_+-]{1,40}:)",  # emoji
    re.IGNORECASE,
)
_KNOWN = 4_096
"""Characters that are remembered; hostile text could hold a million of them."""
_BLOCK_CHARS = 60_000  # what is looked at of a longer text, to bound the time
_COMMAND = re.compile(r"^(\s{0,80})(::|##\[)", re.MULTILINE)
_SAFE_URL = re.compile(r"https?://[A-Za-z0-9._~:/?#@!$&'*+,;=%-]{1,1900}")


def visible(text: str) -> str:
    """Without terminal colours; line feeds end lines; other invisible characters show as replaced."""
    flat = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", _ANSI.sub("", text))
    return flat.translate(_SHOWN)


class _Shown(dict[int, str]):
    """What stands for each character, found out once for those that are usual."""

    def __missing__(self, code: int) -> str:
        shown = REPLACED if _is_invisible(chr(code)) else chr(code)
        if len(self) < _KNOWN:
            self[code] = shown
        return shown


def _is_invisible(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Cs"} and char not in "\n\t" + _JOINERS


_SHOWN = _Shown()


def _fit_to_show(text: str) -> str:
    """Without secrets, which are looked for in what a reader would see, and before anything is cut."""
    return redact(visible(text))


def one_line(text: str, limit: int = 200) -> str:
    """Visible text on one line of at most `limit` characters, an ellipsis in the middle if it was longer.

    The end is kept as well as the start: parameters of a test stand there.
    """
    line = " ".join(_fit_to_show(text[: limit * 50]).split())
    if len(line) <= limit:
        return line
    tail = limit // 3
    return f"{line[: limit - tail - 1]}…{line[-tail:]}"


def inline(text: str, limit: int = 1000) -> str:
    """Text inside a paragraph or a list item: no markup, no link, no mention, no HTML."""
    line = _LINKED.sub(BREAK, one_line(text, limit))
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = _LEADING.sub(_led, _PUNCTUATION.sub(lambda found: f"\\{found[0]}", line))
    return escaped.replace("$", "<span>$</span>")  # docs.github.com, "Writing mathematical expressions"


def _led(found: re.Match[str]) -> str:
    """What begins a heading or a list, escaped; a backslash does not work before a digit."""
    return f"{found[1]}{BREAK}" if found[1][0].isdigit() else f"\\{found[1]}"


def code(text: str, limit: int = 200) -> str:
    """A code span around one line; its fence is longer than any run of backticks inside."""
    line = _hide_comments(one_line(text, limit)) or " "
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if "`" in {line[0], line[-1]} else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def block(text: str, *, limit_bytes: int, lines: int = 40) -> str:
    """A fenced block that the text cannot end. What is cut, from the middle, is said inside it."""
    if len(text) > _BLOCK_CHARS:
        text = f"{text[: _BLOCK_CHARS // 3]}\n[…]\n{text[-2 * _BLOCK_CHARS // 3 :]}"
    shown = _hide_comments(_COMMAND.sub(rf"\1{BREAK}\2", _fit_to_show(text).strip("\n")))
    shown = cut_lines(shown, limit_bytes=limit_bytes, lines=lines)
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{fence}text\n{shown}\n{fence}"


def cut_lines(text: str, *, limit_bytes: int, lines: int) -> str:
    """Keep the first third and the last two thirds: the end of a failure text names what failed."""
    rows = [cut_bytes(row, 500) for row in text.split("\n")]
    head, tail = rows[: lines // 3], rows[lines // 3 :]
    tail = tail[max(0, len(rows) - lines) :]
    while (head or tail) and _size(head, tail) > limit_bytes:
        if len(head) * 2 > len(tail):
            head.pop()
        else:
            tail.pop(0)
    dropped = len(rows) - len(head) - len(tail)
    return "\n".join([*head, *([f"[{dropped} lines left out]"] if dropped else []), *tail])


def _size(head: list[str], tail: list[str]) -> int:
    return sum(len(row.encode()) + 1 for row in (*head, *tail)) + 32


def cut_bytes(text: str, limit_bytes: int) -> str:
    """At most so many bytes of UTF-8, never half a character; an ellipsis says that it was cut."""
    raw = text.encode()
    if len(raw) <= limit_bytes:
        return text
    mark = "…" if limit_bytes >= len("…".encode()) else ""
    return raw[: limit_bytes - len(mark.encode())].decode(errors="ignore") + mark


def link(label: str, url: str | None) -> str:
    """`label` is Markdown already; it stands alone where the address is not plain http(s)."""
    return f"[{label}]({url})" if url is not None and _SAFE_URL.fullmatch(url) else label


def _hide_comments(text: str) -> str:
    """Our markers are HTML comments, so no text of others may hold the beginning of one."""
    return text.replace("<!--", f"<{BREAK}!--")


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
