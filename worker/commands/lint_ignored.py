"""What git ignores of a folder, asked of git itself; nothing where there is no git or no repository."""

import os
import shutil
import subprocess
from pathlib import Path

from worker.commands.file_names import absolute

LONGEST_S = 20.0
"""A look at a work tree of 100,000 files takes a second; who waits longer is better served without."""


def ignored_by_git(folder: Path) -> frozenset[str]:
    """Absolute paths of the files and folders below it that git does not track and is told to ignore.

    The repository's own configuration may name a program that git would run to look for changes, which is why
    that is turned off: nothing of what is linted is run.
    """
    git = shutil.which("git")
    if git is None:
        return frozenset()
    asked = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", "."]
    try:
        told = subprocess.run(  # noqa: S603 - the system's own program, our own words
            [git, "-C", str(folder), "-c", "core.fsmonitor=false", *asked],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return frozenset()
    if told.returncode != 0:
        return frozenset()
    names = (os.fsdecode(name) for name in told.stdout.split(b"\0") if name)
    return frozenset(absolute(folder / name) for name in names)
