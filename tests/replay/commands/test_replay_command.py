"""`flake-triage replay`: the contract's object, its exit codes, and what it says of wrong use."""

import json
import sys
from pathlib import Path

import pytest
from told_command import RIGHT, WRONG, Told, flake_triage, replay, write_project

KEYS = {
    *("test", "verdict", "cause", "findings", "trials", "bound", "sensitivity", "matched_collectives"),
    *("limits", "bundle"),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def failed(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """A test that always fails, replayed to its verdict."""
    return replay(project, WRONG, "--seed", 5, out=tmp_path_factory.mktemp("evidence") / "wrong")


def test_a_test_that_always_fails_is_deterministic_after_six_plain_trials(failed: Told) -> None:
    assert failed.code == 0, failed.err
    told = failed.object
    assert told.keys() >= KEYS
    assert (told["test"], told["verdict"], told["seed"]) == (WRONG, "deterministic", 5)
    assert [one["bare"] for one in told["trials"][:3]] == [True] * 3
    assert {one["arm"] for one in told["trials"]} == {"plain"}
    assert told["bound"]["failures"] == told["bound"]["trials"] == 6
    assert told["cause"]["kind"] == "test-assertion"
    assert "assert" in told["cause"]["sentence"]


def test_progress_stands_on_stderr_line_by_line(failed: Told) -> None:
    lines = failed.err.splitlines()
    assert lines[0] == f"replaying {WRONG} ..."
    assert lines[1].startswith("  trial 1, plain, bare: failed in ")
    assert sum(line.startswith("  trial ") for line in lines) == 6


def test_the_evidence_holds_the_sources_and_a_page(failed: Told) -> None:
    bundle = Path(failed.object["bundle"])
    sources = {one.relative_to(bundle / "source").as_posix() for one in (bundle / "source").rglob("*.py")}
    assert sources == {"sums/__init__.py", "sums/add.py", "tests/conftest.py", "tests/test_sums.py"}
    assert "deterministic" in (bundle / "page.html").read_text(encoding="utf-8")
    assert json.loads((bundle / "cleanup.json").read_text(encoding="utf-8"))["clean"] is True


def test_the_project_is_left_as_it_was(project: Path, failed: Told) -> None:
    assert failed.code == 0
    assert not list(project.rglob("__pycache__"))
    assert not list(project.rglob(".pytest_cache"))


def test_a_test_that_passes_is_not_called_stable(project: Path, tmp_path: Path) -> None:
    told = replay(project, RIGHT, "--trials", 3, out=tmp_path / "out").object
    assert told["verdict"] == "budget-exhausted"
    assert told["cause"] == {"kind": "none"}
    assert told["bound"]["rate_high_95"] > 0.6


def test_limits_are_compared_arm_by_arm(project: Path, tmp_path: Path) -> None:
    told = replay(
        project, RIGHT, "--compare-limits", "--trials", 1, "--arm", "plain", "cpu-0.5", out=tmp_path / "out"
    )
    assert {one["arm"] for one in told.object["trials"]} == {"plain", "cpu-0.5"}


def test_people_get_the_story_and_the_place_of_the_page(project: Path, tmp_path: Path) -> None:
    done = flake_triage(
        *("replay", WRONG, "--trials", 1, "--project", project, "--python", sys.executable),
        *("--out", tmp_path / "out"),
    )
    assert done.code == 0
    assert done.out.startswith(f"{WRONG}\nreproduced-once: ")
    assert f"open {tmp_path}/out/page.html in a browser" in done.out
    assert "\x1b" not in done.out


def test_red_tests_of_results_files_are_replayed_with_their_failure(project: Path, tmp_path: Path) -> None:
    message = "assert 0 == 4\n +  where 0 = add(2, 2)"
    file = tmp_path / "junit.xml"
    file.write_text(
        '<testsuite><testcase classname="tests.test_sums" name="test_wrong" time="0.1">'
        f'<failure message="{message}">{message}</failure></testcase>'
        '<testcase classname="tests.test_sums.TestMore" name="test_each[1]"><failure message="E">E</failure>'
        '</testcase><testcase classname="tests.test_sums" name="test_right"/></testsuite>',
        encoding="utf-8",
    )
    done = replay(project, "--from-junit", file, "--trials", 1, out=tmp_path / "out")
    assert [one["test"] for one in done.objects] == [WRONG, "tests/test_sums.py::TestMore::test_each[1]"]
    assert [Path(one["bundle"]).parent for one in done.objects] == [tmp_path / "out"] * 2
    assert flake_triage("bundle", "verify", tmp_path / "out").code == 0


def test_evidence_may_stand_in_the_project_and_is_no_part_of_it(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    done = replay(project, WRONG, "--trials", 2, out=project / "evidence")
    assert done.code == 0, done.err
    assert not list((project / "evidence" / "source").rglob("evidence"))


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("tests/test_sums.py::test_absent", "not found"),
        ("tests/test_sums.py::test_skipped", "not here"),
        ("tests/test_broken.py::test_any", "nowhere_to_be_found"),
    ],
)
def test_a_test_that_does_not_run_is_no_trial_and_exit_3(
    project: Path, tmp_path: Path, test: str, said: str
) -> None:
    done = replay(project, test, out=tmp_path / "out")
    assert (done.code, done.object["verdict"]) == (3, "no-trial")
    assert {one["outcome"] for one in done.object["trials"]} == {"no-trial"}
    assert said in done.object["trials"][0]["reason"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tests/test_sums.py::test_wrong", "--memory", "much"], "--memory takes a size such as 512m"),
        (["tests/test_absent.py::test_a"], "tests/test_absent.py is not in"),
        (["../outside.py::test_a"], "is not in"),
        ([], "give one of NODEID, --from-junit, --failure, --inject-all"),
        (["tests/test_sums.py::test_wrong", "--failure", "3"], "give only one of"),
        (["tests/test_sums.py::test_wrong", "--inject", "rank=x"], "rank is a whole number"),
        (["tests/test_sums.py::test_wrong", "--arm", "tight"], "'tight' is none of plain, cpu-1"),
        (["tests/test_sums.py::test_wrong", "--plan", "full"], "--plan is auto"),
        (["tests/test_sums.py::test_wrong", "--python", "no-such-python"], "no program that can be started"),
    ],
)
def test_wrong_use_is_told_in_a_sentence(
    project: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = flake_triage("replay", "--project", project, "--out", tmp_path / "out", *arguments)
    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_results_that_are_not_there_are_nothing_to_replay(project: Path, tmp_path: Path) -> None:
    done = flake_triage(
        *("replay", "--from-junit", "nowhere.xml", "gone/*.xml"),
        *("--project", project, "--out", tmp_path / "out"),
    )
    assert done.code == 3
    assert "nowhere.xml: there is no such file; the tests may have ended before they wrote it" in done.err
    assert "gone/*.xml: there is no such file" in done.err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_empty_is_refused(project: Path, tmp_path: Path) -> None:
    (tmp_path / "old").write_text("evidence")
    done = flake_triage("replay", WRONG, "--project", project, "--python", sys.executable, "--out", tmp_path)
    assert (done.code, "is not empty" in done.err) == (2, True)
    assert [one.name for one in tmp_path.iterdir()] == ["old"]


def test_a_project_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    done = flake_triage("replay", WRONG, "--project", tmp_path / "absent", "--out", tmp_path / "out")
    assert (done.code, "does not exist" in done.err) == (2, True)


def test_an_interpreter_without_pytest_is_refused_with_what_to_do(project: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare" / "bin" / "python"
    bare.parent.mkdir(parents=True)
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o755)
    done = flake_triage("replay", WRONG, "--project", project, "--python", bare, "--out", tmp_path / "out")
    assert done.code == 3
    assert f"pytest is not installed there; `{bare} -m pip install pytest` installs it" in done.err


def test_memory_below_what_the_test_needs_is_refused_unless_insisted_on(
    project: Path, tmp_path: Path
) -> None:
    done = replay(project, RIGHT, "--memory", "8m", out=tmp_path / "out")
    if "memory" in done.out and done.code == 0:
        pytest.skip("no counter of memory can be read here")
    assert done.code == 2
    assert "under 1.2 times" in done.err
    assert "--tight-memory takes it all the same" in " ".join(done.err.split())


def test_a_failure_of_the_store_is_its_original(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "data"))
    text = "    def test_wrong(two):\n>       assert add(two, 2) == 4\nE       assert 0 == 4"
    file = tmp_path / "junit.xml"
    file.write_text(
        '<testsuite><testcase classname="tests.test_sums" name="test_wrong" time="0.1">'
        f'<failure message="assert 0 == 4">{text.replace(">", "&gt;")}</failure></testcase></testsuite>',
        encoding="utf-8",
    )
    taken = flake_triage(
        *("ingest", file, "--repo", "octo/sums", "--run", 1, "--sha", "a" * 40, "--job", "test", "--json")
    )
    assert taken.code == 0, taken.err
    done = replay(project, "--failure", 1, "--trials", 1, out=tmp_path / "out")
    assert done.object["test"] == WRONG
    suspect = json.loads((tmp_path / "out" / "suspect.json").read_text(encoding="utf-8"))
    assert suspect["original"]["message"] == "assert 0 == 4"
    absent = replay(project, "--failure", 9, out=tmp_path / "other")
    assert (absent.code, "failure 9: there is none of this number" in absent.err) == (3, True)


def test_help_has_an_example() -> None:
    done = flake_triage("replay", "--help")
    assert "Example: flake-triage replay tests/test_sync.py::test_all_ranks" in " ".join(done.out.split())
