"""Bundles in an artifact are found by what they hold, checked by digests, and never taken for results."""

import io
import json
import random
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from fixtures_bundle import SOURCE, TEST, bundle, report, sealed

from app.domain.artifact import UnpackBudget
from app.domain.errors import Rejected
from app.domain.gap import GapKind
from app.store.artifacts import FileKind
from worker.received_bundles import (
    MOST_BUNDLES,
    MOST_REPORT_BYTES,
    MOST_SOURCE_BYTES,
    Received,
    receive,
)
from worker.replay.bundle.manifest import MOST_MANIFEST_BYTES

BUDGET = UnpackBudget()
Given = Callable[[Mapping[str, bytes]], Path]


@pytest.fixture
def given_zip(tmp_path: Path) -> Given:
    def make(files: Mapping[str, bytes]) -> Path:
        path = tmp_path / "artifact"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return path

    return make


def received(path: Path, budget: UnpackBudget = BUDGET) -> Received:
    return receive(path, budget, artifact="evidence", run="17/2")


def claiming(files: Mapping[str, object]) -> dict[str, bytes]:
    told = {"format": 1, "made_by": "flake-triage 0.1.0", "test": TEST, "files": files}
    return {"manifest.json": json.dumps(told).encode()}


def refused(path: Path, budget: UnpackBudget = BUDGET) -> str:
    found = received(path, budget)
    (gap,) = found.gaps
    assert gap.kind is GapKind.BUNDLE_REFUSED
    assert found.bundles == []
    return gap.detail


@pytest.mark.parametrize("folder", ["", "replay/1-test_x/", "a/b/c/"])
def test_a_bundle_is_found_wherever_it_stands(given_zip: Given, folder: str) -> None:
    found = received(given_zip({**bundle(folder=folder), "summary.md": b"# told"}))
    (one,) = found.bundles
    assert (one.folder, one.claim.test, found.gaps) == (folder, TEST, [])
    assert len(one.manifest) == 64
    assert [(path, kind) for path, kind, _ in one.files] == [
        (f"{folder}report.json", FileKind.REPLAY_REPORT),
        (f"{folder}source/tests/test_combine.py", FileKind.TEST_SOURCE),
    ]
    assert one.source is not None
    assert one.source[1].size_bytes == len(SOURCE)


def test_each_of_several_bundles_is_one(given_zip: Given) -> None:
    other = report("tests/test_other.py::test_x", verdict="reproduced-once", failed=1, passed=0)
    files = {**bundle(folder="01-a/"), **bundle(other, folder="02-b/"), "replays.json": b"[]"}
    found = received(given_zip(files))
    assert [(one.folder, one.claim.verdict) for one in found.bundles] == [
        ("01-a/", "confirmed-flake"),
        ("02-b/", "reproduced-once"),
    ]
    assert found.bundles[1].source is None  # the file of another test


def test_results_and_logs_of_its_trials_are_none_of_the_job(given_zip: Given) -> None:
    found = received(given_zip({**bundle(folder="replay/"), "junit.xml": b"<testsuite/>"}))
    assert found.holds("replay/001/junit.xml")
    assert found.holds("replay/001/rank1.log")
    assert not found.holds("junit.xml")
    assert not found.holds("replay/late.xml")  # beside it, and not sealed in it


@pytest.mark.parametrize(
    "content",
    [
        b'{"name": "an app", "icons": []}',
        b"not JSON",
        b"[]",
        b'{"format": 1, "files": {}}',
    ],
)
def test_a_manifest_of_something_else_is_left_alone(given_zip: Given, content: bytes) -> None:
    path = given_zip({"manifest.json": content, "junit.xml": b"<testsuite/>", **bundle(folder="deep/")})
    found = received(path)
    assert [one.folder for one in found.bundles] == ["deep/"]
    assert found.gaps == []
    assert not found.holds("junit.xml")


def test_a_bundle_inside_a_bundle_is_a_file_of_it(given_zip: Given) -> None:
    inner = {f"source/tests/{name}": content for name, content in bundle().items()}
    found = received(given_zip(bundle(more=inner)))
    assert [one.folder for one in found.bundles] == [""]


def test_one_file_that_is_no_archive_holds_none(tmp_path: Path) -> None:
    path = tmp_path / "artifact"
    path.write_bytes(b'{"made_by": "flake-triage", "format": 1}')
    assert received(path) == Received()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        ({"001/junit.xml": b"<other/>"}, "001/junit.xml is not what was sealed"),
        ({"report.json": json.dumps(report(failed=4)).encode()}, "report.json is not what was sealed"),
        ({"manifest.json": b"{"}, "not one that flake-triage writes"),
        ({"manifest.json": b'{"format": 2, "made_by": "flake-triage 9"}'}, "format is 2"),
    ],
)
def test_a_damaged_bundle_is_a_gap_with_its_reason(
    given_zip: Given, spoil: Mapping[str, bytes], reason: str
) -> None:
    path = given_zip({**bundle(folder="replay/"), **{f"replay/{name}": new for name, new in spoil.items()}})
    found = received(path)
    assert reason in refused(path)
    assert found.gaps[0].subject == "evidence/replay"
    assert found.holds("replay/001/junit.xml")


@pytest.mark.parametrize("lost", ["001/junit.xml", "report.json"])
def test_a_file_that_is_missing_refuses_the_bundle(given_zip: Given, lost: str) -> None:
    files = bundle()
    del files[lost], files["suspect.json"]
    assert refused(given_zip(files)) in {
        f"{lost} is missing, and 1 more file",
        "suspect.json is missing, and 1 more file",
    }


