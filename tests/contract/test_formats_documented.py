"""Every field that `ingest` reads stands in the README and in its help."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from worker.commands.ingest_formats import FORMATS
from worker.ingest.manifest import REQUIRED, Entry

README = (Path(__file__).parents[2] / "README.md").read_text()
MANIFEST = {"pr" if one.name == "pull" else one.name for one in fields(Entry)} - {"where", "folder"}
COMMIT = {"sha", "parents", "tree", "author", "branch", "pr", "at"}


def test_every_field_of_a_manifest_stands_in_the_readme_and_no_other() -> None:
    table = README.partition("A **manifest** has")[2].partition("A **commits** file")[0]
    rows = [row.split("|") for row in table.splitlines() if row.startswith("| `")]
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    assert documented == MANIFEST
    needed = {name for row in rows if row[2].strip() != "no" for name in re.findall(r"`(\w+)`", row[1])}
    assert needed - {"completed_at"} == set(REQUIRED)


@pytest.mark.parametrize(
    ("begins", "names"), [("A manifest holds", MANIFEST), ("A commits file holds", COMMIT)]
)
def test_every_field_stands_in_the_help(begins: str, names: set[str]) -> None:
    told = FORMATS.partition(begins)[2].partition("\b")[0]
    assert names <= set(re.findall(r"\w+", told))


def test_every_field_of_a_commit_stands_in_the_readme() -> None:
    told = README.partition("A **commits** file")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", told)) == COMMIT
