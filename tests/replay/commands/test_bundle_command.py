"""`flake-triage bundle`: what differs is named, a hostile bundle is refused, a repeat says if it agreed."""

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from told_command import WRONG, flake_triage, replay, write_project

from worker.replay.bundle import manifest


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = write_project(tmp_path_factory.mktemp("project"))
    done = replay(
        project, WRONG, "--trials", 4, "--seed", 3, out=tmp_path_factory.mktemp("evidence") / "bundle"
    )
    assert done.code == 0, done.err
    return Path(done.object["bundle"])


@pytest.fixture
def bundle(sealed: Path, tmp_path: Path) -> Path:
    copied = tmp_path / "bundle"
    shutil.copytree(sealed, copied, symlinks=True)
    return copied


def reseal(bundle: Path) -> None:
    """As somebody would who wants a changed bundle to be believed."""
    manifest.seal(bundle, test=WRONG, made_by="somebody")


def edit(file: Path, keys: Sequence[str], value: object) -> None:
    """Set one value, however deep it lies, in a file of JSON."""
    plain = json.loads(file.read_text())
    inner = plain
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    file.write_text(json.dumps(plain))


def verified(bundle: Path) -> tuple[int, dict[str, Any]]:
    done = flake_triage("bundle", "verify", bundle, "--json")
    return done.code, done.object


def test_an_untouched_bundle_is_verified_wherever_it_lies(bundle: Path) -> None:
    code, told = verified(bundle)
    assert (code, told["good"], told["differences"]) == (0, True, [])
    assert (told["verdict"], told["cause_kind"]) == ("reproduced-once", "test-assertion")


def test_each_changed_missing_or_added_file_is_named(bundle: Path) -> None:
    with (bundle / "001" / "stderr.txt").open("a") as file:
        file.write("!")
    page = (bundle / "page.html").read_bytes()
    (bundle / "page.html").write_bytes(page.replace(b"reproduced", b"reprodocud", 1))
    (bundle / "timeline.txt").unlink()
    (bundle / "notes.txt").write_text("new")
    code, told = verified(bundle)
    assert code == 1
    kinds = {one.partition(":")[0]: one for one in told["differences"]}
    assert kinds.keys() == {"001/stderr.txt", "page.html", "timeline.txt", "notes.txt"}
    assert "were sealed" in kinds["001/stderr.txt"]
    assert "sealed was" in kinds["page.html"]
    assert kinds["timeline.txt"] == "timeline.txt: is missing"
    assert kinds["notes.txt"] == "notes.txt: is not in the manifest"


def test_a_report_that_was_rewritten_and_sealed_again_is_found_out(bundle: Path) -> None:
    report = json.loads((bundle / "report.json").read_text())
    report["verdict"] = "confirmed-flake"
    report["cause"]["kind"] = "oom-kill"
    (bundle / "report.json").write_text(json.dumps(report))
    reseal(bundle)
    code, told = verified(bundle)
    assert code == 1
    assert told["differences"] == [
        'report.json says of verdict "confirmed-flake"; the journals give "reproduced-once"',
        'report.json says of cause.kind "oom-kill"; the journals give "test-assertion"',
    ]


def test_a_false_sentence_is_found_out_where_the_same_code_judged(bundle: Path) -> None:
    edit(bundle / "report.json", ("cause", "sentence"), "nothing is wrong here")
    reseal(bundle)
    code, told = verified(bundle)
    assert (code, told["difference_count"], told["reworded"]) == (1, 1, 0)
    assert "nothing is wrong here" in told["differences"][0]


def test_words_of_another_build_are_no_forgery_but_its_facts_must_hold(bundle: Path) -> None:
    edit(bundle / "report.json", ("cause", "sentence"), "as an older version put it")
    reseal(bundle)
    edit(bundle / "manifest.json", ("judged_by",), "0" * 64)
    code, told = verified(bundle)
    assert (code, told["good"], told["reworded"]) == (0, True, 1)
    assert "Another build judged it: 1 sentence would be" in flake_triage("bundle", "verify", bundle).out
    edit(bundle / "report.json", ("cause", "rank"), 3)
    reseal(bundle)
    edit(bundle / "manifest.json", ("judged_by",), "0" * 64)
    code, told = verified(bundle)
    assert (code, told["difference_count"], told["reworded"]) == (1, 1, 1)


