"""Faulthandler's dump as it stands on a standard error that processes share: whether it has any Python
frame.
"""

import re
import signal
from typing import Final

from worker.replay.facts import Frame
from worker.replay.reading.project_files import is_of_project

_FATAL: Final = "Fatal Python error: "
_NAMES: Final = {
    int(signal.SIGABRT): ("Aborted",),
    int(signal.SIGSEGV): ("Segmentation fault",),
    int(signal.SIGBUS): ("Bus error",),
    int(signal.SIGILL): ("Illegal instruction",),
    int(signal.SIGFPE): ("Floating point exception", "Floating-point exception"),
}
_FRAME: Final = re.compile(r'  File "([^"]{1,1000})", line (\d{1,9}) in (.{1,300})$')
_SCANNED_LINES: Final = 5_000


def frames_of_dump(text: str, number: int) -> tuple[Frame, ...] | None:
    """Frames of all threads of the first dump for that signal, innermost first; None without a dump.

    A dump that breaks off is one without frames: the interpreter was already being taken apart.
    """
    lines = text.splitlines()[-_SCANNED_LINES:]
    names = _NAMES.get(number, ())
    start = next(
        (at for at, line in enumerate(lines) if line.startswith(_FATAL) and _is_of(line, names)), None
    )
    if start is None:
        return None
    frames: list[Frame] = []
    for line in lines[start + 1 :]:
        if line.startswith((_FATAL, "Extension modules:")):
            break
        found = _FRAME.match(line)
        if found is not None:
            frames.append(Frame(found[1], int(found[2]), found[3], in_project=is_of_project(found[1])))
    return tuple(frames)


def _is_of(line: str, names: tuple[str, ...]) -> bool:
    return line.removeprefix(_FATAL).strip() in names
