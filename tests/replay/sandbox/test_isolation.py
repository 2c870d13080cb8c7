"""What a hostile suspect may try, in each way that walls are put up, as root and as an unprivileged user."""

import ctypes
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from boxes import WAYS, Box, new_box

SECRET = "a-secret-" + "that-no-suspect-may-see"
KEYCTL = {"x86_64": (248, 250), "aarch64": (217, 219)}

TRIES = r"""
import ctypes, errno, json, os, socket, subprocess, sys
asked = json.loads(@ASKED@)
secret = asked["half"] + asked["rest"]
found = {}

def attempt(name, what):
    try:
        found[name] = what()
    except Exception as error:
        found[name] = f"{type(error).__name__}: {error}"

def holds(path):
    try:
        with open(path, "rb") as file:
            return secret.encode() in file.read(1 << 20)
    except OSError:
        return False

def search():
    hits = []
    for top in os.listdir("/"):
        if top in ("proc", "sys", "usr", "dev"):
            continue
        for path, _, files in os.walk("/" + top):
            paths = (os.path.join(path, name) for name in files)
            hits += [p for p in paths if os.path.isfile(p) and os.path.getsize(p) < 1000 and holds(p)]
    return hits

def connect(family, address):
    with socket.socket(family) as client:
        client.settimeout(3)
        client.connect(address)
        return "connected"

def own_loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return connect(socket.AF_INET, server.getsockname())

def write(path):
    with open(path, "w") as file:
        file.write("x")
    return "written"

def trace(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    return "traced" if libc.ptrace(16, pid, 0, 0) == 0 else errno.errorcode[ctypes.get_errno()]

def keyctl():
    libc = ctypes.CDLL(None, use_errno=True)
    answer = libc.syscall(asked["keyctl"], 0, -4, 0)
    return errno.errorcode[ctypes.get_errno()] if answer == -1 else "answered"

attempt("read", lambda: open(asked["secret_file"]).read())
attempt("search", search)
attempt("link", lambda: open("link_out").read())
attempt("environ", lambda: [n for n, v in os.environ.items() if secret in v])
attempt("environs", lambda: [p for p in os.listdir("/proc") if p.isdigit() and holds(f"/proc/{p}/environ")])
attempt("tcp", lambda: connect(socket.AF_INET, ("127.0.0.1", asked["port"])))
attempt("abstract", lambda: connect(socket.AF_UNIX, asked["abstract"]))
attempt("unix", lambda: connect(socket.AF_UNIX, asked["unix"]))
attempt("internet", lambda: connect(socket.AF_INET, ("192.0.2.1", 80)))
attempt("loopback", own_loopback)
attempt("write_outside", lambda: write(asked["outside"] + "/written"))
attempt("write_usr", lambda: write("/usr/lib/written"))
attempt("write_etc", lambda: write("/etc/passwd"))
attempt("write_tools", lambda: write("/flake-triage/tools/written"))
attempt("write_python", lambda: write(os.path.join(sys.prefix, "lib", "written")))
attempt("write_root", lambda: write("/written"))
attempt("write_dev", lambda: write("/dev/written"))
attempt("write_project", lambda: write("written"))
attempt("write_journal", lambda: write("/flake-triage/journal/written"))
attempt("write_tmp", lambda: [write(os.path.expanduser(p)) for p in ("/tmp/w", "/dev/shm/w", "~/w")])
attempt("sysctl", lambda: write("/proc/sys/vm/drop_caches"))
attempt("sysrq", lambda: write("/proc/sysrq-trigger"))
attempt("pids", lambda: sorted(int(p) for p in os.listdir("/proc") if p.isdigit()))
attempt("kill", lambda: os.kill(asked["pid"], 0))
attempt("trace", lambda: trace(asked["pid"]))
attempt("keyctl", keyctl)
attempt("cgroup", lambda: [l for l in open("/proc/self/mounts") if "cgroup" in l])
attempt("cgroup_folder", lambda: os.listdir("/sys/fs/cgroup"))
attempt("mknod", lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(254, 0)))
attempt("devices", lambda: sorted(os.listdir("/dev")))
attempt("namespaces", lambda: {n: os.readlink(f"/proc/self/ns/{n}") for n in asked["namespaces"]})
attempt("status", lambda: dict(l[:-1].split(":\t", 1) for l in open("/proc/self/status") if ":\t" in l))
attempt("user", os.getuid)
attempt("roots", lambda: sorted(os.listdir("/")))
attempt("homes", lambda: [os.listdir("/root") if os.path.isdir("/root") else [], os.listdir("/home")])
subprocess.Popen(
    [sys.executable, "-c", "import time; print('@DAEMON@' and 1, flush=True); time.sleep(600)"],
    start_new_session=True, stdout=subprocess.PIPE,
).stdout.readline()
print(json.dumps(found))
"""


