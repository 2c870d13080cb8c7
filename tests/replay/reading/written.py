"""Journals written by hand, line by line, as the probe writes them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

BEGUN: Mapping[str, object] = {
    "k": "process",
    "t": 10,
    "argv": ["python", "-m", "pytest"],
    "parent": 1,
    "began": "exec",
    "python": "3.11.7",
    "main": 0x7F00,
    "wall": 1_000,
}


def line(kind: str, t: int, **fields: object) -> dict[str, object]:
    return {"k": kind, "t": t, "th": "MainThread", **fields}


def text(events: Iterable[Mapping[str, object]]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in events)


def write(folder: Path, pid: int, *events: Mapping[str, object]) -> Path:
    """The journal of one process, which begins as `BEGUN`."""
    file = folder / f"{pid}.jsonl"
    file.write_bytes(text([BEGUN, *events]))
    return file


def frame(name: str, number: int = 3) -> list[object]:
    return ["test_x.py", number, name, f"{name}()", True]
