"""Without namespaces nothing holds a tree together: so we stay, as parent of all that is orphaned in it."""

import os
import signal
import time

from worker.replay.sandbox import family
from worker.replay.sandbox.enter import kernel
from worker.replay.sandbox.enter.order import Order

_ENDING_S = 5.0
_BY_SIGNAL = 128
_LOOKING_S = 0.002
_MOST_DESCRIPTORS = 4096


def keep(given: Order, report: int) -> None:
    """Start it, end as it does, and let nothing outlive it: not its own end, not ours, not the engine's."""
    kernel.control(kernel.PR_SET_CHILD_SUBREAPER, 1)
    ready, failed = os.pipe2(os.O_CLOEXEC)
    main = os.fork()
    if main == 0:
        try:
            os.chdir(given.cwd)
            os.execve(given.argv[0], given.argv, given.env)  # noqa: S606 - the order is the engine's own
        except OSError as error:
            os.write(failed, str(error).encode()[:4000])
        os._exit(1)
    os.close(failed)
    with open(ready, encoding="utf-8", errors="replace") as said:  # noqa: PTH123 - a descriptor
        trouble = said.read(4000)
    if trouble:
        raise OSError(trouble)
    signal.signal(signal.SIGTERM, lambda *_: _end_all(_BY_SIGNAL + signal.SIGTERM))
    kernel.control(kernel.PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != given.parent:
        _end_all(1)
    os.close(report)
    leave_descriptors()
    while True:
        pid, status = os.wait()
        if pid == main:
            _end_all(status_of(status))


def leave_descriptors() -> None:
    """What the suspect inherits is its own: a pipe must end when it closes its ends."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)
    os.closerange(3, _MOST_DESCRIPTORS)


def status_of(wait_status: int) -> int:
    """An exit status that tells of a signal as shells do."""
    code = os.waitstatus_to_exitcode(wait_status)
    return code if code >= 0 else _BY_SIGNAL - code


def _end_all(status: int) -> None:
    """Stop all first, so that none can fork away from the list, then kill; again until none is left."""
    until = time.monotonic() + _ENDING_S
    while time.monotonic() < until:
        living = [one.pid for one in family.descendants(os.getpid())[1:] if one.state not in "ZX"]
        if not living:
            break
        for number in (signal.SIGSTOP, signal.SIGKILL):
            family.send(living, number)
        time.sleep(_LOOKING_S)
    os._exit(status)
