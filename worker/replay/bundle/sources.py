"""Which files of the project a test needs: itself, what it imports from there, and what pytest reads for it.

Imports are read off the source, not executed; what was imported in another way is known from the frames that
the trials recorded.
"""

import ast
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from worker.replay.regular_file import read_bounded

MOST_FILES = 2000
MOST_FILE_BYTES = 4 << 20
CONFIGURATION = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
"""What pytest takes its options from."""


def sources_of(project: Path, test: str, *, named: Iterable[str] = ()) -> dict[str, bytes]:
    """Contents by path within the project. `test` is a node id; `named` are more files, as frames name them.

    Nothing outside of the project is read, also not through a link. At most MOST_FILES, nearest first.
    """
    root = project.resolve()
    first = test.partition("::")[0]
    waiting = deque([first, *_beside(first), *CONFIGURATION, *named])
    found: dict[str, bytes] = {}
    seen: set[str] = set()
    while waiting and len(found) < MOST_FILES:
        path = waiting.popleft()
        if path in seen:
            continue
        seen.add(path)
        content = _inside(root, path)
        if content is None:
            continue
        found[path] = content
        if path.endswith(".py"):
            waiting.extend(_imported(path, content))
    return found


def _beside(test: str) -> list[str]:
    """The conftest files that pytest loads for it, and the packages that it is in."""
    folders = [PurePosixPath(test), *PurePosixPath(test).parents][1:]
    return [str(folder / name) for folder in folders for name in ("conftest.py", "__init__.py")]


def _inside(root: Path, path: str) -> bytes | None:
    if not path or "\0" in path:
        return None
    file = (root / path).resolve()
    if not file.is_relative_to(root) or not file.is_file():
        return None
    content = read_bounded(file, MOST_FILE_BYTES + 1)
    return content if len(content) <= MOST_FILE_BYTES else None


def _imported(path: str, content: bytes) -> Iterator[str]:
    """Where the modules that it imports would be, if they are the project's."""
    for module, level in _modules(content):
        for place in _places(path, level):
            target = place / module.replace(".", "/") if module else place
            for package in list(target.parents)[: module.count(".")]:
                yield str(package / "__init__.py")
            yield str(target) + ".py"
            yield str(target / "__init__.py")


def _modules(content: bytes) -> Iterator[tuple[str, int]]:
    """Module and level of each import; `from a import b` may also mean the module a.b."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the test's own string escapes
            tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield module, node.level
            yield from ((f"{module}.{alias.name}".lstrip("."), node.level) for alias in node.names)
        elif isinstance(node, ast.Assign):
            yield from _plugins(node)


def _plugins(node: ast.Assign) -> Iterator[tuple[str, int]]:
    """What a conftest names as `pytest_plugins` is imported too."""
    if any(isinstance(target, ast.Name) and target.id == "pytest_plugins" for target in node.targets):
        for one in ast.walk(node.value):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                yield one.value, 0


def _places(path: str, level: int) -> list[PurePosixPath]:
    """Folders that an import starts from: of a relative one its package, else all above, and `src`."""
    above = [PurePosixPath(path), *PurePosixPath(path).parents][1:]
    if level:
        return above[level - 1 : level]
    return [*above, PurePosixPath("src")]
