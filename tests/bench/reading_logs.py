"""Reading job logs and explaining them, beside the bare floor of passing over the file's lines in Python."""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from log_files import write_log
from measured import Row, row_of_rounds
from rounds import in_turn

from app.domain.explaining.log_explanation import explain_log
from app.domain.joblog.job_log import read_job_log

SHORT_BYTES = 50 * 1000 * 1000
LONG_BYTES = 500 * 1000 * 1000
ROUNDS = 3
NOTE = "floor: the lines of the file, passed over in Python"
_CHILD = """
import sys
from pathlib import Path
from reading_logs import {work}
{work}(Path(sys.argv[1]))
told = Path("/proc/self/status").read_text().split()
print(int(told[told.index("VmHWM:") + 1]) / 1024)
"""
"""Memory is that of a process that does nothing else, its modules included."""


def measure(*, long: bool) -> list[Row]:
    size = LONG_BYTES if long else SHORT_BYTES
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.log"
        write_log(path, size)
        return [
            _speed("job log", path, read),
            _memory("job log", path, read),
            _speed("explained job log", path, explained),
            _memory("explained job log", path, explained),
        ]


def read(path: Path) -> None:
    with path.open("rb") as stream:
        read_job_log(stream)


def explained(path: Path) -> None:
    with path.open("rb") as stream:
        explain_log(stream)


def bare(path: Path) -> None:
    with path.open("rb") as stream:
        for _ in stream:
            pass


def _speed(what: str, path: Path, work: Callable[[Path], None]) -> Row:
    megabytes = path.stat().st_size / 1e6
    ours, floor = in_turn(lambda: work(path), lambda: bare(path), rounds=ROUNDS)
    return row_of_rounds(
        "reading_logs",
        f"{what} of {megabytes:.0f} MB",
        "MB/s",
        [megabytes / one for one in ours],
        [megabytes / one for one in floor],
        None,
        NOTE,
    )


def _memory(what: str, path: Path, work: Callable[[Path], None]) -> Row:
    ours, floor = (_peak_mb(path, one) for one in (work, bare))
    megabytes = path.stat().st_size / 1e6
    return Row(
        "reading_logs", f"{what} of {megabytes:.0f} MB: peak memory", ours, "MB", floor=floor, note=NOTE
    )


def _peak_mb(path: Path, work: Callable[[Path], None]) -> float:
    script = _CHILD.format(work=work.__name__)
    here = Path(__file__).parent
    command = [sys.executable, "-c", script, str(path)]
    told = subprocess.run(
        command,
        env={"PYTHONPATH": f"{here}:{here.parents[1]}", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(told.stdout)
