"""How much of deliveries this process takes in at once, and how long they may wait."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TypeVar

from anyio import CapacityLimiter, fail_after, to_thread

from app.domain.errors import Unavailable

BODY_BYTES: Final = 64 * 1024 * 1024
"""Of all bodies together that are in memory: whoever sends one need not have signed it until it is whole."""

READING_TURN_S: Final = 1.5
"""Longest wait until reading a large delivery begins,"""
TURN_S: Final = 4.0
"""until storing a delivery begins, and"""
BUSY_S: Final = 4.0
"""for the inbox: together less than the 10 s after which GitHub no longer listens."""

ASK_AGAIN_S: Final = 10.0

Read = TypeVar("Read")


@dataclass(slots=True)
class Intake:
    """Used from the event loop of one web process."""

    body_bytes: int = BODY_BYTES
    held_bytes: int = 0
    _reader: CapacityLimiter = field(init=False, default_factory=lambda: CapacityLimiter(1))

    async def read_apart(self, read: Callable[[], Read]) -> Read:
        """`read` in the one thread that is kept for large deliveries: pages cannot take it from them, and the
        event loop goes on. Raises Unavailable where it could not begin in time.
        """
        try:
            with fail_after(READING_TURN_S):
                return await to_thread.run_sync(read, limiter=self._reader)  # once begun, it is waited for
        except TimeoutError:
            raise Unavailable("delivery", "too many large ones wait to be read; send it again") from None

    @contextmanager
    def room(self) -> Iterator[Callable[[int], None]]:
        """Give a function that counts bytes as they arrive, until the block ends.

        It raises Unavailable, with nothing counted, where they would be too many.
        """
        own_bytes = 0

        def hold(size_bytes: int) -> None:
            nonlocal own_bytes
            if self.held_bytes + size_bytes > self.body_bytes:
                told = "too many deliveries arrive at once; send it again"
                raise Unavailable("body", told, retry_after_s=ASK_AGAIN_S)
            self.held_bytes += size_bytes
            own_bytes += size_bytes

        try:
            yield hold
        finally:
            self.held_bytes -= own_bytes
