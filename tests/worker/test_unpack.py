"""An artifact's members come as bounded streams, and one dangerous member refuses the whole artifact."""

import io
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.artifact import UnpackBudget
from app.domain.errors import Rejected
from worker.fetching.unpack import open_artifact

BUDGET = UnpackBudget(
    download_bytes=4_000_000, entries=20, entry_bytes=1_500_000, total_bytes=3_000_000, ratio=50
)

Zip = Callable[..., Path]


@pytest.fixture
def zip_of(tmp_path: Path) -> Zip:
    def make(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
        path = tmp_path / "artifact.zip"
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, content in members:
                archive.writestr(name, content, compress_type=method)
        return path

    return make


def read_all(path: Path, budget: UnpackBudget = BUDGET) -> dict[str, bytes]:
    return {
        member.name: member.stream.read() for member in open_artifact(path, budget, fallback_name="lone.xml")
    }


def refusal(path: Path, budget: UnpackBudget = BUDGET) -> Rejected:
    with pytest.raises(Rejected) as caught:
        read_all(path, budget)
    return caught.value


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_read_and_folders_are_not_members(zip_of: Zip, method: int) -> None:
    path = zip_of(("a/", b""), ("a/junit.xml", b"<testsuite/>"), ("log.txt", b"x\ny\n"), method=method)
    assert read_all(path) == {"a/junit.xml": b"<testsuite/>", "log.txt": b"x\ny\n"}


def test_a_stream_reads_lines(zip_of: Zip) -> None:
    lines = [list(member.stream) for member in open_artifact(zip_of(("log.txt", b"x\ny")), BUDGET)]
    assert lines == [[b"x\n", b"y"]]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_written_as_a_stream_is_read(tmp_path: Path, method: int) -> None:
    class Unseekable(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise OSError("a stream has no position")

    target = Unseekable()
    with zipfile.ZipFile(target, "w", method) as archive:
        archive.writestr("junit.xml", b"<testsuite/>")
    path = tmp_path / "artifact.zip"
    path.write_bytes(target.getvalue())
    assert b"PK\x07\x08" in target.getvalue()
    assert read_all(path) == {"junit.xml": b"<testsuite/>"}


def test_a_lone_file_is_its_own_member(tmp_path: Path) -> None:
    path = tmp_path / "download"
    path.write_bytes(b"<testsuite/>")
    assert read_all(path) == {"lone.xml": b"<testsuite/>"}


def test_an_empty_archive_has_no_member(zip_of: Zip) -> None:
    assert read_all(zip_of()) == {}


def test_archives_inside_are_passed_over(zip_of: Zip) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("junit.xml", b"<testsuite/>")
    assert read_all(zip_of(("trace.zip", inner.getvalue()), ("a.xml", b"<a/>"))) == {"a.xml": b"<a/>"}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../evil.xml", "leaves its folder"),
        ("a/../../evil.xml", "leaves its folder"),
        ("a\\..\\evil.xml", "leaves its folder"),
        ("/etc/passwd", "absolute name"),
        ("\\\\server\\share", "absolute name"),
        ("C:/evil.xml", "absolute name"),
    ],
)
def test_a_name_that_leads_elsewhere_refuses_the_artifact(zip_of: Zip, name: str, reason: str) -> None:
    error = refusal(zip_of(("good.xml", b"<a/>"), (name, b"x")))
    assert error.subject == name
    assert reason in error.reason


def test_a_name_with_a_nul_refuses_the_artifact(zip_of: Zip) -> None:
    path = zip_of(("a_b.xml", b"x"))
    path.write_bytes(path.read_bytes().replace(b"a_b.xml", b"a\0b.xml"))
    assert "NUL" in refusal(path).reason


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_special_files_refuse_the_artifact(zip_of: Zip, kind: int) -> None:
    entry = zipfile.ZipInfo("link.xml")
    entry.external_attr = (kind | 0o777) << 16
    assert refusal(zip_of((entry, b"/etc/passwd"))).reason == "a link or a special file"


def test_an_encrypted_entry_refuses_the_artifact(zip_of: Zip) -> None:
    path = zip_of(("a.xml", b"<a/>"))
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    assert refusal(path).reason == "encrypted"


def test_a_compression_that_github_does_not_use_refuses_the_artifact(zip_of: Zip) -> None:
    assert "compression method 12" in refusal(zip_of(("a.xml", b"<a/>"), method=zipfile.ZIP_BZIP2)).reason


def test_a_refusal_known_from_the_directory_comes_before_any_member(zip_of: Zip) -> None:
    path = zip_of(("good.xml", b"<a/>"), ("../evil.xml", b"x"))
    with pytest.raises(Rejected):
        open_artifact(path, BUDGET)


def test_too_many_entries_refuse_the_artifact(zip_of: Zip) -> None:
    path = zip_of(*[(f"{number}.xml", b"") for number in range(BUDGET.entries + 1)])
    assert refusal(path).reason == "more than 20 entries"


