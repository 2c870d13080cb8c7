"""Archives and files as nobody should upload them, and as somebody will."""

import io
import stat
import zipfile

from scene import Case, junit


def with_link(name: str, target: str) -> bytes:
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with io.BytesIO() as buffer:
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(entry, target)
        return buffer.getvalue()


def with_names_twice(name: str, first: bytes, second: bytes) -> bytes:
    """Two files of one name, which `zipfile` warns of: the second gets its name afterwards."""
    other = "~" * len(name)
    with io.BytesIO() as buffer:
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(name, first)
            archive.writestr(other, second)
        return buffer.getvalue().replace(other.encode(), name.encode())


def damaged_inside(name: str) -> bytes:
    """An archive whose only file is wrong further on than anybody looks before reading it."""
    with io.BytesIO() as buffer:
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(name, b" " * 100_000 + b"here")
        return buffer.getvalue().replace(b"here", b"hare", 1)


def cut_short(*cases: Case) -> bytes:
    """A results file that breaks off in the middle of its last case."""
    whole = junit(*cases)
    return whole[: whole.rindex(b"<testcase") + 20]


ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>'
    b'<testsuite><testcase classname="c" name="&b;&x;"/></testsuite>'
)
HTML = b"<!doctype html><html><body><h1>502</h1><p>Try again.<br></body></html>"
BOMB = b"\0" * (24 * 1024 * 1024)
