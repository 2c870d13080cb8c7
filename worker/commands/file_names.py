"""How commands name files: by the path they were found under, as pytest does, and harmless on a terminal."""

import os
from pathlib import Path


def absolute(path: Path | str) -> str:
    """Without `.` and `..`, and with links as they are: a file is told by the name it was found under."""
    return os.path.abspath(path)  # noqa: PTH100 - Path.resolve() follows links


def shown(path: Path) -> str:
    """Below the current folder where it is, else as it was given; with slashes."""
    here, whole = Path.cwd(), Path(absolute(path))
    return (whole.relative_to(here) if whole.is_relative_to(here) else path).as_posix()


def spelled(name: str) -> str:
    """With every character spelled out that a line or a terminal takes for something else."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in name)
