"""What is fuzzed: each reader with its seeds, its bounds of time and memory, and what holds of a reading."""

import io
import re
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import reading_checks
import reading_inputs

from app.domain.artifact import UnpackBudget
from app.domain.errors import Rejected
from app.domain.explaining.log_explanation import explain_log
from app.domain.joblog.job_log import read_job_log
from app.domain.results.formats import read_results
from worker.fetching.unpack import open_artifact

LARGEST = 100_000
"""Bytes of an input, for which a reader has two seconds."""
SLOW_S = 2.0
MOST_BYTES = 200 * 1024 * 1024
"""Of memory, above what the process had before."""
_PEAK = re.compile(rb"VmHWM:\s+(\d+) kB")
_NOW = re.compile(rb"VmRSS:\s+(\d+) kB")


class TooSlow(Exception):
    """More processor time than an input of this size may take."""


class TooLarge(Exception):
    """More memory than any input may take."""


class Target:
    """`run` raises for what must not be; `last` is the input it had then."""

    def __init__(self, read: Callable[[bytes], None], seeds: Callable[[], list[bytes]]) -> None:
        self._read, self.seeds = read, seeds
        self.last = b""

    def run(self, content: bytes) -> None:
        self.last = content
        with _bounded(len(content)):
            self._read(content)


@contextmanager
def _bounded(size: int) -> Iterator[None]:
    """Linux alone tells a peak that can be set back, so elsewhere memory is not measured."""
    before = _memory(_NOW, reset=True)
    start_s = time.process_time()
    yield
    took_s = time.process_time() - start_s
    if took_s > SLOW_S * max(1.0, size / LARGEST):
        raise TooSlow(f"{took_s:.1f} s for {size} bytes")
    grown = _memory(_PEAK) - before
    if grown > MOST_BYTES:
        raise TooLarge(f"{grown} bytes of memory for {size} bytes")


def _memory(which: re.Pattern[bytes], *, reset: bool = False) -> int:
    try:
        if reset:
            Path("/proc/self/clear_refs").write_bytes(b"5")
        found = which.search(Path("/proc/self/status").read_bytes())
    except OSError:
        return 0
    return 0 if found is None else int(found[1]) * 1024


def _results(content: bytes) -> None:
    reading_checks.check_reading(read_results(io.BytesIO(content)))


def _log(content: bytes) -> None:
    reading_checks.check_log(read_job_log(io.BytesIO(content)), content)


def _explained(content: bytes) -> None:
    reading_checks.check_explained(explain_log(io.BytesIO(content)), content)


def _zip(content: bytes) -> None:
    with tempfile.NamedTemporaryFile(prefix="fuzz-") as file:
        file.write(content)
        file.flush()
        budget = UnpackBudget()
        total = 0
        try:
            for member in open_artifact(Path(file.name), budget, nested=True):
                while piece := member.stream.read(1 << 16):
                    total += len(piece)
        except Rejected:
            pass
        assert total <= budget.total_bytes


def _zips() -> list[bytes]:
    plain = {"junit.xml": reading_inputs.PYTEST.encode(), "logs/rank_0.log": reading_inputs.logs()[0]}
    inner = _zipped(plain)
    return [
        inner,
        _zipped(plain, zipfile.ZIP_STORED),
        _zipped({"inner.zip": inner, "a/b.xml": b"<testsuite/>"}),
        _zipped({"zeros.xml": bytes(3_000_000)}),
        _zipped({"../up.xml": b"", "C:\\x.xml": b"", "/etc/x.xml": b""}),
        _zipped({}),
        inner[:-10],
        b"<testsuite/>",
    ]


def _zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


TARGETS: dict[str, Target] = {
    "results": Target(_results, lambda: list(reading_inputs.results())),
    "logs": Target(_log, lambda: list(reading_inputs.logs())),
    "explain": Target(_explained, lambda: list(reading_inputs.logs())),
    "zips": Target(_zip, _zips),
}
