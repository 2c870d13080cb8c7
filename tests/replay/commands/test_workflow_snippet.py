"""The printed workflow: linters pass it, it asks for no right but to read, and odd words do not get in."""

import json
import shutil
import subprocess
import sys
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest
import yaml
from told_command import flake_triage

from worker.commands.in_job.own_package import package

TOOLS = Path(sys.executable).parent
OPTIONS: list[list[str]] = [
    [],
    ["--results", "reports/**/*.xml", "--results", "more results.xml", "--python-version", "3.11"],
    ["--python", ".venv/bin/python", "--budget", "900", "--project", "packages/my planner"],
    ["--package", "flake-triage @ git+https://github.com/octo/flake-triage@" + "a" * 40],
]


def printed(*options: str) -> str:
    told = flake_triage("workflow", "in-job", *options)
    assert told.code == 0, told.err
    return told.out


def steps(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(text)["jobs"]["test"]["steps"]
    return found


@pytest.mark.parametrize("options", OPTIONS)
def test_linters_of_workflows_and_shells_find_nothing(options: list[str], tmp_path: Path) -> None:
    file = tmp_path / ".github" / "workflows" / "tests.yml"
    file.parent.mkdir(parents=True)
    file.write_text(printed(*options))
    linter, shells = TOOLS / "actionlint", TOOLS / "shellcheck"
    assert linter.exists()
    assert shells.exists()
    done = subprocess.run(
        [linter, "-no-color", "-shellcheck", shells, file],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_the_linter_would_find_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "bad.yml"
    file.write_text(printed().replace("steps.replay.outputs", "step.replay.outputs"))
    done = subprocess.run([TOOLS / "actionlint", file], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "step" in done.stdout


def test_it_may_only_read_and_keeps_no_token() -> None:
    read = yaml.safe_load(printed())
    assert read["permissions"] == {"contents": "read"}
    assert "permissions" not in read["jobs"]["test"]
    assert steps(printed())[0]["with"] == {"persist-credentials": False}
    assert "secrets." not in printed()


def test_each_step_of_ours_runs_after_a_failure_only_and_may_fail_in_bounded_time() -> None:
    ours = [one for one in steps(printed("--budget", "600")) if "if" in one]
    assert len(ours) == 3
    for step in ours:
        assert step["if"].startswith("failure()")
        assert step["continue-on-error"] is True
    assert [one["timeout-minutes"] for one in ours] == [5, 15, 5]


def test_results_are_quoted_and_the_tests_write_one_that_is_found() -> None:
    told = printed("--results", "reports/**/*.xml", "--results", "more results.xml")
    assert "--from-junit 'reports/**/*.xml' 'more results.xml' \\" in told
    assert "--junitxml=reports/results.xml" in told


@pytest.mark.parametrize(
    ("results", "written"),
    [("reports/", "reports/results.xml"), ("**/", "results.xml"), ("a::b.xml", "a::b.xml")],
)
def test_the_tests_write_a_file_into_a_folder_of_results(results: str, written: str) -> None:
    told = printed("--results", results)
    assert f"python -m pytest --junitxml={written}" in [step.get("run") for step in steps(told)]


def test_a_range_of_pythons_is_taken() -> None:
    assert 'python-version: "~3.12"' in printed("--python-version", "~3.12")


@pytest.mark.parametrize(
    ("option", "word"),
    [
        ("--results", "${{ github.event.pull_request.title }}.xml"),
        ("--results", "a'; curl evil.example #.xml"),
        ("--python", "python\n      - run: evil"),
        ("--package", '"$(evil)"'),
        ("--python-version", '3.12"\n'),
        ("--package", " flake-triage"),
        ("--results", "a: b.xml"),
        ("--results", "a:"),
        ("--results", "--help"),
        ("--python", "-c"),
        ("--python", "~/env/bin/python"),
        ("--project", "-x"),
        ("--package", "--index-url=http://evil.example x"),
    ],
)
def test_words_that_a_workflow_would_run_are_refused(option: str, word: str) -> None:
    told = flake_triage("workflow", "in-job", f"{option}={word}")
    assert told.code == 2
    assert "holds characters" in " ".join(told.err.split())


def test_programs_get_it_as_json() -> None:
    told = flake_triage("workflow", "in-job", "--json")
    assert json.loads(told.out) == {"workflow": "in-job", "yaml": printed()}


class Installed(Distribution):
    """A distribution whose origin is as given."""

    def __init__(self, origin: object) -> None:
        self._origin = origin

    def read_text(self, filename: str) -> str | None:
        if filename == "direct_url.json":
            return None if self._origin is None else json.dumps(self._origin)
        return "Metadata-Version: 2.1\nName: flake-triage\nVersion: 1.2.3\n"

    def locate_file(self, path: object) -> Path:
        raise FileNotFoundError(path)


def test_what_is_installed_is_what_we_were_installed_from() -> None:
    commit = {"url": "https://github.com/octo/ft", "vcs_info": {"vcs": "git", "commit_id": "b" * 40}}
    assert package(Installed(None)) == ("flake-triage==1.2.3", "")
    assert package(Installed(commit)) == (f"flake-triage @ git+https://github.com/octo/ft@{'b' * 40}", "")
    spec, doubt = package(Installed({"url": "file:///home/me/ft", "dir_info": {"editable": True}}))
    assert spec == "flake-triage==1.2.3"
    assert "--package" in doubt
    assert "/home/me" not in doubt


def test_the_checked_programs_are_those_of_this_environment() -> None:
    assert shutil.which("actionlint", path=str(TOOLS)) is not None
