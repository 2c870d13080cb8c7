"""The logs of the index, as the command line explains them: category, test and key line as expected.

A key line may also be another line of the same failure: it has the message of a summary's line, or no rule
between sections parts the two in the log.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from shown import Case, Shown, Wrong, check, tried
from typer.testing import CliRunner

from worker import cli

NEAR_LINES = 40
_RULE = re.compile(r"(?:Z |^)[=_]{3,} .+ [=_]{3,}$")


def shown(folder: Path) -> Iterator[Shown]:
    entries = json.loads((folder / "INDEX.json").read_text(encoding="utf-8"))
    cases: list[Case] = [(entry["file"], partial(_try, entry, folder / entry["file"])) for entry in entries]
    return tried(cases)


def explained(path: Path) -> dict[str, Any]:
    """The object that `explain --json` prints."""
    result = CliRunner().invoke(cli.cli, ["explain", str(path), "--json"])
    if result.exit_code or not result.stdout:
        said = " ".join(result.stderr.split())[-160:]
        raise Wrong(f"explain gave exit code {result.exit_code}: {said}")
    told: dict[str, Any] = json.loads(result.stdout)
    return told


def _try(entry: dict[str, Any], path: Path) -> str:
    told = explained(path)
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    check(holds=told["category"] == entry["category"], wanted=entry["category"], found=told["category"])
    wanted = entry["expected_test"]
    check(holds=told["test"] == wanted, wanted=f"test {wanted}", found=told["test"])
    how = _how_near(entry["expected_key_line"], told, lines)
    return f"{told['category']}, {told['test']}, key line {how}: {str(told['key_line']).strip()[:80]}"


def _how_near(expected: str, told: dict[str, Any], lines: list[str]) -> str:
    found = str(told["key_line"] or "")
    if found.strip() == expected.strip():
        return "equal"
    if found.strip() and (found.strip() in expected or expected.strip() in found):
        return "the same line"
    message = expected.partition(" - ")[2].removesuffix("...").strip()
    if message and message in found:
        return "with the same message"
    places = [number for number, line in enumerate(lines, 1) if expected.strip() in line]
    at = told["line"] or 0
    if any(_is_one_failure(lines, *sorted((place, at))) for place in places):
        return "of the same failure"
    raise Wrong(f"the key line {expected.strip()[:80]!r} at {places}; found {found[:80]!r} at {at}")


def _is_one_failure(lines: list[str], first: int, last: int) -> bool:
    between = lines[first : last - 1]
    return last - first <= NEAR_LINES and first > 0 and not any(_RULE.search(line) for line in between)
