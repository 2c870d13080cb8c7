"""The wheel holds what the service needs where no checkout is, and declares what its code imports."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NAME = re.compile(r"[A-Za-z0-9._-]+")
OF_TESTS = {Path("app/standin/schema.py")}
"""Loaded by tests only, with a validator that is a tool of theirs; see the stand-in's server."""


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def files(*folders: str) -> list[Path]:
    """Seen from the root of the checkout."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return [path.relative_to(ROOT) for path in found if path.is_file() and path.parent.name != "__pycache__"]


def test_modules_templates_and_pages_parts_are_in_the_wheel(names: set[str]) -> None:
    assert {str(path) for path in files("app", "worker")} <= names


def test_migrations_are_where_the_installed_code_looks_for_them(names: set[str]) -> None:
    expected = {f"app/_migrations/{path.relative_to('migrations')}" for path in files("migrations")}
    assert expected <= names


def test_nothing_else_is_in_the_wheel(names: set[str]) -> None:
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"app", "worker"}
    assert not [name for name in names if name.endswith((".pyc", ".db", ".log"))]


def brought(wanted: str, found: set[str]) -> set[str]:
    """Add to `found` the distribution and all that it needs without any of its extras."""
    name = canonical(wanted)
    if name in found:
        return found
    try:
        requirements = distribution(name).requires or []
    except PackageNotFoundError:
        return found  # wanted by other versions of Python
    found.add(name)
    for requirement in requirements:
        if "extra ==" not in requirement:
            brought(requirement, found)
    return found


def canonical(requirement: str) -> str:
    match = NAME.match(requirement)
    assert match is not None
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


OURS = {"app", "worker", "_typeshed", "flake_triage_probe"}
"""The last is what the probe is called where it rides."""


def test_every_import_is_of_a_package_that_the_distribution_brings() -> None:
    """Not a tool of the developers, which an empty environment would lack."""
    declared: set[str] = set()
    for requirement in PROJECT["dependencies"]:
        brought(requirement, declared)
        if "crypto" in requirement:
            declared.add("cryptography")  # the extra of PyJWT
    homes = packages_distributions()
    strange = {
        (str(path), name)
        for path in files("app", "worker", "migrations")
        if path.suffix == ".py" and path not in OF_TESTS
        for name in imported(ROOT / path)
        if name not in sys.stdlib_module_names and name not in OURS
        if not {canonical(home) for home in homes.get(name, [name])} & declared
    }
    assert strange == set()


def test_every_package_that_the_service_needs_is_pinned() -> None:
    came: set[str] = set()
    for requirement in PROJECT["dependencies"]:
        brought(requirement, came)
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {canonical(line) for line in lines if "==" in line}
    assert came - pinned == set()
