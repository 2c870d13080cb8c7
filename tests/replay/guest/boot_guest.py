"""Boots a small machine that has cgroup v2 and runs the sandbox's tests in it: `boot_guest.py [TESTS]`.

Its files are this machine's own: the system's Python and what it needs, the project, and Debian's cloud
kernel. They go into one archive in a temporary folder, and the guest runs from memory.
"""

import gzip
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
QEMU = "qemu-system-x86_64"
KERNEL = "linux-image-cloud-amd64"
PROGRAMS = ("python3", "sh", "setpriv", "bwrap", "sleep", "true", "env", "unshare")
PACKAGES = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py.py")
MODULES = ("overlay",)
MEMORY = "2G"
TESTS = ("test_version_two.py", "test_limits_held.py")
BEGUN = "guest: "
STARTING_S = 20
BOOTING_S = 180
RUNNING_S = 500
CACHES = shutil.ignore_patterns("__pycache__")


class CannotBoot(Exception):
    """One sentence: why no guest can be had here."""


def boot(tests: Sequence[str] = TESTS) -> str:
    """What the guest printed of these tests of the sandbox. Raises CannotBoot before anything is built."""
    check()
    with tempfile.TemporaryDirectory(prefix="guest-") as name:
        folder = Path(name)
        kernel = unpack_kernel(folder)
        root = folder / "root"
        fill(root, folder)
        (root / "tests").write_text(" ".join(tests))
        archive = folder / "root.cpio.gz"
        with gzip.open(archive, "wb", compresslevel=1) as file:
            for part in archived(root):
                file.write(part)
        return run(kernel, archive)


def check() -> None:
    """That everything is there, installing what apt may."""
    if platform.machine() != "x86_64":
        raise CannotBoot(f"the guest is for x86_64, and this machine is {platform.machine()}")
    python = Path("/usr/bin/python3")
    asked = "import sys; sys.exit(sys.version_info < (3, 11))"
    if not python.exists() or subprocess.run([python, "-c", asked], check=False).returncode:
        raise CannotBoot("the system's own Python is not there, or older than 3.11")
    if shutil.which("apt-get") is None:
        raise CannotBoot("the kernel comes by apt, which is not here")
    for program, package in ((QEMU, "qemu-system-x86"), ("bwrap", "bubblewrap")):
        if shutil.which(program) is None:
            install(package)


def install(package: str) -> None:
    if os.geteuid() != 0:
        raise CannotBoot(f"{package} is not installed, and installing it takes root")
    sys.stderr.write(f"installing {package} with apt-get ...\n")
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
    subprocess.run(["apt-get", "update", "-qq"], check=False, capture_output=True)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise CannotBoot(f"{package} could not be installed: {done.stderr.strip()[-200:]}")


