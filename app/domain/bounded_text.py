"""Text kept within a bound: its head and its longer tail, with a visible mark where something was dropped."""

from collections import deque
from typing import Final

TEXT_HEAD: Final = 64 * 1024
TEXT_TAIL: Final = 256 * 1024
"""A failure's cause is mostly at its end, so the tail is kept longer than the head."""
TEXT_LIMIT: Final = TEXT_HEAD + TEXT_TAIL
"""Characters of one failure's text, without the line that marks a cut."""


class BoundedText:
    """Collects pieces of text; holds at most `head` + `tail` characters however much is added."""

    def __init__(self, head: int = TEXT_HEAD, tail: int = TEXT_TAIL) -> None:
        self._head: list[str] = []
        self._head_limit = self._head_room = head
        self._tail: deque[str] = deque()
        self._tail_limit = tail
        self._tail_size = 0
        self._dropped = 0

    @property
    def cut(self) -> bool:
        return self._dropped > 0

    def add(self, piece: str) -> None:
        if self._head_room:
            first, piece = piece[: self._head_room], piece[self._head_room :]
            self._head.append(first)
            self._head_room -= len(first)
        if not piece:
            return
        self._tail.append(piece)
        self._tail_size += len(piece)
        while self._tail_size > self._tail_limit:
            self._drop(self._tail_size - self._tail_limit)

    def _drop(self, excess: int) -> None:
        oldest = self._tail.popleft()
        dropped = min(excess, len(oldest))
        if dropped < len(oldest):
            self._tail.appendleft(oldest[dropped:])
        self._tail_size -= dropped
        self._dropped += dropped

    def __len__(self) -> int:
        """Characters held."""
        return self._head_limit - self._head_room + self._tail_size

    def __str__(self) -> str:
        mark = f"\n[... {self._dropped} characters cut ...]\n" if self._dropped else ""
        return "".join(self._head) + mark + "".join(self._tail)


def bounded(text: str, head: int = TEXT_HEAD, tail: int = TEXT_TAIL) -> tuple[str, bool]:
    """Return the text within the bound, and whether anything was cut."""
    if len(text) <= head + tail:
        return text, False
    kept = BoundedText(head, tail)
    kept.add(text)
    return str(kept), True
