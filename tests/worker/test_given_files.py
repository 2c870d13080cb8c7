"""Which files a command reads of those it is given, and what it hears of the others."""

import io
import os
import sys
import zipfile
from pathlib import Path

import pytest

from worker.commands import given_folders
from worker.commands.given_files import Given, Unreadable, given_files


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, content: bytes = b"<testsuite/>") -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def archive(name: str, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as made:
        for member, content in members.items():
            made.writestr(member, content)
    return Path(name)


def found(*names: str) -> list[tuple[str, bytes | str]]:
    """What each file holds, or why it is not read."""
    return [
        (one.name, one.reason if isinstance(one, Unreadable) else one.stream.read())
        for one in given_files(names, lambda _: None)
    ]


def test_files_come_in_the_order_given_and_each_once() -> None:
    written("b.xml", b"b")
    written("a.xml", b"a")
    assert found("b.xml", "a.xml", "./b.xml") == [("b.xml", b"b"), ("a.xml", b"a")]


def test_a_folder_is_looked_through_file_by_file_then_folder_by_folder() -> None:
    written("out/sub/deep.xml", b"3")
    written("out/b.log", b"2")
    written("out/a.xml", b"1")
    assert found("out") == [("out/a.xml", b"1"), ("out/b.log", b"2"), ("out/sub/deep.xml", b"3")]


def test_what_is_hidden_foreign_or_neither_text_nor_archive_is_passed_over() -> None:
    for name in (
        ".git/config.xml",
        ".hidden.xml",
        "node_modules/a/pom.xml",
        "venv/pyvenv.cfg",
        "venv/x.xml",
        "shot.png",
    ):
        written(f"out/{name}")
    written("out/taken.xml")
    assert [name for name, _ in found("out")] == ["out/taken.xml"]


def test_a_hidden_file_that_is_named_is_read() -> None:
    written(".hidden.png", b"x")
    assert found(".hidden.png") == [(".hidden.png", b"x")]


def test_links_below_a_folder_are_not_followed_and_a_named_one_is() -> None:
    written("outside/secret.xml", b"s")
    Path("out").mkdir()
    Path("out/link.xml").symlink_to(Path("outside/secret.xml").absolute())
    Path("out/folder").symlink_to(Path("outside").absolute())
    assert found("out") == []
    assert found("out/link.xml") == [("out/link.xml", b"s")]


def test_only_names_that_promise_results_are_meant_below_a_folder() -> None:
    written("out/a.xml")
    written("out/notes")
    assert [
        (one.name, one.is_meant) for one in given_files(["out"], lambda _: None) if isinstance(one, Given)
    ] == [
        ("out/a.xml", True),
        ("out/notes", False),
    ]


def test_what_is_no_file_is_told_and_costs_nothing_of_the_others() -> None:
    written("good.xml", b"g")
    os.mkfifo("pipe")
    Path("loop").symlink_to("loop")
    Path("broken").symlink_to("nowhere")
    assert found("absent", "pipe", "loop", "broken", "/dev/null", "a\0b", "n" * 5000, "good.xml") == [
        ("absent", "there is no such file"),
        ("pipe", "a named pipe, not a file"),
        ("loop", "a link that leads to itself"),
        ("broken", "a link to a file that is not there"),
        ("/dev/null", "a device, not a file"),
        ("a\0b", "no name that a file can have"),
        ("n" * 5000, "file name too long"),
        ("good.xml", b"g"),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_closed_folder_is_told_where_it_stands() -> None:
    written("out/closed/a.xml")
    written("out/b.xml", b"b")
    Path("out/closed").chmod(0)
    try:
        assert found("out") == [("out/b.xml", b"b"), ("out/closed", "permission denied")]
    finally:
        Path("out/closed").chmod(0o700)


def test_a_folder_that_vanishes_while_it_is_looked_through_is_told() -> None:
    written("out/a.xml", b"a")
    written("out/sub/b.xml")
    files = given_files(["out"], lambda _: None)
    next(files)
    Path("out/sub/b.xml").unlink()
    Path("out/sub").rmdir()
    assert list(files) == [Unreadable("out/sub", "no such file or directory")]


def test_a_file_that_vanishes_before_its_turn_is_told() -> None:
    written("out/a.xml")
    written("out/b.xml")
    files = given_files(["out"], lambda _: None)
    next(files)
    Path("out/b.xml").unlink()
    assert list(files) == [Unreadable("out/b.xml", "there is no such file")]


def test_a_folder_of_too_many_files_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_folders, "MOST_FILES", 1)
    written("out/a.xml", b"a")
    written("out/b.xml")
    assert found("out") == [("out/a.xml", b"a"), ("out", "holds more than 1 files; the others were left")]


def test_members_of_an_archive_are_files_of_their_own() -> None:
    archive("a.zip", {"x/junit.xml": b"1", "shot.png": b"2", "log.txt": b"3"})
    assert found("a.zip") == [("a.zip!x/junit.xml", b"1"), ("a.zip!log.txt", b"3")]


def test_an_archive_is_known_by_its_content_where_it_is_named_and_by_name_below_a_folder() -> None:
    Path("out").mkdir()
    archive("out/artifact", {"junit.xml": b"1"})
    archive("out/results.zip", {"junit.xml": b"2"})
    assert found("out/artifact") == [("out/artifact!junit.xml", b"1")]
    assert found("out")[1:] == [("out/results.zip!junit.xml", b"2")]
    assert found("out")[0][0] == "out/artifact"


def test_an_archive_that_is_dangerous_damaged_or_empty_is_told() -> None:
    archive("evil.zip", {"../../etc/junit.xml": b"1"})
    written("cut.zip", b"PK\x03\x04 and no more")
    archive("empty.zip", {})
    archive("shots.zip", {"a.png": b""})
    nothing = "an archive without any file that could hold results or a log"
    assert found("evil.zip", "cut.zip", "empty.zip", "shots.zip") == [
        ("evil.zip", "../../etc/junit.xml: a name that leaves its folder"),
        ("cut.zip", "a damaged archive: its directory is missing"),
        ("empty.zip", nothing),
        ("shots.zip", nothing),
    ]


def test_a_damaged_member_is_told_and_those_after_it_are_read() -> None:
    with zipfile.ZipFile("a.zip", "w", zipfile.ZIP_STORED) as made:
        made.writestr("a.xml", b"-" * 100_000 + b"damaged soon")
        made.writestr("b.xml", b"sound")
    content = Path("a.zip").read_bytes()
    Path("a.zip").write_bytes(content.replace(b"damaged soon", b"DAMAGED soon", 1))
    (name, reason), after = found("a.zip")
    assert (name, after) == ("a.zip!a.xml", ("a.zip!b.xml", b"sound"))
    assert isinstance(reason, str)
    assert reason.startswith("a damaged entry")


def test_standard_input_may_be_a_file_or_an_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    written("plain", b"text")
    archive("a.zip", {"junit.xml": b"1"})
    for name, expected in (("plain", [("-", b"text")]), ("a.zip", [("-!junit.xml", b"1")])):
        with monkeypatch.context() as patched, Path(name).open("rb") as stream:
            patched.setattr(sys, "stdin", io.TextIOWrapper(stream))
            assert found("-", "-") == expected


def test_a_stream_can_be_read_again_and_its_reading_is_watched() -> None:
    written("a.xml", b"<testsuite/>")
    archive("a.zip", {"junit.xml": b"123"})
    counted: list[int] = []
    for one in given_files(["a.xml", "a.zip"], counted.append):
        assert isinstance(one, Given)
        first = one.stream.read()
        one.stream.seek(0)
        assert one.stream.read() == first
        assert len(first) == one.size
        assert one.stream.tell() == one.size
    assert sum(counted) >= 12 + 3


def test_a_member_that_unpacks_to_too_much_is_refused() -> None:
    archive("bomb.zip", {"bomb.xml": b"\0" * 4_000_000})
    assert found("bomb.zip") == [("bomb.zip", "bomb.xml: unpacks to more than 200 times its size")]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file here fails as soon as it is read")
def test_a_file_that_cannot_be_read_is_told() -> None:
    assert found("/proc/self/mem") == [("/proc/self/mem", "input/output error")]