def test_hidden_files_may_have_been_left_out_by_the_upload(given_zip: Given) -> None:
    files = bundle(more={"source/.pytest.ini": b"[pytest]", "source/.ci/run": b""})
    del files["source/.pytest.ini"], files["source/.ci/run"]
    assert received(given_zip(files)).gaps == []


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (sealed({"plan.json": b"{}"}, TEST), "report.json is not in it"),
        (sealed({"report.json": b"{"}, TEST), "report.json is no JSON"),
        (sealed({"report.json": b"[" * 100_000}, TEST), "report.json is no JSON"),
        (sealed({"report.json": b"[]"}, TEST), "it is no object"),
        (sealed({"report.json": json.dumps(report()).encode()}, "tests/a.py::b"), "another test"),
        (bundle(report(verdict="deterministic")), "do not bear out"),
        (bundle(report(passed=0)), "do not bear out confirmed-flake"),
        (claiming({"../../etc/passwd": {"sha256": "0", "bytes": 1}}), "not inside the bundle"),
        (claiming({"a": {"sha256": "0", "bytes": 1 << 50}}), "more than a bundle may hold"),
    ],
)
def test_a_bundle_that_does_not_show_what_it_says_is_a_gap(
    given_zip: Given, files: Mapping[str, bytes], reason: str
) -> None:
    assert reason in refused(given_zip(files))


def test_a_bad_bundle_costs_no_other(given_zip: Given) -> None:
    bad = bundle(folder="1/") | {"1/report.json": b"{}"}
    found = received(given_zip({**bad, **bundle(folder="2/")}))
    assert [one.folder for one in found.bundles] == ["2/"]
    assert [gap.subject for gap in found.gaps] == ["evidence/1"]


def test_what_all_bundles_unpack_to_is_bounded_together(given_zip: Given) -> None:
    more = {"001/stdout.txt": bytes(range(256)) * 2_000}
    path = given_zip({**bundle(folder="1/", more=more), **bundle(folder="2/", more=more)})
    found = received(path, UnpackBudget(total_bytes=700_000))
    assert [one.folder for one in found.bundles] == ["1/"]
    assert "unpacks to more than" in found.gaps[0].detail


def test_an_archive_in_a_bundle_is_not_looked_into(given_zip: Given) -> None:
    with io.BytesIO() as buffer:
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("a", b"a")
        inner = buffer.getvalue()
    assert "is an archive" in refused(given_zip(bundle(more={"source/data.zip": inner})))
    files = bundle()
    assert "is an archive" in refused(given_zip(files | {"manifest.json": inner}))


def test_a_dangerous_name_refuses_the_artifact(given_zip: Given) -> None:
    with pytest.raises(Rejected, match="leaves its folder"):
        received(given_zip({**bundle(), "../escape": b""}))


@pytest.mark.parametrize(
    ("told", "runner"),
    [
        (
            b'{"github runner_name": "GitHub Actions 7", "github run_id": "17", "github run_attempt": "2"}',
            "GitHub Actions 7",
        ),
        (b'{"github runner_name": 7, "github run_id": "18"}', ""),
        (b"{", ""),
        (b"[]", ""),
    ],
)
def test_a_bundle_may_say_on_which_machine_it_was_made(given_zip: Given, told: bytes, runner: str) -> None:
    (one,) = received(given_zip(bundle(more={"about.json": told}))).bundles
    assert one.runner == runner


def test_a_bundle_of_another_run_is_refused(given_zip: Given) -> None:
    told = b'{"github run_id": "17", "github run_attempt": "1"}'
    assert refused(given_zip(bundle(more={"about.json": told}))) == (
        "it was made in run 17/1, and not in this one"
    )


def test_more_bundles_than_are_looked_at_are_told_and_give_no_results(given_zip: Given) -> None:
    files = {
        name: content for number in range(100, 153) for name, content in bundle(folder=f"{number}/").items()
    }
    found = received(given_zip(files | {"z/manifest.json": b"{}", "z/junit.xml": b"<testsuite/>"}))
    assert len(found.bundles) == MOST_BUNDLES
    (gap,) = found.gaps
    assert (gap.subject, gap.detail) == (
        "evidence",
        "3 bundles more than the 50 that are read of one artifact",
    )
    assert found.holds("151/001/junit.xml")
    assert not found.holds("z/junit.xml")


@pytest.mark.parametrize(
    ("name", "size", "reason"),
    [
        ("report.json", MOST_REPORT_BYTES, "report.json is larger than 8 MiB"),
        ("manifest.json", MOST_MANIFEST_BYTES, "manifest.json is larger than 32 MiB"),
    ],
)
def test_a_large_report_or_manifest_is_not_read(given_zip: Given, name: str, size: int, reason: str) -> None:
    large = random.Random(1).randbytes(size + 1)
    files = bundle(more={name: large} if name == "report.json" else None)
    assert reason in refused(given_zip(files | {name: large}))


def test_a_large_manifest_of_something_else_is_left_alone(given_zip: Given) -> None:
    large = random.Random(1).randbytes(MOST_MANIFEST_BYTES + 1)
    found = received(given_zip({"manifest.json": large, "junit.xml": b"<testsuite/>"}))
    assert found == Received()


def test_a_large_source_is_not_kept(given_zip: Given) -> None:
    large = random.Random(1).randbytes(MOST_SOURCE_BYTES + 1)
    (one,) = received(given_zip(bundle(more={"source/tests/test_combine.py": large}))).bundles
    assert one.source is None
