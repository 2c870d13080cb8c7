"""`python -m worker.replay.sandbox.enter ORDER REPORT`: two descriptors. Becomes the suspect's first process.

Nothing is said into REPORT where that worked: it closes with the program that we become.
"""

import os
import resource
import sys
from contextlib import suppress

from worker.replay.sandbox.enter import keeper, kernel, layers, network, order, root, users
from worker.replay.sandbox.enter.order import Order

REFUSED = 125
_KILL = 9


def main() -> int:
    given = order.from_descriptor(int(sys.argv[1]))
    report = int(sys.argv[2])
    os.set_inheritable(report, False)  # noqa: FBT003 - the name says it
    try:
        enter(given, report)
    except (OSError, KeyError, ValueError) as error:
        os.write(report, str(error).encode()[:4000])
    return REFUSED


def enter(given: Order, report: int) -> None:
    """Does not come back, but by an error."""
    kernel.control(kernel.PR_SET_PDEATHSIG, _KILL)
    if os.getppid() != given.parent:
        raise ProcessLookupError("who started us is gone")
    kernel.leave_keyrings()
    joins = [os.open(path, os.O_WRONLY | os.O_CLOEXEC) for path in given.joins]
    if given.isolation != "none":
        _leave(given)
        layers.prepare(given)
        network.bring_up_loopback()
        if given.ports is not None:
            network.narrow_ports(given.ports)
    if given.isolation == "unshare":
        root.become_first(given, lambda: _limit(given, joins))
        return
    _limit(given, joins)
    if given.isolation == "none":
        keeper.keep(given, report)
    os.chdir(given.cwd)
    os.execve(given.argv[0], given.argv, given.env)  # noqa: S606 - the order is the engine's own


def _leave(given: Order) -> None:
    uid, gid = os.geteuid(), os.getegid()
    if given.maps_users:
        kernel.unshare(kernel.CLONE_NEWUSER)
        users.become_root_of_own(uid, gid)
    kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWNET)


def _limit(given: Order, joins: list[int]) -> None:
    """Last of all, so that what we needed ourselves is not taken from the suspect's first quota."""
    for join in joins:
        os.write(join, b"0")
        os.close(join)
    if given.cores:
        os.sched_setaffinity(0, given.cores)
    for name, most in (given.resources or {}).items():
        which = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(which)[1]
        bounded = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(which, (bounded, bounded))


if __name__ == "__main__":
    sys.exit(main())
