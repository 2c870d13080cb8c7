"""The results files of the index: counts as expected, or within what a tolerant reader can find."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from corpus_musts import MUSTS
from shown import Case, Shown, Wrong, counts_words, read, tried

from worker.commands.read_content import FileRead

COUNTS = ("cases", "passed", "failed", "errored", "skipped", "flaky_reruns", "distinct_ids")
_TAGS = {
    "cases": "testcase",
    "passed": "testcase",
    "failed": "failure",
    "errored": "error",
    "skipped": "skipped",
}


def shown(folder: Path) -> Iterator[Shown]:
    entries = json.loads((folder / "INDEX.json").read_text(encoding="utf-8"))
    cases: list[Case] = [(entry["file"], partial(_try, entry, folder)) for entry in entries]
    return tried(cases)


def _try(entry: dict[str, Any], folder: Path) -> str:
    told = read((folder / entry["file"]).read_bytes(), entry["file"])
    must: Callable[[FileRead, Path], None] | None = MUSTS.get(entry["file"])
    if must is not None:
        must(told, folder)
    elif "must" in entry and entry["file"] not in _COUNTS_SAY_IT:
        raise Wrong(f"nothing tries what it must do: {entry['must']}")
    if not _may_differ(entry, told):
        _compare(entry, told)
    return counts_words(told)


_COUNTS_SAY_IT = frozenset(
    {
        "edge__default-namespace.xml",
        "edge__latin1-declared-utf8.xml",
        "edge__lone-surrogate-charref.xml",
        "edge__nul-and-esc-bytes.xml",
        "edge__skip-spellings.xml",
    }
)
"""Files whose `must` says no more than their counts."""


_MAY_BE_REFUSED = frozenset({"edge__billion-laughs.xml", "jenkinsci__xunit-plugin__testcase1-input.xml"})
"""The bomb, and a format that is not JUnit, whose expected counts the index itself calls naive."""


def _may_differ(entry: dict[str, Any], told: FileRead) -> bool:
    return entry["file"] in _MAY_BE_REFUSED and told.status.value == "refused" and bool(told.reason)


def _compare(entry: dict[str, Any], told: FileRead) -> None:
    is_loose = not entry["well_formed"] and "must" not in entry
    for name in COUNTS:
        if name not in entry["expected"]:
            continue
        expected, found = entry["expected"][name], getattr(told.counts, name)
        if not is_loose and found != expected:
            raise Wrong(f"{name} is {found}, not {expected}; {counts_words(told)}")
        most = entry["tags_in_text"][_TAGS[name]] if is_loose and name in _TAGS else None
        if most is not None and not expected <= found <= most:
            raise Wrong(f"{name} is {found}, not {expected} to {most}; {counts_words(told)}")