def unpack_kernel(folder: Path) -> Path:
    """Debian's cloud kernel, unpacked and not installed."""
    told = subprocess.run(
        ["apt-cache", "depends", KERNEL], check=False, capture_output=True, text=True
    ).stdout
    found = re.search(r"Depends: (linux-image-\S+)", told)
    if found is None:
        raise CannotBoot(f"apt knows no {KERNEL}; it may need an apt-get update")
    place = folder / "kernel"
    place.mkdir()
    done = subprocess.run(
        ["apt-get", "download", found[1]], cwd=place, check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise CannotBoot(f"{found[1]} could not be had: {done.stderr.strip()[-200:]}")
    subprocess.run(["dpkg", "-x", next(place.glob("*.deb")), place], check=True)
    return next(place.glob("boot/vmlinuz-*"))


def fill(root: Path, folder: Path) -> None:
    """The guest's root: programs with their libraries, Python's own, the project, and its first process."""
    for name in ("usr/bin", "usr/lib", "usr/sbin", "etc", "root", "home", "modules", "packages", "project"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    wanted = [Path(found) for name in PROGRAMS if (found := shutil.which(name, path="/usr/bin:/bin"))]
    version = said_by("/usr/bin/python3", "-c", "import os; print(os.path.dirname(os.__file__))").strip()
    ignored = shutil.ignore_patterns("test", "idlelib", "__pycache__", "config-*", "dist-packages")
    shutil.copytree(version, root / version.lstrip("/"), symlinks=True, ignore=ignored)
    libraries = {one for path in [*wanted, *Path(version).glob("lib-dynload/*.so")] for one in linked(path)}
    for path in [*wanted, *libraries]:
        copy_with_links(path, root)
    fill_with_project(root)
    for module in MODULES:
        for path in (folder / "kernel").glob(f"lib/modules/*/kernel/**/{module}.ko"):
            shutil.copy2(path, root / "modules")
    (root / "etc" / "passwd").write_text("root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    (root / "etc" / "group").write_text("root:x:0:\nnogroup:x:65534:\n")
    for name in ("ld.so.cache", "ld.so.conf"):
        shutil.copy2(f"/etc/{name}", root / "etc")
    shutil.copy2(Path(__file__).with_name("guest_init.py"), root / "init")
    (root / "init").chmod(0o755)


def fill_with_project(root: Path) -> None:
    """Our code, the sandbox's tests, and pytest."""
    for name in ("app", "worker", "tests/replay/sandbox"):
        shutil.copytree(
            REPOSITORY / name, root / "project" / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for package in PACKAGES:
        source = Path(sysconfig.get_path("purelib"), package)
        if source.is_file():
            shutil.copy2(source, root / "packages")
        elif source.is_dir():
            shutil.copytree(source, root / "packages" / package, ignore=CACHES)


def said_by(*command: str) -> str:
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


def linked(program: Path) -> Iterator[Path]:
    told = said_by("ldd", str(program))
    yield from (Path(found) for found in re.findall(r"(?:=> |^\s*)(/\S+)", told, re.MULTILINE))


def copy_with_links(path: Path, root: Path) -> None:
    """A file under its own path, and each link on the way to it."""
    for one in (path, path.resolve()):
        target = root / os.path.realpath(one.parent).lstrip("/") / one.name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() and not target.is_symlink():
            shutil.copy2(one, target, follow_symlinks=False)
    if path.is_symlink():
        step = path.parent / os.readlink(path)  # noqa: PTH115 - its text
        if step.is_symlink():
            copy_with_links(step, root)


def archived(root: Path) -> Iterator[bytes]:
    """The tree in the form that the kernel unpacks: `newc`, all owned by root."""
    for at, path in enumerate(sorted(root.rglob("*")), 1):
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            content = os.readlink(path).encode()  # noqa: PTH115 - its text
        else:
            content = path.read_bytes() if path.is_file() else b""
        yield entry(str(path.relative_to(root)), at, status.st_mode, content)
    yield entry("TRAILER!!!", 0, 0, b"")


def entry(name: str, number: int, mode: int, content: bytes) -> bytes:
    named = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(named), 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + named
    return head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4)


def run(kernel: Path, archive: Path) -> str:
    """By the processor where it takes the kernel at once, else by software: slower, and as telling."""
    told = "guest: /dev/kvm is not ours to open: run by software emulation\n"
    if os.access("/dev/kvm", os.R_OK | os.W_OK):
        printed = start(kernel, archive, ("-enable-kvm", "-cpu", "host,arch-capabilities=off"), STARTING_S)
        if BEGUN in printed:
            return printed
        told = "guest: /dev/kvm opens and does not start this kernel: run by software emulation\n"
    return told + start(kernel, archive, ("-accel", "tcg,thread=multi", "-cpu", "max"), BOOTING_S)


def start(kernel: Path, archive: Path, by: tuple[str, ...], starting_s: float) -> str:
    """What the guest printed; it is ended where it has not begun within `starting_s`."""
    command = [
        *(QEMU, *by, "-smp", "2", "-m", MEMORY, "-nographic", "-no-reboot"),
        *("-nic", "none", "-kernel", str(kernel), "-initrd", str(archive)),
        *("-append", "console=ttyS0 panic=-1 cgroup_no_v1=all nokaslr loglevel=4 rdinit=/init"),
    ]
    printed: list[str] = []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as guest:
        has_begun = threading.Event()
        patience = threading.Thread(target=lambda: has_begun.wait(starting_s) or guest.kill(), daemon=True)
        limit = threading.Timer(RUNNING_S, guest.kill)
        patience.start()
        limit.start()
        assert guest.stdout is not None
        for line in guest.stdout:
            printed.append(line.decode("utf-8", "replace").replace("\r", ""))
            if BEGUN in printed[-1]:
                has_begun.set()
        has_begun.set()
        limit.cancel()
    return "".join(printed)


if __name__ == "__main__":
    try:
        sys.stdout.write(boot(sys.argv[1:] or TESTS))
    except CannotBoot as reason:
        sys.exit(f"not run: {reason}")
