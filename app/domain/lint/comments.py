"""The comments of a file, each with the statement that it stands on or right above."""

import io
import tokenize
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

_BETWEEN = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on `line`, and the lines from `first` to `last` of its statement, up to the colon of a block.

    One that is alone on its line belongs to the statement below it where only comments stand between them;
    else, as above a blank line, it belongs to none, and `first` to `last` is its own line.
    """

    line: int
    text: str
    is_alone: bool
    first: int
    last: int


def comments_in(source: str) -> Iterator[Comment]:
    """All comments, as Python sees them: nothing inside a string is one. Ends where the text is no Python."""
    lines = source.split("\n")
    waiting: list[tokenize.TokenInfo] = []
    first: int | None = None
    for token in _tokens(source):
        row = token.start[0]
        if token.type == tokenize.COMMENT:
            waiting.append(token)
        elif token.type == tokenize.NEWLINE and first is not None:
            yield from (_comment(one, lines, first, row) for one in waiting)
            waiting, first = [], None
        elif token.type == tokenize.NL and first is None and not lines[row - 1].strip():
            yield from (_comment(one, lines, one.start[0], one.start[0]) for one in waiting)
            waiting = []
        elif token.type not in _BETWEEN and first is None:
            first = row
    yield from (_comment(one, lines, one.start[0], one.start[0]) for one in waiting)


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    with suppress(tokenize.TokenError, SyntaxError):
        yield from tokenize.generate_tokens(io.StringIO(source).readline)


def _comment(token: tokenize.TokenInfo, lines: Sequence[str], first: int, last: int) -> Comment:
    line, column = token.start
    return Comment(line, token.string, lines[line - 1][:column].strip() == "", first, last)