class Outside:
    """What stands outside for the suspect to reach for."""

    def __init__(self, box: Box, stack: ExitStack) -> None:
        self.folder = box.place / "outside"
        self.folder.mkdir()
        self.secret_file = self.folder / "secret.txt"
        self.secret_file.write_text(SECRET)
        self.secret_file.chmod(0o644)
        (box.place / "project" / "link_out").symlink_to(self.secret_file)
        self.tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.abstract = f"\0flake-triage-test-{os.getpid()}"
        self.unix = str(self.folder / "listening")
        for address in (self.abstract, self.unix):
            listening = stack.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(address)
            listening.listen()
        os.chmod(self.unix, 0o777)  # noqa: PTH101 - beside what bound it
        self.other = stack.enter_context(subprocess.Popen(["sleep", "600"], env={"SECRET": SECRET}))
        stack.callback(self.other.kill)

    def asked(self) -> dict[str, Any]:
        return {
            "half": SECRET[:9],
            "rest": SECRET[9:],
            "secret_file": str(self.secret_file),
            "port": self.tcp.getsockname()[1],
            "abstract": self.abstract,
            "unix": self.unix,
            "outside": str(self.folder),
            "pid": self.other.pid,
            "namespaces": ["pid", "ipc", "net", "uts", "mnt"],
            "keyctl": KEYCTL.get(os.uname().machine, (0, 250))[1],
        }


