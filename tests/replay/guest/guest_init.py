#!/usr/bin/python3
"""The guest's first process: mounts what a machine has, runs the tests, prints, and switches off.

Standard library only. Its root is the unpacked archive first, which cannot be pivoted away from, so all of
it moves to a file system of its own.
"""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

MS_MOVE = 8192
POWER_OFF = 0x4321FEDC
TESTS = Path("/tests").read_text().split()

libc = ctypes.CDLL(None, use_errno=True)


def say(line: str) -> None:
    sys.stdout.write(f"guest: {line}\n")
    sys.stdout.flush()


def mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    Path(target).mkdir(parents=True, exist_ok=True)
    texts = (source.encode(), target.encode(), kind.encode())
    if libc.mount(*texts, ctypes.c_ulong(flags), options.encode()) != 0:
        raise OSError(ctypes.get_errno(), f"mount {kind} at {target}")


def main() -> None:
    mount("tmpfs", "/new", "tmpfs", 0, "size=90%,mode=0755")
    for name in os.listdir("/"):  # noqa: PTH208 - names are wanted
        if name in {"new", "proc", "sys", "dev", "tmp", "run"}:
            continue
        if Path("/", name).is_dir() and not Path("/", name).is_symlink():
            shutil.copytree(f"/{name}", f"/new/{name}", symlinks=True)
        else:
            shutil.copy2(f"/{name}", f"/new/{name}", follow_symlinks=False)
    os.chdir("/new")
    mount(".", "/", "", MS_MOVE)
    os.chroot(".")
    os.chdir("/")
    mount("proc", "/proc", "proc")
    mount("sys", "/sys", "sysfs")
    mount("dev", "/dev", "devtmpfs")
    mount("devpts", "/dev/pts", "devpts")
    mount("shm", "/dev/shm", "tmpfs")
    mount("tmp", "/tmp", "tmpfs", 0, "mode=1777")
    mount("cgroup2", "/sys/fs/cgroup", "cgroup2")
    for module in sorted(Path("/modules").glob("*.ko")):
        opened = os.open(module, os.O_RDONLY)
        libc.syscall(313, opened, b"", 0)  # finit_module
        os.close(opened)
    run_tests()


def run_tests() -> None:
    controllers = Path("/sys/fs/cgroup/cgroup.controllers").read_text().strip()
    say(f"Linux {os.uname().release}, cgroup v2 with {controllers}")
    done = subprocess.run(
        [
            *(
                "/usr/bin/python3",
                "-m",
                "pytest",
                "-q",
                "--color=no",
                "-rsf",
                "-p",
                "no:cacheprovider",
                "-c",
                "/dev/null",
            ),
            *("--rootdir", "/project", "--confcutdir", "/project/tests/replay/sandbox", "--tb", "short"),
            *(f"/project/tests/replay/sandbox/{name}" for name in TESTS),
        ],
        env={
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "PYTHONPATH": "/project:/packages:/project/tests/replay/sandbox",
            "HOME": "/root",
            "LANG": "C.UTF-8",
        },
        cwd="/",
        stdin=subprocess.DEVNULL,
        check=False,
    )
    say(f"pytest ended with {done.returncode}")


try:
    main()
except BaseException as error:  # noqa: BLE001 - the first process may not just end
    say(f"{type(error).__name__}: {error}")
finally:
    os.sync()
    libc.reboot(ctypes.c_int(POWER_OFF if POWER_OFF < 1 << 31 else POWER_OFF - (1 << 32)))
