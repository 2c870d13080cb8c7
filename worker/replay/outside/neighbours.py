"""Processes that burn a CPU beside the tree, outside its limits, as other jobs of a shared machine do."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

_BURN: Final = """
import ctypes, os, signal
ctypes.CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0)
while os.getppid() == {parent}:
    sum(range(100_000))
"""


@contextmanager
def burning(count: int, parent: int) -> Iterator[None]:
    """So many of them for as long as the block; none outlives `parent`, the engine's process."""
    burners = [
        subprocess.Popen(  # noqa: S603 - our own interpreter, our own text
            [sys.executable, "-I", "-S", "-c", _BURN.format(parent=parent)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for burner in burners:
            with suppress(OSError):
                burner.kill()
        for burner in burners:
            burner.wait()
