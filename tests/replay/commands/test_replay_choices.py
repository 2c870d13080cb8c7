"""What `replay` is given: sizes, arms, interpreters and tests, each read without running anything."""

from pathlib import Path

import pytest
import typer
from told_command import write_project

from app.domain.errors import Gone
from app.domain.outcome import TestId
from app.domain.replay_words import Arm
from worker.commands import replay_options, replay_targets
from worker.commands.interpreters import installed, interpreter_for


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("512m", 512 << 20),
        ("2g", 2 << 30),
        ("1.5GiB", 3 << 29),
        ("800000", 800_000),
        ("64 MB", 64 << 20),
        ("1k", 1024),
    ],
)
def test_a_size_is_read_as_containers_have_it(written: str, size: int) -> None:
    assert replay_options.size_bytes(written) == size


@pytest.mark.parametrize("written", ["", "m", "-1g", "0", "1e9", "1" * 13, "2x", "1.5.2g"])
def test_what_is_no_size_is_refused(written: str) -> None:
    with pytest.raises(typer.BadParameter, match="--memory"):
        replay_options.size_bytes(written)


def test_arms_may_be_repeated_joined_or_stand_behind_each_other() -> None:
    assert replay_options.arms_of(["pause,cpu-1", "pause"], ["skew", "a.py::t"]) == (
        (Arm.PAUSE, Arm.CPU_1, Arm.SKEW),
        ["a.py::t"],
    )
    assert replay_options.arms_of([], ["plain"]) == ((), ["plain"])


def test_each_test_gets_a_folder_of_its_own_whatever_its_name() -> None:
    names = replay_options.folder_names(["a.py::t[../..]", "a.py::" + "x" * 300, "b.py::t[../..]"])
    assert len(set(names)) == 3
    assert all("/" not in name and len(name) < 80 and not name.endswith(".") for name in names)


def environment(prefix: Path, *packages: str, config: str = "") -> Path:
    site = prefix / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    for package in packages:
        (site / f"{package}.dist-info").mkdir()
    python = prefix / "bin" / "python"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\nexit 9\n")
    python.chmod(0o755)
    if config:
        (prefix / "pyvenv.cfg").write_text(config)
    return python


def test_packages_are_read_beside_the_interpreter_and_behind_it(tmp_path: Path) -> None:
    base = environment(tmp_path / "base", "pytest-9.0.1", "Some_Thing-1.0")
    shares = f"home = {base.parent}\ninclude-system-site-packages = true\n"
    sharing = environment(tmp_path / "sharing", "torch-2.13.0+cpu", config=shares)
    closed = environment(tmp_path / "closed", "torch-2.1", config=shares.replace("true", "false"))
    assert installed(sharing) == {"torch": "2.13.0+cpu", "pytest": "9.0.1", "some-thing": "1.0"}
    assert installed(closed) == {"torch": "2.1"}


def test_the_projects_own_environment_comes_first(tmp_path: Path) -> None:
    python = environment(tmp_path / ".venv", "pytest-9.0")
    assert interpreter_for(tmp_path, None, isolated=True) == python
    other = environment(tmp_path / "other")
    with pytest.raises(Gone, match="pytest is not installed there"):
        interpreter_for(tmp_path, other, isolated=True)
    assert interpreter_for(tmp_path, other, isolated=False) == other


@pytest.mark.parametrize(
    ("test", "path", "node"),
    [
        (TestId("", "", "tests.test_sums", "test_wrong"), None, "tests/test_sums.py::test_wrong"),
        (
            TestId("", "", "tests.test_sums.TestMore", "test_each[1]"),
            None,
            "tests/test_sums.py::TestMore::test_each[1]",
        ),
        (
            TestId("", "", "TestMore", "test_each[2]"),
            "tests/test_sums.py",
            "tests/test_sums.py::TestMore::test_each[2]",
        ),
        (
            TestId("", "", "test_sums.TestMore", "test_a"),
            "tests/test_sums.py",
            "tests/test_sums.py::TestMore::test_a",
        ),
        (TestId("tests/test_sums.py", "", "", "test_right"), None, "tests/test_sums.py::test_right"),
    ],
)
def test_a_results_file_names_a_node_of_the_project(
    tmp_path: Path, test: TestId, path: str | None, node: str
) -> None:
    assert replay_targets.node_of(write_project(tmp_path), test, path) == node


@pytest.mark.parametrize("classname", ["other.test_x", "", "..etc.passwd", "tests"])
def test_a_test_of_another_project_is_not_guessed(tmp_path: Path, classname: str) -> None:
    with pytest.raises(Gone, match="no file of"):
        replay_targets.node_of(write_project(tmp_path), TestId("", "", classname, "test_x"), "../../x.py")


def test_module_with_a_name_that_no_file_can_have_is_told_as_absent(tmp_path: Path) -> None:
    with pytest.raises(Gone, match="no file of"):
        replay_targets.node_of(tmp_path, TestId("", "", "a" * 5000, "x"), "b" * 5000)
    with pytest.raises(Gone, match="no file of"):
        replay_targets.node_of(tmp_path, TestId("", "", "a\0b", "x"), None)
