"""Paths as the suspect sees them, and the environment that it gets."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_ALLOWED: Final = re.compile(
    r"PYTHON[A-Z]+|(OMP|MKL|OPENBLAS|NUMEXPR|GLOO|TORCH|TORCHELASTIC|TORCHINDUCTOR|NCCL|TP|FI)_[A-Z0-9_]+"
    r"|PYTEST_[A-Z_]+|CI|GITHUB_ACTIONS|PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|LANG|LC_[A-Z]+|TMPDIR|COLUMNS|LINES"
    r"|FLAKE_TRIAGE_(JOURNAL|PROJECT|DELAYS|INJECT|TRIAL)"
)
_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class View:
    """Where things are inside; the project has its own path there, so that tracebacks and `.pth` agree."""

    project: Path
    python: Path
    tools: Path
    journal: Path | None
    tmp: Path
    home: Path

    @property
    def places(self) -> dict[str, str]:
        """Where a suspect may leave files: shared memory, its temporary folder, its copy of the project."""
        return {"shm": "/dev/shm", "tmp": str(self.tmp), "project": str(self.project)}  # noqa: S108 - the suspect's

    def environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        """The whole environment of the suspect: ours is not in it. ValueError on a name that is not listed.

        Names are listed, not values looked at: what is secret cannot be told from a value.
        """
        for name in extra:
            if not _ALLOWED.fullmatch(name):
                raise ValueError(f"{name} is not among the variables that reach a suspect")
        return {
            "PATH": f"{self.python.parent}:{_SYSTEM_PATH}",
            "HOME": str(self.home),
            "USER": "suspect",
            "LANG": "C.UTF-8",
            "TMPDIR": str(self.tmp),
            **extra,
        }
