"""A root and namespaces without bubblewrap: ours is the first process inside, and reaps what is orphaned."""

import ctypes
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from worker.replay.sandbox.enter import kernel, order
from worker.replay.sandbox.enter.keeper import leave_descriptors, status_of
from worker.replay.sandbox.enter.order import Order
from worker.replay.sandbox.seccomp import filter_program

_DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty")
_SHUT: Final = ("sys", "sysrq-trigger", "irq", "bus")


def become_first(given: Order, limit: Callable[[], None]) -> None:
    """Fork into new namespaces; the outer process stays, as what was started, and ends as the inner does."""
    kernel.unshare(kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS)
    ready, failed = os.pipe2(os.O_CLOEXEC)
    first = os.fork()
    if first == 0:
        os.close(ready)
        _first(given, limit, failed)
    os.close(failed)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: os.kill(first, number))
    with open(ready, encoding="utf-8", errors="replace") as said:  # noqa: PTH123 - a descriptor
        trouble = said.read(4000)
    if trouble:
        os.waitpid(first, 0)
        raise OSError(trouble)
    leave_descriptors()
    os._exit(status_of(os.waitpid(first, 0)[1]))


def _first(given: Order, limit: Callable[[], None], failed: int) -> None:
    try:
        kernel.control(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        socket.sethostname(given.hostname)
        _build(given)
        limit()
        kernel.unshare(kernel.CLONE_NEWCGROUP)
        _let_go(given)
        _run(given, failed)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it must not run on as a copy of our parent
        with suppress(OSError):
            os.write(failed, str(error).encode()[:4000])
    os._exit(1)


def _build(given: Order) -> None:
    """A root on a small file system of its own, from the plan; then the old one is out of reach."""
    new = Path(given.stage) / order.ROOT
    kernel.mount("tmpfs", str(new), "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=16m,mode=0755")
    for what, source, target in given.plan:
        _lay(new, what, source, target)
    kernel.mount("proc", _folder(new, "/proc"), "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    for name in _SHUT:
        path = str(new / "proc" / name)
        with suppress(OSError):
            kernel.mount(path, path, "", kernel.MS_BIND)
            kernel.restrict(path, kernel.ATTR_RDONLY)
    os.chdir(new)
    kernel.pivot_root(".", ".")
    kernel.unmount(".")
    os.chdir("/")
    kernel.restrict("/", kernel.ATTR_NOSUID)
    kernel.restrict("/", kernel.ATTR_RDONLY, alone=True)
    os.chdir(given.cwd)


def _lay(new: Path, what: str, source: str, target: str) -> None:
    path = new / target.lstrip("/")
    if what == "dir":
        path.mkdir(mode=0o755, exist_ok=True)
    elif what == "link":
        path.symlink_to(source)
    elif what == "dev":
        _devices(path)
    elif what != "proc":
        _bind(source, path, is_read_only=what == "read")


def _bind(source: str, path: Path, *, is_read_only: bool) -> None:
    if Path(source).is_dir():
        path.mkdir(exist_ok=True)
    elif not path.exists():
        path.touch()
    kernel.mount(source, str(path), "", kernel.MS_BIND | kernel.MS_REC)
    attributes = kernel.ATTR_NOSUID | (kernel.ATTR_RDONLY if is_read_only else 0)
    kernel.restrict(str(path), attributes)


def _devices(path: Path) -> None:
    path.mkdir(exist_ok=True)
    for name in _DEVICES:
        (path / name).touch()
        kernel.mount(f"/dev/{name}", str(path / name), "", kernel.MS_BIND)
    for name, source in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        (path / name).symlink_to(f"/proc/self/fd{source}")
    (path / "pts").mkdir()
    kernel.mount(
        "devpts", str(path / "pts"), "devpts", kernel.MS_NOSUID, "newinstance,ptmxmode=0666,mode=620"
    )
    (path / "ptmx").symlink_to("pts/ptmx")
    (path / "shm").mkdir()


def _folder(new: Path, target: str) -> str:
    path = new / target.lstrip("/")
    path.mkdir(exist_ok=True)
    return str(path)


def _let_go(given: Order) -> None:
    """No capabilities, no way to gain any, and nobody's rights: those of the suspect's user."""
    kernel.drop_bounding_capabilities()
    if given.maps_users:
        kernel.unshare(kernel.CLONE_NEWUSER)
        Path("/proc/self/uid_map").write_text(f"{given.uid} 0 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{given.gid} 0 1", encoding="ascii")
        kernel.drop_bounding_capabilities()
    else:
        os.setgroups([])
        os.setresgid(given.gid, given.gid, given.gid)
        os.setresuid(given.uid, given.uid, given.uid)
    kernel.drop_capabilities()
    kernel.control(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.control(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # a change of user forgets it
    _filter_calls()


def _filter_calls() -> None:
    program = filter_program()
    if program is None:
        return
    text = ctypes.create_string_buffer(program, len(program))
    count = len(program) // 8

    class Program(ctypes.Structure):
        _fields_ = (("count", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    told = Program(count, ctypes.cast(text, ctypes.c_void_p))
    kernel.control(
        kernel.PR_SET_SECCOMP, kernel.SECCOMP_MODE_FILTER, ctypes.cast(ctypes.pointer(told), ctypes.c_void_p)
    )


def _run(given: Order, failed: int) -> None:
    """The suspect's own first process is the second inside; when it ends, so does everything."""
    main = os.fork()
    if main == 0:
        try:
            os.execve(given.argv[0], given.argv, given.env)  # noqa: S606 - the order is the engine's own
        except OSError as error:
            os.write(failed, f"{given.argv[0]}: {error.strerror}".encode())
        os._exit(1)
    leave_descriptors()
    while True:
        pid, status = os.wait()
        if pid == main:
            os._exit(status_of(status))
