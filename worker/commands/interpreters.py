"""Which interpreter runs a project's tests, found by reading: starting one would run what its `.pth` say."""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from app.domain.errors import Gone

ENVIRONMENTS = (".venv", "venv", "env")
_INSTALLED = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._]{0,100})-(?P<version>[0-9][A-Za-z0-9.+!_]{0,60})\.(?:dist|egg)-info"
)
_CONFIG_BYTES = 64 << 10


def interpreter_for(project: Path, asked: Path | None, *, isolated: bool) -> Path:
    """The one that was asked for, else the project's own environment, the one on the path, ours.

    Raises typer's BadParameter for a name that no program has, Gone where pytest is in none of them, and for
    a path with no program: what makes that environment may have failed. What is installed for one user only
    is not in the sandbox, and does not count there.
    """
    if asked is not None:
        found = shutil.which(asked)
        if found is None and len(asked.parts) > 1:
            raise Gone(str(asked), "no program that can be started is there; --python names another one")
        if found is None:
            raise typer.BadParameter(f"--python: {asked} is no program that can be started")
        python = Path(found).absolute()
        if isolated and "pytest" not in installed(python):
            raise Gone(
                str(python), f"pytest is not installed there; `{python} -m pip install pytest` installs it"
            )
        return python
    candidates = list(dict.fromkeys(_candidates(project)))
    for python in candidates:
        if "pytest" in installed(python):
            return python
    tried = ", ".join(map(str, candidates))
    raise Gone("replay", f"no interpreter with pytest was found ({tried}); --python names one")


def installed(python: Path) -> dict[str, str]:
    """Version by name of every distribution beside this interpreter, names in lower case with dashes."""
    found: dict[str, str] = {}
    for folder in _packages(python):
        for path in sorted(folder.iterdir()):
            match = _INSTALLED.fullmatch(path.name)
            if match:
                name = re.sub(r"[._-]+", "-", match["name"]).lower()
                found.setdefault(name, match["version"])
    return found


def _candidates(project: Path) -> Iterator[Path]:
    for name in ENVIRONMENTS:
        python = project / name / "bin" / "python"
        if python.exists():
            yield python.absolute()
    for name in ("python", "python3"):
        found = shutil.which(name)
        if found:
            yield Path(found).absolute()
    yield Path(sys.executable)


def _packages(python: Path) -> list[Path]:
    """The folders of packages that the interpreter has: of a virtual environment its own come first."""
    prefix = python.parent.parent
    prefixes = [prefix]
    config = _config(prefix)
    if config.get("include-system-site-packages", "").lower() == "true" and config.get("home"):
        prefixes.append(Path(config["home"]).parent)
    elif not config and python.is_symlink():
        prefixes.append(python.resolve().parent.parent)
    patterns = ("lib/python3*/site-packages", "lib64/python3*/site-packages", "lib/python3*/dist-packages")
    found = [folder for one in prefixes for pattern in patterns for folder in sorted(one.glob(pattern))]
    return list(dict.fromkeys(folder for folder in found if folder.is_dir()))


def _config(prefix: Path) -> dict[str, str]:
    try:
        with (prefix / "pyvenv.cfg").open(encoding="utf-8", errors="replace") as file:
            lines = file.read(_CONFIG_BYTES).splitlines()
    except OSError:
        return {}
    return {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
