"""What an interpreter needs in order to run: found by reading, since running it would run its `.pth`."""

import ast
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from worker.replay.sandbox.refused import Refused

_CONFIG_BYTES: Final = 64 << 10
_PTH_BYTES: Final = 64 << 10
_MOST_LINKS: Final = 20
_FOR_OTHERS: Final = 0o005
_NEVER_WHOLE: Final = frozenset(
    f"/{name}"
    for name in (
        *("", "bin", "boot", "dev", "etc", "home", "lib", "lib64", "media", "mnt", "opt", "proc", "root"),
        *("run", "sbin", "srv", "sys", "tmp", "usr", "var"),
    )
)


class Needs(NamedTuple):
    """`folders` are bound as they are; `links` (path, text) lead from the interpreter's path into them."""

    folders: tuple[Path, ...]
    links: tuple[tuple[Path, str], ...]


def needs_of(python: Path, project: Path) -> Needs:
    """Prefix, base prefix, and what editable installs in them name. Refused where there is no interpreter."""
    if not os.access(python, os.X_OK):
        raise Refused(f"{python} is not an interpreter that we may start.")
    links = list(_links_from(python))
    folders: list[Path] = []
    for path in [python, *(link.parent / text for link, text in links)]:
        prefix = Path(os.path.normpath(path)).parent.parent
        folders.append(prefix)
        folders.extend(_base_of(prefix))
    folders += [Path(os.path.realpath(one)) for one in folders]
    wanted = [one for one in dict.fromkeys(folders) if not _is_system(one)]
    edited = [one for prefix in wanted for one in _edited_in(prefix) if not one.is_relative_to(project)]
    refused = next((one for one in wanted if _is_too_much(one, project)), None)
    if refused is not None:
        raise Refused(f"The interpreter's folder is {refused}, which holds more than an interpreter.")
    seen = _without_inner([*wanted, *(one for one in edited if not _is_too_much(one, project))])
    return Needs(seen, tuple((link, text) for link, text in links if not _is_in(link, seen)))


def is_open_to_all(python: Path, needs: Needs) -> bool:
    """Another user could start it and read its packages, were its folders within reach."""
    paths = [Path(os.path.realpath(python))]
    for folder in needs.folders:
        paths += [
            folder,
            folder / "bin",
            *folder.glob("lib/python3*"),
            *folder.glob("lib/python3*/site-packages"),
        ]
    return all(path.stat().st_mode & _FOR_OTHERS == _FOR_OTHERS for path in paths if path.exists())


def _links_from(path: Path) -> Iterator[tuple[Path, str]]:
    for _ in range(_MOST_LINKS):
        if not path.is_symlink():
            return
        text = os.readlink(path)  # noqa: PTH115 - the text as it stands
        yield path, text
        path = Path(os.path.normpath(path.parent / text))


def _base_of(prefix: Path) -> Iterator[Path]:
    """Of a virtual environment: the prefix of the interpreter that it was made from."""
    with suppress(OSError), (prefix / "pyvenv.cfg").open(encoding="utf-8", errors="replace") as file:
        for line in file.read(_CONFIG_BYTES).splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "home" and value.strip().startswith("/"):
                yield Path(os.path.normpath(value.strip())).parent


def _edited_in(prefix: Path) -> Iterator[Path]:
    """Absolute folders that `.pth` lines and the finders of editable installs name."""
    for packages in [
        *prefix.glob("lib/python3*/site-packages"),
        *prefix.glob("lib64/python3*/site-packages"),
    ]:
        for path in packages.glob("*.pth"):
            for line in _text(path).splitlines():
                if line.startswith("/") and Path(line.strip()).is_dir():
                    yield Path(os.path.realpath(line.strip()))
        for path in packages.glob("__editable___*_finder.py"):
            yield from _mapped_by(path)


def _mapped_by(finder: Path) -> Iterator[Path]:
    """The literal `MAPPING` of setuptools' finder; read, never run."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        for statement in ast.parse(_text(finder)).body:
            if not isinstance(statement, ast.AnnAssign | ast.Assign):
                continue
            if isinstance(statement.value, ast.Dict) and "'MAPPING'" in ast.dump(statement):
                mapping = ast.literal_eval(statement.value)
                yield from (Path(os.path.realpath(one)) for one in mapping.values() if Path(one).is_dir())


def _text(path: Path) -> str:
    with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
        return file.read(_PTH_BYTES)
    return ""


def _is_system(folder: Path) -> bool:
    return folder == Path("/usr") or str(folder) == "/"


def _is_too_much(folder: Path, project: Path) -> bool:
    """A folder that cannot be only an interpreter's, or only one package's."""
    is_home = (folder / ".ssh").exists() or (folder / ".bashrc").exists() or folder == Path.home()
    return str(folder) in _NEVER_WHOLE or is_home or project.is_relative_to(folder)


def _without_inner(folders: list[Path]) -> tuple[Path, ...]:
    unique = list(dict.fromkeys(folders))
    return tuple(
        one for one in unique if not any(one != other and one.is_relative_to(other) for other in unique)
    )


def _is_in(path: Path, folders: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(one) for one in folders) or path.parts[:2] in {("/", "usr"), ("/", "bin")}
