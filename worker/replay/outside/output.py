"""Takes what a tree prints, keeps its first part and its last, and never lets it wait for us."""

import os
import select
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

READ_BYTES: Final = 256 << 10
TAIL_SHARE: Final = 8
"""One part in so many of what may be kept is for the end, where the reason of a failure stands."""


class _Kept:
    """One stream: a file with its beginning, its end in memory, and a count of what fell between."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        self._file = path.open("wb")
        self._room = most_bytes - most_bytes // TAIL_SHARE
        self._most_tail = most_bytes // TAIL_SHARE
        self._tail = bytearray()
        self.dropped = 0

    def take(self, read: bytes) -> None:
        head, rest = read[: self._room], read[self._room :]
        with suppress(OSError):  # our own disk is full: what is lost is counted like the rest
            self._file.write(head)
        self._room -= len(head)
        self._tail += rest
        if len(self._tail) > 2 * self._most_tail:  # seldom: moving the end costs as much as it is long
            self._cut()

    def close(self) -> None:
        self._cut()
        with suppress(OSError):
            if self.dropped:
                self._file.write(f"\n[{self.dropped} bytes left out here]\n".encode())
            self._file.write(self._tail)
        with suppress(OSError):
            self._file.close()

    def _cut(self) -> None:
        gone = max(0, len(self._tail) - self._most_tail)
        del self._tail[:gone]
        self.dropped += gone


class Output:
    """Two pipes and the thread that empties them: give the tree `ends`, then `start`, at the end `finish`."""

    def __init__(self, out: Path, err: Path, most_bytes: int) -> None:
        ours_out, theirs_out = os.pipe2(os.O_CLOEXEC)
        ours_err, theirs_err = os.pipe2(os.O_CLOEXEC)
        self.ends = (theirs_out, theirs_err)
        self._kept = {ours_out: _Kept(out, most_bytes), ours_err: _Kept(err, most_bytes)}
        self._stop, self._told = os.pipe2(os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._empty, name="output", daemon=True)

    @property
    def dropped(self) -> int:
        return sum(kept.dropped for kept in self._kept.values())

    def start(self) -> None:
        """Once the tree has its ends: ours of them are closed, so that the pipes end with the tree."""
        for end in self.ends:
            os.close(end)
        self.ends = (-1, -1)
        self._thread.start()

    def finish(self) -> None:
        """Take what is still in the pipes, however many hold their other end, and close the files."""
        for end in self.ends:
            if end >= 0:
                os.close(end)
        os.close(self._told)
        if self._thread.is_alive():
            self._thread.join()
        os.close(self._stop)
        for end, kept in self._kept.items():
            os.close(end)
            kept.close()

    def _empty(self) -> None:
        poller = select.poll()
        poller.register(self._stop, select.POLLIN)
        for end in self._kept:
            os.set_blocking(end, False)
            poller.register(end, select.POLLIN)
        is_last = False
        while not is_last:
            for end, _ in poller.poll():
                is_last = is_last or end == self._stop
                if end != self._stop and not self._read(end):
                    poller.unregister(end)
        for end in self._kept:
            for _ in range(64):  # what a pipe can hold; one that a survivor fills for ever is not followed
                if not self._read(end):
                    break

    def _read(self, end: int) -> bool:
        """False at the end of the pipe, and where nothing is in it."""
        try:
            read = os.read(end, READ_BYTES)
        except OSError:
            return False
        self._kept[end].take(read)
        return bool(read)