def test_a_journal_that_was_changed_and_sealed_again_gives_another_verdict(bundle: Path) -> None:
    for number in ("001", "002", "003", "004"):
        file = bundle / number / "trial.json"
        plain = json.loads(file.read_text())
        file.write_text(json.dumps(plain | {"outcome": "passed"}))
    reseal(bundle)
    code, told = verified(bundle)
    assert code == 1
    assert any(one.startswith("report.json says of verdict") for one in told["differences"])


@pytest.mark.parametrize("name", ["plan.json", "suspect.json", "001/trial.json", "report.json"])
@pytest.mark.parametrize("content", [b"", b"{}", b"[" * 100_000, b"\xff\x00", b'{"format": 1}'])
def test_a_damaged_record_is_told_and_not_a_traceback(bundle: Path, name: str, content: bytes) -> None:
    (bundle / name).write_bytes(content)
    reseal(bundle)
    code, told = verified(bundle)
    assert (code, told["good"]) == (1, False)


@pytest.mark.parametrize(
    ("name", "keys"),
    [("manifest.json", ("files", "plan.json", "bytes")), ("plan.json", ("question", "seed"))],
)
def test_an_infinite_number_is_told_and_not_a_traceback(
    bundle: Path, name: str, keys: tuple[str, ...]
) -> None:
    edit(bundle / name, keys, float("inf"))
    if name != "manifest.json":
        reseal(bundle)
    code, told = verified(bundle)
    assert (code, told["good"]) == (1, False)


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("perturbation", "busy_neighbours"), 100_000),
        (("perturbation", "store_delay_s"), float("nan")),
        (("limits", "timeout_s"), float("nan")),
        (("limits", "timeout_s"), 1e12),
        (("limits", "processes"), 1 << 20),
        (("limits", "output_bytes"), 1 << 50),
        (("limits", "disk_bytes"), 1 << 50),
    ],
)
def test_a_bundle_that_asks_for_more_than_a_replay_does_is_not_repeated(
    bundle: Path, keys: tuple[str, str], value: float
) -> None:
    edit(bundle / "002" / "trial.json", ("spec", *keys), value)
    reseal(bundle)
    done = flake_triage("bundle", "repeat", bundle, "--trial", 2)
    assert (done.code, "asks for more than a replay ever does" in done.err) == (3, True)


@pytest.mark.parametrize(
    "path", ["../outside", "/etc/passwd", "a/../../b", "a//b", "c:\\x", "", ".", "a\x00b"]
)
def test_a_manifest_that_leads_outside_is_refused(bundle: Path, path: str) -> None:
    plain = json.loads((bundle / "manifest.json").read_text())
    plain["files"][path] = {"sha256": "0" * 64, "bytes": 1}
    (bundle / "manifest.json").write_text(json.dumps(plain))
    code, told = verified(bundle)
    assert code == 1
    assert "which is not inside the bundle" in told["differences"][0]


@pytest.mark.parametrize("kind", ["file link", "folder link", "pipe", "link in place"])
def test_links_and_pipes_are_told_and_never_followed(bundle: Path, tmp_path: Path, kind: str) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "trial.json").write_text("{}")
    if kind == "file link":
        (bundle / "more").symlink_to("/etc/passwd")
    elif kind == "folder link":
        (bundle / "005").symlink_to(secret)
    elif kind == "pipe":
        os.mkfifo(bundle / "waits")
    else:
        (bundle / "page.html").unlink()
        (bundle / "page.html").symlink_to("/dev/zero")
    code, told = verified(bundle)
    assert code == 1
    assert any("which no bundle holds" in one for one in told["differences"])
    assert told["verdict"] is None


def test_a_huge_file_is_not_read(bundle: Path) -> None:
    with (bundle / "page.html").open("r+b") as file:
        file.truncate(1 << 40)
    code, told = verified(bundle)
    assert code == 1
    assert any("has 1,099,511,627,776 bytes" in one for one in told["differences"])


