"""Which files of a traceback belong to the repository, and their path in it on whatever machine it ran."""

import re
from collections.abc import Iterable

from app.domain.outcome import TestId

_FOREIGN = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|lib/python\d[\d.]{0,6}|Python\d{1,3}/Lib|hostedtoolcache|node_modules"
    r"|\.?venv|\.tox|\.nox|\.pyenv|miniconda\d?|miniforge\d?|conda|_pytest|pluggy)/"
)
_CHECKOUT = re.compile(
    r"(?:/home/runner/work|/Users/runner/work|/__w|[A-Za-z]:/a|/[^/]{1,99}/_work)/[^/]{1,99}/[^/]{1,99}/"
    r"|/github/workspace/|/workspace/"
)
_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")


def find_root(paths: Iterable[str], test: TestId | None) -> str | None:
    """The checkout folder with its last slash: a known runner's, or what precedes the test's own file."""
    files = ["/" + file for file in likely_files(test)]
    for path in paths:
        flat = _flat(path)
        if (known := _CHECKOUT.match(flat)) is not None:
            return known[0]
        for file in files:
            if flat.endswith(file) and _ABSOLUTE.match(flat):
                return flat[: 1 - len(file)]
    return None


def is_foreign(path: str) -> bool:
    """True for the interpreter's own and installed files, wherever they lie."""
    flat = _flat(path)
    return not flat or flat.startswith("<") or _FOREIGN.search(flat) is not None


def repo_relative(path: str, root: str | None) -> str | None:
    """The path inside the repository, or None for the interpreter's and installed files.

    Without a known root an absolute path keeps its last two parts: enough to tell files apart, and the same
    in any checkout's folder.
    """
    if is_foreign(path):
        return None
    flat = _flat(path)
    if _ABSOLUTE.match(flat):
        if root is None:
            return "/".join(flat.split("/")[-2:])
        return flat[len(root) :] if flat.startswith(root) else None
    while flat.startswith(("./", "../")):
        flat = flat.partition("/")[2]
    return flat


def likely_files(test: TestId | None) -> list[str]:
    """Paths that the test's file may have, longest first: as named, or as its dotted class name suggests."""
    if test is None:
        return []
    if test.file:
        return [_flat(test.file).removeprefix("./")]
    parts = [part for part in test.classname.split(".") if part][:20]
    return ["/".join(parts[:count]) + ".py" for count in range(len(parts), 0, -1)]


def _flat(path: str) -> str:
    return path.strip().replace("\\", "/")