@pytest.fixture(scope="module", params=WAYS, ids=["-".join(way) for way in WAYS])
def tried(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """What each attempt answered; `outlived` are processes that the suspect left, seen from here."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        box = stack.enter_context(new_box(*request.param))
        patch.setenv("SOME_TOKEN", SECRET)
        outside = Outside(box, stack)
        _plant_key()
        daemon = f"daemon-{os.getpid()}-{box.walls}-{box.as_nobody}"
        code = TRIES.replace("@ASKED@", repr(json.dumps(outside.asked()))).replace("@DAEMON@", daemon)
        ran = box.run(code)
        assert ran.status == 0, ran.out
        found = ran.said
        found["outlived"] = _processes_with(daemon)
        found["cleanup"] = ran.cleanup
        found["written_outside"] = sorted(path.name for path in outside.folder.iterdir())
        found["journal"] = (box.place / "journal" / "written").exists()
        found["project"] = sorted(path.name for path in (box.place / "project").iterdir())
        found["scratch"] = list((box.place / "scratch").iterdir())
        yield found


def _plant_key() -> None:
    """A key in our session's keyring, which children inherit."""
    number = KEYCTL.get(os.uname().machine)
    if number:
        ctypes.CDLL(None).syscall(number[0], b"user", b"flake-triage-test", SECRET.encode(), len(SECRET), -3)


def _processes_with(marker: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if marker.encode() in path.read_bytes() and path.parent.name != str(os.getpid()):
                found.append(path.parent.name)
    return found


def test_world_readable_secret_outside_is_not_there(tried: dict[str, Any]) -> None:
    assert "FileNotFoundError" in tried["read"]
    assert tried["search"] == []


def test_link_that_leaves_the_project_leads_nowhere(tried: dict[str, Any]) -> None:
    assert "FileNotFoundError" in tried["link"]


def test_secret_of_the_environment_reaches_no_process_inside(tried: dict[str, Any]) -> None:
    assert tried["environ"] == []
    assert tried["environs"] == []


def test_listener_on_the_hosts_loopback_is_out_of_reach(tried: dict[str, Any]) -> None:
    assert "ConnectionRefusedError" in tried["tcp"]


def test_unix_sockets_outside_are_out_of_reach(tried: dict[str, Any]) -> None:
    assert "ConnectionRefusedError" in tried["abstract"]
    assert "FileNotFoundError" in tried["unix"]


def test_only_loopback_is_there_and_it_is_up(tried: dict[str, Any]) -> None:
    assert "unreachable" in tried["internet"]
    assert tried["loopback"] == "connected"


@pytest.mark.parametrize("where", ["outside", "usr", "etc", "tools", "python", "root", "dev"])
def test_nothing_outside_of_its_own_folders_can_be_written(tried: dict[str, Any], where: str) -> None:
    assert tried[f"write_{where}"].split(":")[0] in {"OSError", "PermissionError", "FileNotFoundError"}
    assert tried["written_outside"] == ["listening", "secret.txt"]


def test_its_own_folders_can_be_written(tried: dict[str, Any]) -> None:
    assert tried["write_project"] == "written"
    assert tried["write_journal"] == "written"
    assert tried["write_tmp"] == ["written"] * 3


def test_project_is_a_copy_that_is_thrown_away_and_the_journal_stays(tried: dict[str, Any]) -> None:
    assert tried["project"] == ["link_out"]
    assert tried["journal"]
    assert tried["scratch"] == []


def test_kernel_settings_cannot_be_written(tried: dict[str, Any]) -> None:
    for name in ("sysctl", "sysrq"):
        assert tried[name].split(":")[0] in {"OSError", "PermissionError", "FileNotFoundError"}


def test_processes_outside_are_neither_seen_nor_reached(tried: dict[str, Any]) -> None:
    assert tried["pids"][:2] == [1, 2]
    assert len(tried["pids"]) <= 3
    assert "ProcessLookupError" in tried["kill"]
    assert tried["trace"] in {"ESRCH", "EPERM"}


def test_keyrings_are_not_to_be_had(tried: dict[str, Any]) -> None:
    assert tried["keyctl"] == "ENOSYS"


def test_control_groups_are_not_there(tried: dict[str, Any]) -> None:
    assert tried["cgroup"] == []
    assert "FileNotFoundError" in tried["cgroup_folder"]


def test_devices_are_the_harmless_ones_and_none_can_be_made(tried: dict[str, Any]) -> None:
    assert "PermissionError" in tried["mknod"]
    assert not [
        name for name in tried["devices"] if name.startswith(("vd", "sd", "mem", "kvm", "fuse", "loop"))
    ]


def test_namespaces_are_its_own(tried: dict[str, Any]) -> None:
    for name, inside in tried["namespaces"].items():
        assert inside != os.readlink(f"/proc/self/ns/{name}"), name  # noqa: PTH115 - a magic link


def test_it_has_no_capabilities_and_can_gain_none(tried: dict[str, Any]) -> None:
    status = tried["status"]
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[name], 16) == 0, name
    assert status["NoNewPrivs"] == "1"


def test_it_is_not_root(tried: dict[str, Any]) -> None:
    assert tried["user"] != 0


def test_homes_are_empty_but_for_what_was_bound(tried: dict[str, Any]) -> None:
    root, homes = tried["homes"]
    assert homes == ["suspect"]
    assert set(root) <= {Path(sys.base_prefix).relative_to("/root").parts[0]} if root else True


def test_nothing_outlives_the_trial(tried: dict[str, Any]) -> None:
    assert tried["outlived"] == []
    assert {name: n for name, n in tried["cleanup"].items() if n and name != "notes"} == {}
