"""The hook that others switch on: pre-commit takes its fields, and what it starts is what it promises."""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import yaml

TOP = Path(__file__).parents[2]
[HOOK] = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text())

FIELDS = {
    *("id", "name", "entry", "language", "files", "exclude", "types", "types_or", "exclude_types", "args"),
    *("always_run", "fail_fast", "verbose", "pass_filenames", "require_serial", "description"),
    *("language_version", "minimum_pre_commit_version", "stages", "additional_dependencies", "log_file"),
}
"""pre-commit.com, "Creating new hooks"; any other field is a warning for everyone who uses the hook."""


def test_every_field_is_one_that_pre_commit_knows() -> None:
    assert {"id", "name", "entry", "language"} <= set(HOOK) <= FIELDS
    assert (HOOK["language"], HOOK["types"]) == ("python", ["python"])


def test_its_program_is_one_that_the_package_installs() -> None:
    assert HOOK["entry"].split()[0] in {one.name for one in entry_points(group="console_scripts")}


def test_it_is_started_with_the_files_of_a_commit_and_fails_where_there_is_something_to_mend(
    tmp_path: Path,
) -> None:
    """pre-commit starts the entry in the repository's folder, with the names of the files behind it."""
    (tmp_path / "clean.py").write_text("x = 1\n")
    (tmp_path / "comment.py").write_text("x = 1  # flake-triage: ignore[one-item-drained]\n")
    entry = [sys.executable, "-m", "worker", *HOOK["entry"].split()[1:], "clean.py", "comment.py"]
    done = subprocess.run(entry, cwd=tmp_path, capture_output=True, check=False, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("comment.py:1: suppression: it gives no reason")
