"""What a test needs of its project is found by reading, and nothing outside of the project is read."""

from pathlib import Path

import pytest

from worker.replay.bundle.sources import MOST_FILE_BYTES, sources_of


def project(folder: Path, **files: str) -> Path:
    for path, text in files.items():
        file = folder / path.replace("__", "/")
        file = file.with_name(file.name + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def found(root: Path, test: str = "tests/test_a.py::test_x", **named: list[str]) -> set[str]:
    return set(sources_of(root, test, **named))


def test_imports_are_followed_through_packages_and_relative_ones(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        tests__test_a="import pack.one\nfrom side import thing\n",
        tests__side="thing = 1\n",
        pack__one="from .two import x\nfrom . import three\n",
        pack__two="x = 1\n",
        pack__three="",
        pack__other="",
        src__deep="",
        conftest="import src_side\n",
        src_side="",
    )
    (root / "pack" / "__init__.py").write_text("")
    assert found(root) == {
        *("tests/test_a.py", "tests/side.py", "pack/__init__.py", "pack/one.py", "pack/two.py"),
        *("pack/three.py", "conftest.py", "src_side.py"),
    }


def test_a_source_layout_plugins_and_configuration_are_known(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        tests__test_a="from lib.core import run\n",
        src__lib__core="run = 1\n",
        tests__conftest="pytest_plugins = ['fixtures.all', other]\n",
        fixtures__all="",
    )
    (root / "pytest.ini").write_text("[pytest]\n")
    assert found(root) == {
        "tests/test_a.py",
        "src/lib/core.py",
        "tests/conftest.py",
        "fixtures/all.py",
        "pytest.ini",
    }


def test_files_that_frames_name_are_taken_too(tmp_path: Path) -> None:
    root = project(tmp_path, tests__test_a="", loaded_by_name="import more\n", more="")
    assert found(root, named=["loaded_by_name.py", "absent.py"]) == {
        "tests/test_a.py",
        "loaded_by_name.py",
        "more.py",
    }


@pytest.mark.parametrize("path", ["../outside.py", "link.py", "folder/outside.py", "a\x00b", ""])
def test_nothing_outside_of_the_project_is_read(tmp_path: Path, path: str) -> None:
    (tmp_path / "outside.py").write_text("secret = 1\n")
    root = project(tmp_path / "project", tests__test_a="")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    (root / "folder").symlink_to(tmp_path)
    assert found(root, named=[path]) == {"tests/test_a.py"}


@pytest.mark.parametrize("text", ["def broken(:\n", "\x00", "(" * 5000, "from .... import up\n"])
def test_a_source_that_cannot_be_read_is_kept_as_it_is(tmp_path: Path, text: str) -> None:
    root = project(tmp_path, tests__test_a=text)
    assert sources_of(root, "tests/test_a.py") == {"tests/test_a.py": text.encode()}


def test_a_file_too_large_to_be_source_is_left_out(tmp_path: Path) -> None:
    root = project(tmp_path, tests__test_a="import big\n", big="#" * (MOST_FILE_BYTES + 1))
    assert found(root) == {"tests/test_a.py"}


def test_a_circle_of_imports_ends(tmp_path: Path) -> None:
    root = project(tmp_path, tests__test_a="import one\n", one="import two\n", two="import one\n")
    assert found(root) == {"tests/test_a.py", "one.py", "two.py"}