def test_a_directory_that_hides_its_number_of_entries_is_bounded_too(zip_of: Zip) -> None:
    path = zip_of(*[(f"{number}.xml", b"") for number in range(BUDGET.entries + 1)])
    raw = bytearray(path.read_bytes())
    struct.pack_into("<2H", raw, raw.rindex(b"PK\x05\x06") + 8, 1, 1)
    path.write_bytes(raw)
    assert refusal(path).reason == "more than 20 entries"


def test_a_huge_directory_is_refused_before_it_is_parsed(zip_of: Zip) -> None:
    path = zip_of(("x" * 20_000, b""))
    assert refusal(path).reason == "more than 20 entries"


def test_a_zip64_directory_is_refused(zip_of: Zip) -> None:
    path = zip_of(("a.xml", b"<a/>"))
    raw = path.read_bytes()
    at = raw.rindex(b"PK\x05\x06")
    path.write_bytes(raw[:at] + b"PK\x06\x07" + bytes(16) + raw[at:])
    assert "zip64" in refusal(path).reason


def test_a_download_over_the_budget_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "download"
    path.write_bytes(b"x" * 11)
    assert refusal(path, UnpackBudget(download_bytes=10)).reason == "11 bytes, more than 10"


def test_a_large_entry_refuses_the_artifact(zip_of: Zip) -> None:
    path = zip_of(("big.log", b"x" * 1_600_000), method=zipfile.ZIP_STORED)
    assert refusal(path).reason == "more than 1500000 bytes"


def test_a_large_lone_file_is_refused_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "download"
    path.write_bytes(b"x" * 1_600_000)
    assert refusal(path).reason == "more than 1500000 bytes"


def test_a_large_sum_refuses_the_artifact(zip_of: Zip) -> None:
    path = zip_of(*[(f"{number}.log", b"x" * 1_100_000) for number in range(3)], method=zipfile.ZIP_STORED)
    assert refusal(path).reason == "unpacks to more than 3000000 bytes"


def test_a_bomb_refuses_the_artifact(zip_of: Zip) -> None:
    error = refusal(zip_of(("bomb.xml", bytes(1_400_000))))
    assert (error.subject, error.reason) == ("bomb.xml", "unpacks to more than 50 times its size")


def test_a_bomb_of_many_small_members_is_found_while_reading(zip_of: Zip) -> None:
    path = zip_of(*[(f"{number}.xml", bytes(600_000)) for number in range(4)])
    members = open_artifact(path, BUDGET)
    assert next(members).stream.read() == bytes(600_000)
    with pytest.raises(Rejected, match="the artifact unpacks to more than 50 times its size"):
        next(members).stream.read()


def test_sizes_that_the_directory_hides_are_counted(zip_of: Zip) -> None:
    path = zip_of(("bomb.xml", bytes(1_400_000)))
    raw = bytearray(path.read_bytes())
    struct.pack_into("<L", raw, raw.rindex(b"PK\x01\x02") + 24, 10)
    path.write_bytes(raw)
    assert "damaged" in refusal(path).reason


@pytest.mark.parametrize("damage", [b"PK\x03\x04", b"PK\x03\x04" + b"x" * 100, b"PK\x05\x06"])
def test_a_damaged_archive_is_refused(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "artifact.zip"
    path.write_bytes(damage)
    assert "damaged" in refusal(path).reason


def test_a_header_whose_name_is_no_text_refuses_the_artifact(zip_of: Zip) -> None:
    path = zip_of(("\u00e9.xml", b"<testsuite/>"))
    path.write_bytes(path.read_bytes().replace("\u00e9.xml".encode(), b"\x92\x92.xml", 1))
    assert refusal(path).reason.startswith("a damaged entry")


def test_a_cut_download_is_refused(zip_of: Zip) -> None:
    path = zip_of(("a.xml", b"<a/>" * 100))
    path.write_bytes(path.read_bytes()[:-10])
    assert "damaged" in refusal(path).reason


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=6))
def test_a_mutated_archive_is_read_or_refused(tmp_path: Path, changes: list[tuple[int, int]]) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/junit.xml", b"<testsuite/>" * 20)
        archive.writestr("rank0.log", b"hello\n")
    raw = bytearray(buffer.getvalue())
    for position, value in changes:
        raw[position % len(raw)] = value
    path = tmp_path / "artifact.zip"
    path.write_bytes(raw)
    try:
        members = read_all(path)
    except Rejected:
        return
    assert all(len(content) <= BUDGET.entry_bytes for content in members.values())


def wanted_of(path: Path) -> dict[str, bytes]:
    found = open_artifact(path, BUDGET, wanted=lambda name: name.endswith(".xml"))
    return {member.name: member.stream.read() for member in found}


def test_what_is_not_wanted_may_be_of_any_size(zip_of: Zip) -> None:
    big = ("big.bin", bytes(3_500_000))
    other = ("other.bin", bytes(range(256)) * 6_000)
    path = zip_of(("junit.xml", b"<testsuite/>"), big, other)
    assert wanted_of(path) == {"junit.xml": b"<testsuite/>"}
    assert "big.bin" in str(refusal(path))


