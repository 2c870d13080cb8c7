"""Which files the lint reads of what it is given, and how it decodes them."""

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Rejected
from worker.commands.file_names import shown, spelled
from worker.commands.lint_files import gather
from worker.commands.lint_reading import MOST_BYTES, read_source


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x = 1\n")


def names(*given: str, exclude: tuple[str, ...] = ()) -> list[str]:
    return [shown(path) for path in gather(map(Path, given or (".",)), exclude=exclude).files]


def test_python_files_of_a_folder_are_found_in_order_and_nothing_else() -> None:
    make("tests/test_b.py", "tests/a/test_a.py", "tests/notes.txt", "conftest.py")
    assert names() == ["conftest.py", "tests/test_b.py", "tests/a/test_a.py"]


@pytest.mark.parametrize(
    "folder",
    [
        ".venv/lib",
        ".git",
        "node_modules/x",
        "build/lib",
        "dist",
        "env/lib",
        "conda/lib",
        "lib/site-packages/x",
    ],
)
def test_other_people_s_code_and_copies_are_left_out_unless_named(folder: str) -> None:
    make("env/pyvenv.cfg", "conda/conda-meta/history", f"{folder}/test_x.py", "test_own.py")
    assert names() == ["test_own.py"]
    assert names(folder) == [f"{folder}/test_x.py"]


def test_a_file_that_is_named_is_read_whatever_its_name() -> None:
    make("build/test_x.py", "run_tests")
    assert names("build/test_x.py", "run_tests") == ["build/test_x.py", "run_tests"]


def test_what_is_named_twice_is_read_once_at_its_first_place() -> None:
    make("tests/test_a.py", "tests/test_b.py")
    assert names("tests/test_b.py", "tests", "./tests/../tests/test_a.py") == [
        "tests/test_b.py",
        "tests/test_a.py",
    ]


def test_links_are_not_followed_so_that_no_loop_holds_it_up() -> None:
    make("tests/test_a.py")
    Path("tests/again").symlink_to("../tests")
    Path("tests/test_link.py").symlink_to("test_a.py")
    Path("tests/test_gone.py").symlink_to("nowhere.py")
    assert names("tests") == ["tests/test_a.py"]
    assert names("tests/again") == ["tests/again/test_a.py"]


@pytest.mark.parametrize("pattern", ["vendor", "tests/vendor", "tests/vendor/*", "test_v*"])
def test_excluded_files_and_folders_are_left_out(pattern: str) -> None:
    make("tests/test_a.py", "tests/vendor/test_v.py")
    assert names(exclude=(pattern,)) == ["tests/test_a.py"]


def test_what_git_ignores_is_left_out_and_nothing_of_the_repository_is_run(here: Path) -> None:
    make("tests/test_a.py", "tests/old/test_o.py", "tests/test_made.py", "tests/kept/test_k.py")
    subprocess.run(["git", "init", "--quiet"], check=True)
    Path(".gitignore").write_text("old/\ntest_made.py\n")
    Path("hook").write_text(f"#!/bin/sh\ntouch {here}/was-run\n")
    Path("hook").chmod(0o755)
    subprocess.run(["git", "config", "core.fsmonitor", str(here / "hook")], check=True)
    assert names() == ["tests/test_a.py", "tests/kept/test_k.py"]
    assert names("tests") == ["tests/test_a.py", "tests/kept/test_k.py"]
    assert not Path("was-run").exists()


def test_without_git_nothing_is_ignored(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    make("test_a.py")
    monkeypatch.setenv("PATH", str(here))
    assert names() == ["test_a.py"]
    Path("git").write_text("no program")
    Path("git").chmod(0o755)
    assert names() == ["test_a.py"]


def test_a_folder_that_is_gone_meanwhile_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    make("gone/test_a.py")
    scan = os.scandir

    def scan_late(path: Path) -> object:
        if path.name == "gone":
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scan_late)
    assert [(one.path, one.reason) for one in gather([Path()]).unread] == [
        ("gone", "no such file or directory")
    ]


