"""Red tests of results files: which are found, how they share a budget, and what is said of the rest."""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from told_command import WRONG, flake_triage, write_project

from app.domain.errors import Gone
from app.domain.replay_words import CauseKind, ReplayVerdict
from app.domain.workflow_command import Annotation, Level
from app.settings import StepOfJob
from worker import says
from worker.commands import replay_options, replay_targets
from worker.commands.in_job.guarded import guarded
from worker.commands.in_job.red_session import RedSession
from worker.commands.in_job.step import Step
from worker.commands.in_job.turns import LEAST_S, in_order, turns
from worker.commands.replay_targets import RedTests, Target
from worker.replay.engine import INTERRUPTED
from worker.replay.report import Bound, Replay
from worker.replay.sandbox.refused import Refused
from worker.replay.suspect import Original
from worker.replay.trial import Explained, Explanation


def results(*tests: tuple[str, str], seconds: float = 0.1) -> str:
    """A file in which these (classname, name) are red, each for a cause of its own."""
    cases = "".join(
        f'<testcase classname="{classname}" name="{name}" time="{seconds}">'
        f'<failure message="ValueError: {name}">ValueError: {name}</failure></testcase>'
        for classname, name in tests
    )
    return f"<testsuite>{cases}</testsuite>"


def test_files_patterns_and_folders_are_taken_as_a_step_would_write_them(tmp_path: Path) -> None:
    for name in ("a.xml", "more/b.xml", "more/deep/c.xml", "more/notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    a, b, c = (tmp_path / name for name in ("a.xml", "more/b.xml", "more/deep/c.xml"))
    assert replay_options.files_of([str(tmp_path / "**/*.xml")], []) == ([a, b, c], [])
    assert replay_options.files_of([str(a)], [str(b), str(a)]) == ([a, b], [])
    assert replay_options.files_of([str(tmp_path / "more")], []) == ([b, c], [])
    assert replay_options.files_of([], ["a.py::t"]) == ([], ["a.py::t"])
    assert replay_options.files_of([str(a)], ["a.py::t"]) == ([a], ["a.py::t"])
    absent = tmp_path / "gone" / "*.xml"
    assert replay_options.files_of([str(absent)], []) == ([absent], [])


def test_what_cannot_be_replayed_is_named_and_costs_the_others_nothing(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    good, java, page = (tmp_path / name for name in ("good.xml", "java.xml", "page.xml"))
    good.write_text(results(("tests.test_sums", "test_wrong"), ("", "tests.test_broken")))
    java.write_text(results(("org.example.SumsTest", "adds")))
    page.write_text("<html></html>")
    found = replay_targets.red_tests(project, [good, java, page, tmp_path / "gone.xml"])
    assert [one.test for one in found.targets] == [WRONG]
    assert found.left.keys() == {"org.example.SumsTest::adds", "tests.test_broken"}
    assert all("no file of" in why for why in found.left.values())
    assert found.unread[str(page)] == "an HTML page, not a results file"
    assert "there is no such file" in found.unread[str(tmp_path / "gone.xml")]


def test_without_any_file_that_can_be_read_there_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.xml").touch()
    with pytest.raises(Gone, match=r"empty\.xml: .*gone\.xml: there is no such file"):
        replay_targets.red_tests(tmp_path, [tmp_path / "empty.xml", tmp_path / "gone.xml"])


def test_a_results_file_that_is_none_is_told_as_what_it_is_and_never_opened(tmp_path: Path) -> None:
    pipe, loop, lost, folder = (tmp_path / name for name in ("pipe.xml", "loop.xml", "lost.xml", "folder"))
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    lost.symlink_to(tmp_path / "gone.xml")
    folder.mkdir()
    good = tmp_path / "good.xml"
    good.write_text("<testsuite/>")
    device = Path("/dev/zero")
    found = replay_targets.red_tests(tmp_path, [good, pipe, loop, lost, folder, device])
    assert found.unread == {
        str(pipe): "a named pipe, not a results file",
        str(loop): "a link that leads to itself",
        str(lost): "a link to a file that is not there",
        str(folder): "a folder that holds no results file",
        str(device): "a device, not a results file",
    }


def target(test: str, signature: str | None = None, seconds: float | None = None) -> Target:
    return Target(test, Original("m", "t", signature, seconds=seconds))


def test_distributed_tests_come_first_and_repeats_of_a_failure_last(tmp_path: Path) -> None:
    (tmp_path / "test_ranks.py").write_text("import torch.distributed as dist\n")
    (tmp_path / "test_sums.py").write_text("import math\n")
    asked = [
        target("test_sums.py::a", "sums"),
        target("test_sums.py::b", "sums"),
        target("test_ranks.py::a", "ranks"),
        target("test_ranks.py::b", "ranks"),
        target("test_gone.py::a", None),
    ]
    assert [one.test for one in in_order(tmp_path, asked)] == [
        *("test_ranks.py::a", "test_sums.py::a", "test_gone.py::a"),
        *("test_ranks.py::b", "test_sums.py::b"),
    ]


class Spent:
    """A clock of the budget that each turn moves on by what the test says it took."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def shares(asked: list[Target], budget_s: float, takes: Iterator[float]) -> list[float]:
    spent, given = Spent(), []
    for turn in turns(asked, budget_s, spent):
        given.append(turn.share_s)
        spent.seconds += min(turn.share_s, next(takes)) if not turn.why_not else 0
    return given


def forever() -> Iterator[float]:
    while True:
        yield 1e9


def test_one_test_gets_it_all_and_many_get_shares_of_use() -> None:
    assert shares([target("a")], 300, forever()) == [300]
    assert shares([target(str(n)) for n in range(3)], 300, forever()) == [100, 100, 100]
    assert shares([target(str(n)) for n in range(1000)], 300, forever())[:7] == [60, 60, 60, 60, 60, 0, 0]


def test_what_a_test_leaves_is_for_those_after_it() -> None:
    assert shares([target(str(n)) for n in range(3)], 300, iter([20.0, 20.0, 20.0])) == [100, 140, 260]
    assert (
        sum(share > 0 for share in shares([target(str(n)) for n in range(50)], 300, iter([10.0] * 50))) == 29
    )


def test_a_test_that_is_known_to_be_slow_gets_room_for_some_runs_or_is_left_with_the_reason() -> None:
    slow = [target("a", seconds=50), target("b", seconds=150)]
    assert [one.share_s for one in turns(slow, 300, Spent())] == [200, 300]
    spent = Spent()
    for turn in turns(slow, 300, spent):
        spent.seconds += turn.share_s
    assert turn.why_not == "it ran for 150 s in the job, and 100 s were left"


def test_the_first_test_is_tried_however_small_the_budget() -> None:
    first, second = turns([target("a", seconds=500), target("b")], 5, Spent())
    assert first.share_s == 5
    assert second.why_not == "the budget of 5 s was used up; a larger --budget tries it"
    assert LEAST_S > 5


@dataclass
class Fakes:
    """Replays that go as they are told, by test."""

    goes: dict[str, Exception | Replay]
    walls: bool = True
    tried: list[str] = field(default_factory=list)

    def one(self, target: Target, out: Path, budget_s: float) -> Replay:
        self.tried.append(target.test)
        assert budget_s > 0
        out.mkdir(parents=True, exist_ok=True)
        told = self.goes[target.test]
        if isinstance(told, Exception):
            raise told
        return told

    def drop_walls(self) -> bool:
        had, self.walls = self.walls, False
        return had


def step(tmp_path: Path) -> Step:
    for name in ("summary", "output"):
        (tmp_path / name).touch()
    return Step(
        StepOfJob(actions="true", step_summary=str(tmp_path / "summary"), output=str(tmp_path / "output"))
    )


def session(fakes: Fakes, tmp_path: Path, at: Step | None) -> RedSession:
    (tmp_path / "out").mkdir()
    return RedSession(fakes, tmp_path, tmp_path / "out", 300.0, at)


def test_trouble_with_one_test_is_told_and_costs_the_others_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    goes: dict[str, Exception | Replay] = {
        "a": OSError(28, "No space left on device"),
        "b": Gone("b", "it is gone"),
        "c": ZeroDivisionError("a bug | of ours\n::error::x"),
    }
    fakes = Fakes(goes)
    session(fakes, tmp_path, step(tmp_path)).run(RedTests(tuple(map(Target, goes))))
    assert fakes.tried == ["a", "b", "c"]
    told = (tmp_path / "summary").read_text()
    assert "Not tried: 3 tests" in told
    assert "No space left" in told
    assert "flake-triage broke on it: ZeroDivisionError: a bug \\| of ours" in told
    said = capsys.readouterr()
    assert "ZeroDivisionError" in said.err
    lines = [one for one in (said.out + said.err).splitlines() if one.lstrip().startswith("::")]
    assert [one.partition(" ")[0] for one in lines] == ["::notice"]


def test_without_walls_it_goes_on_in_a_job_and_says_so(tmp_path: Path) -> None:
    fakes = Fakes({"a": Refused("User namespaces are restricted. Install bubblewrap.")})
    session(fakes, tmp_path, step(tmp_path)).run(RedTests((Target("a"),)))
    assert fakes.tried == ["a", "a"]
    assert not fakes.walls
    told = (tmp_path / "summary").read_text()
    assert (
        "with the job's own rights, with which this code had just run. User namespaces are restricted."
        in told
    )


def nothing_run(test: str, out: Path, *, decisions: tuple[str, ...] = ()) -> Replay:
    """A replay that could run nothing."""
    explanation = Explanation(Explained(CauseKind.NONE))
    return Replay(
        *(test, ReplayVerdict.NO_TRIAL, "it was not run", explanation, (), (), (), Bound(0, 0, 0.0, 1.0), ()),
        limits={},
        bundle=out,
        decisions=decisions,
    )


def test_after_an_interruption_what_is_known_is_told_and_nothing_more_is_begun(tmp_path: Path) -> None:
    fakes = Fakes(
        {"a": nothing_run("a", tmp_path, decisions=(INTERRUPTED,)), "b": nothing_run("b", tmp_path)}
    )
    session(fakes, tmp_path, step(tmp_path)).run(RedTests((Target("a"), Target("b"))))
    assert fakes.tried == ["a"]
    summary = (tmp_path / "summary").read_text()
    assert "### `a`" in summary
    assert "**interrupted**" in summary
    assert "<details>" not in summary
    assert "it was interrupted before enough trials had ended" in summary
    assert "--budget" not in summary
    assert "| b | the replay was interrupted before its turn |" in summary
    outputs = (tmp_path / "output").read_text()
    assert outputs.index("bundle<<") < outputs.index("verdict<<")
    assert "no-trial" in outputs


def test_outside_of_a_job_trouble_is_the_commands_own(tmp_path: Path) -> None:
    fakes = Fakes({"a": Refused("no walls")})
    with pytest.raises(Refused):
        session(fakes, tmp_path, None).run(RedTests((Target("a"),)))
    assert fakes.tried == ["a"]
    with pytest.raises(Gone, match="no test is red there"):
        RedSession(fakes, tmp_path, tmp_path / "out", 300.0, None).run(RedTests(()))


def test_a_summary_that_is_full_or_gone_ends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = step(tmp_path)
    (tmp_path / "summary").write_text("x" * 1024 * 1023)
    at.tell_summary("more")
    assert "no room left" in capsys.readouterr().err
    assert (tmp_path / "summary").stat().st_size == 1024 * 1023
    gone = Step(
        StepOfJob(actions="true", step_summary=str(tmp_path / "nowhere"), output=str(tmp_path / "nowhere"))
    )
    gone.tell_summary("more")
    gone.tell_outputs({"verdict": "none"})
    assert gone.summary_room == 0
    assert not (tmp_path / "nowhere").exists()


def test_what_stood_in_the_summary_stays_and_ours_is_written_once(tmp_path: Path) -> None:
    at = step(tmp_path)
    (tmp_path / "summary").write_text("theirs\n")
    at.tell_summary("ours, a long first word of it\n")
    at.tell_summary("ours\n")
    assert (tmp_path / "summary").read_text() == "theirs\nours\n"


def test_files_that_may_not_be_written_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    at = Step(StepOfJob(actions="true", step_summary="/proc/version", output="/proc/version"))
    at.tell_summary("ours")
    at.tell_outputs({"verdict": "none"})
    assert capsys.readouterr().err.count("cannot be written") == 2
    nameless = Step(StepOfJob(actions="true", step_summary="/x" * 4000, output="/x" * 4000))
    nameless.tell_summary("ours")
    nameless.tell_outputs({"verdict": "none"})
    assert capsys.readouterr().err.count("outputs cannot be written: File name too long") == 1


def test_beside_json_commands_go_to_the_other_stream(capsys: pytest.CaptureFixture[str]) -> None:
    for as_json in (True, False):
        Step(StepOfJob(), as_json=as_json).annotate([Annotation(Level.NOTICE, "t", "m")])
    assert capsys.readouterr() == ("::notice title=t::m\n", "::notice title=t::m\n")


def test_json_lines_hold_no_command_and_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    says.line({"name": "##[error]x"})
    told = capsys.readouterr().out
    assert "##[" not in told
    assert json.loads(told) == {"name": "##[error]x"}


def test_annotations_name_files_from_the_root_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "repo" / "packages" / "a").mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    at = Step(StepOfJob(actions="true", workspace=str(tmp_path)))
    assert at.place_of(tmp_path / "repo" / "packages" / "a") == "packages/a"
    assert at.place_of(tmp_path / "repo") == ""
    (tmp_path / "loose").mkdir()
    assert at.place_of(tmp_path / "loose") == "loose"
    assert Step(StepOfJob(actions="true")).place_of(tmp_path / "loose") == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "<testsuite><testcase classname='tests.test_sums' name='test_right'/></testsuite>",
            "No test is red",
        ),
        (results(("org.example.SumsTest", "adds")), "Not tried: 1 test"),
        ("", "empty"),
        ("<testsuite", "results.xml"),
    ],
)
def test_in_a_job_whatever_the_results_are_the_exit_code_is_0_and_the_summary_says_why(
    content: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = write_project(tmp_path / "project")
    (tmp_path / "results.xml").write_text(content)
    (tmp_path / "summary").touch()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    done = flake_triage(
        *("replay", "--from-junit", tmp_path / "results.xml", "--project", project),
        *("--python", sys.executable, "--out", tmp_path / "out"),
    )
    assert done.code == 0, done.err
    assert said in (tmp_path / "summary").read_text()


def test_a_bug_of_ours_is_told_in_a_job_and_is_a_bug_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks(**options: object) -> None:
        raise ZeroDivisionError(f"{options['out']}\n::error::x")

    with pytest.raises(ZeroDivisionError):
        guarded(breaks)(from_junit=["a.xml"], out="a")
    (tmp_path / "summary").touch()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    with pytest.raises(ZeroDivisionError):
        guarded(breaks)(from_junit=None, out="a")
    guarded(breaks)(from_junit=["a.xml"], out="a")
    assert "flake-triage broke: ZeroDivisionError: a" in (tmp_path / "summary").read_text()
    said = capsys.readouterr()
    assert "in breaks" in said.err
    lines = [one for one in (said.out + said.err).splitlines() if one.lstrip().startswith("::")]
    assert [one.partition(" ")[0] for one in lines] == ["::warning"]


@pytest.mark.parametrize("ends", [SystemExit(143), KeyboardInterrupt()])
def test_a_signal_ends_the_command_with_0_in_a_job_alone(
    ends: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def is_ended(**_: object) -> None:
        raise ends

    with pytest.raises(type(ends)):
        guarded(is_ended)(from_junit=["a.xml"])
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    guarded(is_ended)(from_junit=["a.xml"])
    assert "was ended before it was done" in capsys.readouterr().err


def test_an_environment_that_was_never_made_is_told_and_changes_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = write_project(tmp_path / "project")
    (tmp_path / "results.xml").write_text(results(("tests.test_sums", "test_wrong")))
    (tmp_path / "summary").touch()
    asked = ("replay", "--from-junit", tmp_path / "results.xml", "--project", project)
    asked = (*asked, "--python", tmp_path / "env" / "bin" / "python", "--out", tmp_path / "out")
    assert flake_triage(*asked).code == 3
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    assert flake_triage(*asked).code == 0
    assert "no program that can be started is there" in (tmp_path / "summary").read_text()


def test_a_python_without_pytest_is_named_whole_with_its_mend_as_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    (tmp_path / "results.xml").write_text(results(("tests.test_sums", "test_wrong")))
    (tmp_path / "summary").touch()
    monkeypatch.setenv("PATH", str(python.parent), prepend=os.pathsep)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    asked = ("replay", "--from-junit", tmp_path / "results.xml", "--python", "python")
    done = flake_triage(*asked, "--project", write_project(tmp_path / "project"), "--out", tmp_path / "out")
    assert f"flake-triage: {python}: pytest is not installed there" in done.err
    assert f"`{python} -m pip install pytest` installs it" in (tmp_path / "summary").read_text()


def test_wrong_use_is_told_in_a_job_as_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (tmp_path / "results.xml").write_text(results(("tests.test_sums", "test_wrong")))
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "evidence").touch()
    asked = (
        "replay",
        "--from-junit",
        tmp_path / "results.xml",
        "--project",
        write_project(tmp_path / "project"),
    )
    done = flake_triage(*asked, "--python", sys.executable, "--out", tmp_path / "old")
    assert (done.code, "is not empty" in done.err) == (2, True)


def test_a_name_that_no_file_can_have_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = write_project(tmp_path / "project")
    (tmp_path / "summary").touch()
    asked = ("replay", "--from-junit", "x" * 5000, "--project", project, "--out", tmp_path / "out")
    asked = (*asked, "--python", sys.executable)
    assert flake_triage(*asked).code == 3
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    assert flake_triage(*asked).code == 0
    assert "the replay did not run" in (tmp_path / "summary").read_text()
