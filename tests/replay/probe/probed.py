"""Runs a script of ours with the probe in it, by any Python that is here, and reads what it wrote."""

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from worker.replay.facts import Process
from worker.replay.probe import address, ways_in
from worker.replay.reading.journals import Journals, read_journals

MINORS = range(9, 14)


@dataclass(frozen=True, slots=True)
class Ran:
    """A script that has ended, with its journals."""

    journals: Journals
    folder: Path
    stdout: str
    stderr: str
    code: int

    def worker(self, name: str) -> Process:
        return next(one for one in self.journals.processes if one.name and one.name.endswith(name))

    @property
    def main(self) -> Process:
        return min(self.journals.processes, key=lambda one: one.started)


class Tools:
    """The probe as a trial has it, beside a project folder of the test's own."""

    def __init__(self, root: Path) -> None:
        self.project, self.journal, self.folder = root / "project", root / "journal", root / "tools"
        for folder in (self.project, self.journal, self.folder):
            folder.mkdir()
        ways_in.lay_out(self.folder, str(self.folder), self.address)
        shutil.rmtree(self.folder / ways_in.PACKAGE)  # in place instead, so that its coverage is counted
        (self.folder / ways_in.PACKAGE).symlink_to(address.PACKAGE)

    @property
    def address(self) -> dict[str, str]:
        return {address.JOURNAL: str(self.journal), address.PROJECT: str(self.project)}

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name[:6] != "PYTHON"}  # noqa: TID251 -- a child's
        return {**kept, **self.address, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}

    def write(self, script: str, name: str = "script.py") -> Path:
        file = self.project / name
        file.write_text(textwrap.dedent(script), encoding="utf-8")
        return file

    def run(
        self,
        script: str,
        *args: str,
        python: str = sys.executable,
        env: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
    ) -> Ran:
        """Waits for the script, at most half a minute."""
        command = [python, *options, str(self.write(script)), *args]
        return self.ran(command, env)

    def ran(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> Ran:
        ended = subprocess.run(
            command,
            env=self.environment() if env is None else env,
            cwd=self.project,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        journals = read_journals(self.journal, str(self.project))
        return Ran(journals, self.journal, ended.stdout, ended.stderr, ended.returncode)


def pythons() -> list[str]:
    """One of each minor version that is here, ours among them."""
    found = {sys.version_info.minor: sys.executable}
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")  # noqa: TID251 -- where interpreters are kept
    for minor in MINORS:
        kept = sorted(root.glob(f"versions/3.{minor}.*/bin/python"))
        names = [*map(str, kept), shutil.which(f"python3.{minor}") or ""]
        works = (name for name in names if name and _is_minor(name, minor))
        if minor not in found and (name := next(works, None)):
            found[minor] = name
    return [found[minor] for minor in sorted(found)]


def _is_minor(name: str, minor: int) -> bool:
    code = "import sys; print(sys.version_info[1])"
    try:
        said = subprocess.run(
            [name, "-I", "-c", code], capture_output=True, text=True, timeout=20, check=False
        )
    except OSError:
        return False
    return said.stdout.strip() == str(minor)
