"""The journal of one process: a line of JSON for each event, in one write, readable after SIGKILL.

Every line holds `k` (its kind), `t` (monotonic nanoseconds) and `th` (the thread). What began with
`call()` ends with a line of kind `out` that bears the same `call`. A frame is a list
`[file, line, function, source or null, in project]`. The kinds, each with its fields:

    process   argv parent began python main wall; name rank world (rank_source); torch
    init      call group backend address rank world timeout_s site in_try
    group     group ranks timeout_s          gone      group
    teardown  call group                     store     call op key site
    out       call error                     site      id frame
    raised    seen type message id frames cause context counters errno
    put       n channel text trace rank site           sent      n channel digest
    got       channel digest trace text site           pipe      channel other
    signal    target signal how site state grew stacks
    done      ending code                    exiting   ending code
    child     target code                    lock      lock holder site
    phase     test when outcome crash file line        probe-error  where text
"""

from __future__ import annotations

import os
import sys
import time
from _thread import get_ident

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Value = None | bool | int | float | str | Sequence["Value"] | Mapping[str, "Value"]

try:
    from _json import encode_basestring_ascii as _quoted
except ImportError:  # an interpreter without the C part: slower, the same text
    from json.encoder import py_encode_basestring_ascii as _quoted

MOST_TEXT = 8192  # characters of one text
MOST_LINE = 65536  # characters of one line; a longer one keeps its kind and time only
MOST_BYTES = 32 * 1024 * 1024  # of one journal: a test that raises for ever must not fill the disk
_LOWEST_FD = 400  # above what tests count or close by number, below the usual limit of 1024
_NUMBERS = 40  # tried from there on

_write, _now, _getpid, _fstat = os.write, time.monotonic_ns, os.getpid, os.fstat


class _Open:
    """The journal as this process has it open."""

    folder: str = ""
    fd: int = -1
    file: tuple[int, int] = (0, 0)  # device and inode: a test may close our descriptor and reuse its number
    pid: int = 0
    written: int = 0
    calls: int = 0
    main: int = 0


_open = _Open()
_errors: list[str] = []


def begin(folder: str) -> bool:
    """Opens the journal of this process; False where the folder cannot be written."""
    _open.folder, _open.main = folder, get_ident()
    return reopen()


def reopen() -> bool:
    """Opens the journal of the process that we are now: in a fork child, or after our file was closed."""
    old, _open.pid, _open.written = _open.fd, _getpid(), 0
    mine = old >= 0 and _is_ours(old)
    _open.fd = open_file(".jsonl")
    if mine:
        os.close(old)
    if _open.fd < 0:
        return False
    at = _fstat(_open.fd)
    _open.file, _open.written = (at.st_dev, at.st_ino), at.st_size
    return True


def open_file(suffix: str) -> int:
    """A descriptor, high and closed on exec, that appends to our `<pid><suffix>` in the folder; or -1."""
    try:
        low = os.open(path(suffix), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
    except OSError:
        return -1
    return _lifted(low)


def path(suffix: str, pid: int | None = None) -> str:
    return "%s/%d%s" % (_open.folder, pid or _open.pid or _getpid(), suffix)


def is_open() -> bool:
    return _open.fd >= 0


def note(kind: str, **fields: Value) -> None:
    """Appends one event. Never raises: what cannot be written is lost, the suspect goes on."""
    try:  # noqa: SIM105 -- contextlib is dear at start
        _append(kind, fields)
    except Exception:  # noqa: BLE001, S110 -- nothing of the probe may reach the suspect
        pass


def call(kind: str, **fields: Value) -> int:
    """Notes that something began, and gives the number by which `out` says that it ended."""
    _open.calls += 1
    number = _open.calls
    note(kind, call=number, **fields)
    return number


def out(number: int, error: int | None = None) -> None:
    """Notes that the call of this number ended, with the identity of its exception if it raised one."""
    note("out", call=number, error=error)


def trouble(where: str, error: BaseException) -> None:
    """Notes a fault of the probe itself, once for each place."""
    if where not in _errors and len(_errors) < 50:  # noqa: PLR2004 -- no place repeats; a bound all the same
        _errors.append(where)
        note("probe-error", where=where, text=type(error).__name__)


def thread_name(ident: int | None = None) -> str:
    """A thread's name, without making an unknown one known to `threading`, as asking it would."""
    ident = get_ident() if ident is None else ident
    threading = sys.modules.get("threading")
    known = getattr(threading, "_active", {}).get(ident)
    name = getattr(known, "_name", None)
    if isinstance(name, str):
        return name
    return "MainThread" if ident == _open.main else "thread-%d" % ident


def _append(kind: str, fields: dict[str, Value]) -> None:
    if _open.fd < 0:
        return
    head = '{"k":%s,"t":%d,"th":%s' % (_quoted(kind), _now(), _quoted(thread_name()))
    tail = "".join(",%s:%s" % (_quoted(name), encoded(value)) for name, value in fields.items())
    line = head + tail + "}\n"
    if len(line) > MOST_LINE:
        line = head + ',"cut":true}\n'
    if _open.written + len(line) > MOST_BYTES:
        return
    if not _is_ours(_open.fd):
        _open.fd = -1  # its number is another file's by now: not ours to close
        if not reopen():
            return
    _open.written += _write(_open.fd, line.encode("ascii"))


def _is_ours(fd: int) -> bool:
    try:
        at = _fstat(fd)
    except OSError:
        return False
    return (at.st_dev, at.st_ino) == _open.file


def encoded(value: Value) -> str:  # noqa: PLR0911 -- one for each kind of value
    """JSON of plain values; anything else becomes null. The json module itself is too dear at start."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return str(_quoted(value if len(value) <= MOST_TEXT else value[:MOST_TEXT]))
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        text = float.__repr__(value)
        return text if text[-1] in "0123456789" and "n" not in text else "null"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([encoded(one) for one in value]) + "]"
    if isinstance(value, dict):
        pairs = ["%s:%s" % (_quoted(str(name)), encoded(one)) for name, one in value.items()]
        return "{" + ",".join(pairs) + "}"
    return "null"


def _lifted(low: int) -> int:
    """The same file under a high number, where one is free and the process may have so many."""
    for high in range(_LOWEST_FD, _LOWEST_FD + _NUMBERS):
        try:
            _fstat(high)
        except OSError:
            break
    else:
        return low
    try:
        os.dup2(low, high, inheritable=False)
    except OSError:
        return low
    os.close(low)
    return high