def test_a_folder_without_a_manifest_is_no_bundle(tmp_path: Path) -> None:
    done = flake_triage("bundle", "verify", tmp_path)
    assert (done.code, "there is no bundle in it" in done.err) == (3, True)
    assert flake_triage("bundle", "verify", tmp_path / "absent").code == 2


def test_the_story_is_told_from_the_journals(bundle: Path) -> None:
    done = flake_triage("bundle", "show", bundle)
    assert done.code == 0
    assert done.out.startswith(f"{WRONG}\nreproduced-once: ")
    assert "plain        bare 3 of 3, probed 1 of 1" in done.out
    assert "Nothing was left behind by 4 trials." in done.out
    told = flake_triage("bundle", "show", bundle, "--json").object
    assert (told["verdict"], told["bundle"]) == ("reproduced-once", str(bundle))


def test_the_story_of_a_changed_bundle_says_that_it_was_changed(bundle: Path) -> None:
    assert flake_triage("bundle", "show", bundle).err == ""
    (bundle / "002" / "stdout.txt").write_text("nothing went wrong")
    done = flake_triage("bundle", "show", bundle)
    assert done.code == 0
    assert "1 file of it is not as sealed; `flake-triage bundle verify` names each" in done.err


def test_what_a_test_wrote_steers_no_terminal(bundle: Path) -> None:
    for number in ("001", "002", "003", "004"):
        file = bundle / number / "trial.json"
        file.write_text(file.read_text().replace("tests/test_sums.py::test_wrong", "\\u001b[2J[red]x"))
    suspect = (bundle / "suspect.json").read_text()
    (bundle / "suspect.json").write_text(suspect.replace(WRONG, "\\u001b[2J[red]x"))
    done = flake_triage("bundle", "show", bundle)
    assert done.out.startswith("\\u001b[2J[red]x\n")
    assert "\x1b" not in done.out


def test_a_repeat_runs_the_same_trial_and_says_that_it_agreed(bundle: Path) -> None:
    told = flake_triage("bundle", "repeat", bundle, "--trial", 2, "--json").object
    sealed = json.loads((bundle / "002" / "trial.json").read_text())["spec"]
    assert (told["trial"], told["seed"], told["bare"]) == (2, sealed["seed"], True)
    assert (told["agreed"], told["now"]["outcome"], told["changed_sources"]) == (True, "failed", [])


def test_a_repeat_on_a_mended_project_does_not_agree_and_names_what_changed(
    bundle: Path, tmp_path: Path
) -> None:
    project = write_project(tmp_path / "mended")
    (project / "sums" / "add.py").write_text("def add(one, other):\n    return one + other\n")
    done = flake_triage(
        "bundle", "repeat", bundle, "--project", project, "--python", sys.executable, "--json"
    )
    assert done.code == 0, done.err
    assert (done.object["agreed"], done.object["now"]["outcome"]) == (False, "passed")
    assert done.object["changed_sources"] == ["sums/add.py"]


def test_a_bundle_is_repeated_on_its_own_sources_where_the_project_is_gone(bundle: Path) -> None:
    suspect = json.loads((bundle / "suspect.json").read_text())
    (bundle / "suspect.json").write_text(json.dumps(suspect | {"project": "/nowhere/at/all"}))
    reseal(bundle)
    done = flake_triage("bundle", "repeat", bundle)
    assert done.code == 0, done.err
    assert "It agreed." in done.out


def test_an_interpreter_that_is_named_by_half_is_not_looked_for_here(bundle: Path) -> None:
    edit(bundle / "suspect.json", ("python",), "bin/python")
    reseal(bundle)
    done = flake_triage("bundle", "repeat", bundle)
    assert (done.code, "it names bin/python, not a whole path" in done.err) == (3, True), done.err


def test_a_changed_bundle_is_not_repeated(bundle: Path) -> None:
    (bundle / "001" / "stdout.txt").write_text("other")
    done = flake_triage("bundle", "repeat", bundle)
    assert (done.code, "it is not as it was sealed" in done.err) == (3, True)
    absent = flake_triage("bundle", "repeat", bundle, "--trial", 99)
    assert absent.code == 3