def test_files_below_the_current_folder_are_told_as_pytest_names_them(here: Path) -> None:
    make("tests/test_a.py")
    assert shown(here / "tests/test_a.py") == "tests/test_a.py"
    assert shown(Path("tests/../tests/./test_a.py")) == "tests/test_a.py"
    assert shown(Path("../other/test_a.py")) == "../other/test_a.py"
    assert shown(Path("/srv/test_a.py")) == "/srv/test_a.py"


def test_a_hostile_name_keeps_to_its_line() -> None:
    assert spelled("a\n\x1b[31m\u202e\udcff\N{LATIN SMALL LETTER U WITH DIAERESIS}.py") == (
        "a\\n\\x1b[31m\\u202e\\udcff\N{LATIN SMALL LETTER U WITH DIAERESIS}.py"
    )


READ: list[tuple[bytes, str]] = [
    (b"x = 1\r\ny = 2\rz = 3\n", "x = 1\ny = 2\nz = 3\n"),
    (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
    (
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        "# -*- coding: latin-1 -*-\nx = '\N{LATIN SMALL LETTER E WITH ACUTE}'\n",
    ),
    (b"", ""),
]


@pytest.mark.parametrize(("raw", "text"), READ)
def test_a_file_is_decoded_as_python_would(raw: bytes, text: str) -> None:
    Path("x.py").write_bytes(raw)
    assert read_source(Path("x.py"), "x.py") == text


def _fifo() -> None:
    os.mkfifo("x.py")


def _text(raw: bytes) -> Callable[[], None]:
    return lambda: Path("x.py").write_bytes(raw) and None


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (
            _text(b"x = 1\n\ny = '\xe9'\n"),
            "line 3: is not utf-8; a file of another encoding names it in its first lines",
        ),
        (_text(b"x = '\xe9'\n"), "line 1: invalid or missing encoding declaration"),
        (_text(b"# coding: klingon\n"), "line 1: unknown encoding: klingon"),
        (_text(b"# coding: rot13\n"), "line 1: rot13 is no encoding of text"),
        (_text(b"# coding: idna\n"), "line 1: idna is no encoding of Python that is read here"),
        (_text(b"\xef\xbb\xbf# coding: latin-1\n"), "line 1: encoding problem: utf-8"),
        (
            _text(b"# coding: utf-16\nx"),
            "line 1: utf-16 is no encoding of Python that is read here",
        ),
        (_text(b"#" * (MOST_BYTES + 1)), "is longer than 8,000,000 bytes"),
        (_fifo, "is no regular file"),
        (lambda: Path("x.py").symlink_to("x.py"), "is no regular file"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(made: Callable[[], None], reason: str) -> None:
    made()
    with pytest.raises(Rejected) as refused:
        read_source(Path("x.py"), "x.py")
    assert (refused.value.subject, refused.value.reason) == ("x.py", reason)


def test_a_file_that_cannot_be_opened_is_refused_with_the_system_s_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make("x.py")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(Rejected, match="permission denied"):
        read_source(Path("x.py"), "x.py")


@given(
    raw=st.binary(max_size=80),
    head=st.sampled_from([b"", b"# coding: utf-7\n", b"# coding: cp037\n", b"#coding:big5\n"]),
)
def test_any_bytes_are_text_or_refused(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, head: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.py"
    file.write_bytes(head + raw)
    with suppress(Rejected):
        assert "\r" not in read_source(file, "any.py")


def test_more_files_than_are_linted_are_not_looked_for() -> None:
    make("a/test_a.py", "b/test_b.py", "c/test_c.py")
    assert not gather([Path()], most=3).is_cut
    cut = gather([Path()], most=1)
    assert (cut.is_cut, [shown(path) for path in cut.files]) == (True, ["a/test_a.py", "b/test_b.py"])
