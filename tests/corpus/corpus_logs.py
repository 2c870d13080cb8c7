"""The logs of the index: category, test and key line as expected, or the key line of the same failure."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from shown import Case, Shown, check, read, tried

from worker.commands.read_records import test_name


def shown(folder: Path) -> Iterator[Shown]:
    entries = json.loads((folder / "INDEX.json").read_text(encoding="utf-8"))
    cases: list[Case] = [(entry["file"], partial(_try, entry, folder)) for entry in entries]
    return tried(cases)


def _try(entry: dict[str, Any], folder: Path) -> str:
    told = read((folder / entry["file"]).read_bytes(), entry["file"])
    names = [test_name(one, is_log=True) for one in told.results]
    wanted = entry["expected_test"]
    check(holds=told.format == "log", wanted="a log", found=told.format)
    check(holds=wanted is None or wanted in names, wanted=f"test {wanted}", found=names)
    return f"test {wanted}"