def test_what_is_not_wanted_may_still_be_of_no_dangerous_kind(zip_of: Zip) -> None:
    with pytest.raises(Rejected, match="leaves its folder"):
        wanted_of(zip_of(("junit.xml", b"<testsuite/>"), ("../big.bin", b"x")))


def test_a_bomb_that_is_wanted_is_refused_beside_a_large_file_that_is_not(zip_of: Zip) -> None:
    with pytest.raises(Rejected, match="times its size"):
        wanted_of(zip_of(("junit.xml", bytes(1_400_000)), ("big.bin", bytes(range(256)) * 5_000)))


def packed(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def nested(path: Path) -> dict[str, bytes | str]:
    """By name what each member holds, or why it was refused."""
    found = open_artifact(path, BUDGET, wanted=lambda name: name.endswith((".xml", ".log")), nested=True)
    return {member.name: member.refused or member.stream.read() for member in found}


INNER = packed(("a/junit.xml", b"<testsuite/>"), ("rank_0.log", b"lost\n"), ("x.bin", b"x"))


def test_an_archive_inside_is_opened_one_level_deep(zip_of: Zip) -> None:
    deeper = packed(("b.xml", b"<b/>"), ("deeper.zip", INNER), ("odd.xml", INNER))
    path = zip_of(("own.xml", b"<own/>"), ("logs/Inner.ZIP", INNER), ("more.zip", deeper))
    assert nested(path) == {
        "own.xml": b"<own/>",
        "logs/Inner.ZIP!a/junit.xml": b"<testsuite/>",
        "logs/Inner.ZIP!rank_0.log": b"lost\n",
        "more.zip!b.xml": b"<b/>",
    }
    assert read_all(path) == {"own.xml": b"<own/>"}


@pytest.mark.parametrize(
    ("inner", "reason"),
    [
        (packed(("bomb.xml", bytes(1_400_000))), "bomb.xml: unpacks to more than 50 times its size"),
        (packed(("../up.xml", b"")), "../up.xml: a name that leaves its folder"),
        (INNER[:-10], "a damaged archive: its directory is missing"),
        (b"PK\x03\x04 no archive", "a damaged archive: its directory is missing"),
        (
            packed(*[(f"{number}.xml", b"") for number in range(BUDGET.entries + 1)]),
            f"more than {BUDGET.entries} entries, those before it counted",
        ),
    ],
    ids=["bomb", "traversal", "cut", "no archive", "entries"],
)
def test_a_dangerous_archive_inside_refuses_itself_alone(zip_of: Zip, inner: bytes, reason: str) -> None:
    found = nested(zip_of(("inner.zip", inner), ("own.xml", b"<own/>")))
    assert found == {"inner.zip": reason, "own.xml": b"<own/>"}


def test_what_archives_inside_unpack_to_counts_for_the_whole(zip_of: Zip) -> None:
    one = packed(("a.xml", bytes(range(256)) * 4_000), method=zipfile.ZIP_STORED)
    path = zip_of(*[(f"{number}.zip", one) for number in range(2)], method=zipfile.ZIP_STORED)
    found = nested(path)
    assert found["0.zip!a.xml"] == bytes(range(256)) * 4_000
    assert found["1.zip"] == "the artifact unpacks to more than 3000000 bytes"


def test_a_large_archive_of_a_build_is_left_alone(zip_of: Zip) -> None:
    path = zip_of(("build.zip", b"PK\x03\x04" + bytes(range(256)) * 10_000), ("own.xml", b"<own/>"))
    assert nested(path) == {"own.xml": b"<own/>"}


def test_a_file_that_is_only_called_an_archive_is_none_of_ours(zip_of: Zip) -> None:
    assert nested(zip_of(("notes.zip", b"text"), ("own.xml", b"<own/>"))) == {"own.xml": b"<own/>"}


def test_entries_of_all_archives_count_together(zip_of: Zip) -> None:
    one = packed(*[(f"{number}.xml", b"") for number in range(9)])
    found = nested(zip_of(("0.zip", one), ("1.zip", one), ("2.zip", one), ("own.xml", b"<own/>")))
    assert found["2.zip"] == found["1.zip"] == f"more than {BUDGET.entries} entries, those before it counted"
    assert len(found) == 9 + 2 + 1


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_second_file_of_one_name_is_refused_at_either_depth(zip_of: Zip) -> None:
    twice = (("a.xml", b"<passed/>"), ("a.xml", b"<failed/>"))
    path = zip_of(*twice, ("in.zip", packed(*twice)))
    found = open_artifact(path, BUDGET, nested=True)
    assert [(member.name, member.refused, member.stream.read()) for member in found] == [
        ("a.xml", None, b"<passed/>"),
        ("a.xml", "a second file of this name", b""),
        ("in.zip!a.xml", None, b"<passed/>"),
        ("in.zip!a.xml", "a second file of this name", b""),
    ]
