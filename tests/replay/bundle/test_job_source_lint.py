"""The summary names what hides a red test's cause in its source, and where a mend must stand."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from told_jobs import diverged, job
from told_trials import divergence

from app.domain.lint.finding import LintFinding, Rule
from app.domain.replay_words import CauseKind
from worker.commands.in_job.source_lint import SourceLint, Sources
from worker.commands.in_job.summary import summary
from worker.replay.facts import Frame
from worker.replay.suspect import Original
from worker.replay.trial import Explained

WEAK_TEST = """\
import multiprocessing


def work(rank, reports):
    if rank == 0:
        reports.put(1)


def test_work():
    reports = multiprocessing.Queue()
    processes = [multiprocessing.Process(target=work, args=(rank, reports)) for rank in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert all(process.exitcode == 0 for process in processes)


def test_sums():
    assert 1 + 1 == 3
"""
RAISES = """\
import torch.distributed as dist


def fit(rank):
    if rank == 1:
        raise ValueError("no packing fits")
    return rank


def average(flag):
    dist.all_reduce(flag)
    fits = fit(dist.get_rank())
    dist.all_reduce(flag)
    return fits
"""
OPAQUE = Original("assert False", "E assert False", opaque=True)
TEST = "tests/test_work.py::test_work"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_work.py").write_text(WEAK_TEST)
    (tmp_path / "buckets.py").write_text(RAISES)
    return tmp_path


def raised_at(file: str, line: int, kind: CauseKind = CauseKind.RANK_EXCEPTION) -> Explained:
    cause = divergence()
    assert cause.exception is not None
    frames = (
        Frame("tests/test_work.py", 6, "work", "", in_project=True),
        Frame(file, line, "fit", "", in_project=True),
        Frame("/usr/lib/python3/json.py", line, "loads", "", in_project=False),
    )
    return replace(cause, kind=kind, exception=replace(cause.exception, frames=frames))


def test_an_opaque_test_is_told_the_weaknesses_of_its_own(project: Path) -> None:
    found = SourceLint(project).of(f"{TEST}[cpu]", OPAQUE, Explained(CauseKind.NONE))
    assert found.hiding is not None
    rules = [one.rule for one in found.hiding]
    assert {Rule.RANK_0_ONLY_REPORT, Rule.BARE_EXIT_CODE_ASSERTION} <= set(rules)
    one = diverged()
    told = summary(job(replace(one, replay=replace(one.replay, test=TEST), sources=found)))
    assert f"names no cause: {len(rules)} weaknesses of the test hide it" in told
    assert "`flake-triage lint tests/test_work.py` shows the mend of each" in told
    assert re.search(r"^  - line 16, `bare-exit-code-assertion`: `assert all", told, re.MULTILINE)
    assert "By line, what hides the cause" not in told


def test_a_sister_without_weakness_is_told_that_the_lint_knows_none(project: Path) -> None:
    found = SourceLint(project).of("tests/test_work.py::test_sums", OPAQUE, Explained(CauseKind.NONE))
    assert found == Sources(is_opaque=True, hiding=())
    assert "the lint knows no weakness" in summary(job(replace(diverged(), sources=found)))


def test_a_message_that_names_its_cause_is_not_linted(project: Path) -> None:
    lint = SourceLint(project)
    assert lint.of(TEST, replace(OPAQUE, opaque=False), Explained(CauseKind.NONE)) == Sources()
    assert lint.of(TEST, None, Explained(CauseKind.NONE)) == Sources()
    assert "names no cause" not in summary(job(diverged()))


@pytest.mark.parametrize("kind", [CauseKind.RANK_EXCEPTION, CauseKind.RANK_DIVERGENCE])
@pytest.mark.parametrize("line", [6, 8])
def test_the_window_of_a_mend_is_told_at_or_near_the_origin(
    kind: CauseKind, line: int, project: Path
) -> None:
    cause = raised_at("buckets.py", line, kind)
    found = SourceLint(project).of(TEST, None, cause)
    assert found.mend is not None
    assert found.mend.line == 6
    one = diverged()
    explanation = replace(one.replay.explanation, cause=replace(cause, window=None))
    told = summary(job(replace(one, replay=replace(one.replay, explanation=explanation), sources=found)))
    assert (
        "A mend must stand, by the source of `buckets.py`,\n\n- after line 11: `dist.all_reduce(flag)`"
        in told
    )
    assert "- before line 13: `dist.all_reduce(flag)`" in told
    assert "`rank-local-raise-before-collective` at `buckets.py:6`: `flake-triage lint buckets.py`" in told
    assert "Have all ranks agree on the outcome of what may raise" in told


def test_no_window_is_told_of_another_cause_or_another_place(project: Path) -> None:
    lint = SourceLint(project)
    assert lint.of(TEST, None, raised_at("buckets.py", 6, CauseKind.LATE_RANK)).mend is None
    assert lint.of(TEST, None, raised_at("buckets.py", 100)).mend is None
    assert lint.of(TEST, None, replace(raised_at("buckets.py", 6), exception=None)).mend is None


@pytest.mark.parametrize(
    "file", ["gone.py", "../outside.py", "loop.py", "broken.py", "long.py", "notes.txt", "\0.py"]
)
def test_what_cannot_be_linted_is_silence(
    file: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "loop.py").symlink_to("loop.py")
    (project / "broken.py").write_text("def broken(:\n")
    (project / "long.py").write_text("x = 1\n" * 100_000)
    (project / "notes.txt").write_text(RAISES)
    (project.parent / "outside.py").write_text(RAISES)
    found = SourceLint(project).of(f"{file}::test_work", OPAQUE, raised_at(file, 6))
    assert found == Sources(is_opaque=True)
    told = summary(job(replace(diverged(), sources=found)))
    assert "names no cause: `flake-triage lint test_planner.py` looks for what hides it" in told
    assert capsys.readouterr() == ("", "")


def test_a_step_that_has_used_up_its_time_lints_no_more(project: Path) -> None:
    assert SourceLint(project, left_s=0.0).of(TEST, OPAQUE, Explained(CauseKind.NONE)).hiding is None


@pytest.mark.parametrize(
    "text", ["`", "<script>x</script>", "a | b", "\n- item\n# head", "[x](https://evil.example)"]
)
def test_what_the_lint_quotes_is_harmless_and_many_are_counted(text: str) -> None:
    finding = LintFinding(Rule.ONE_ITEM_DRAINED, "a.py", 3, 1, 3, None, f"`{text}` is it: {text}", "")
    told = summary(job(replace(diverged(), sources=Sources(is_opaque=True, hiding=(finding,) * 9))))
    assert "  - and 5 more" in told
    assert told.count("  - line 3, `one-item-drained`: ") == 4
    assert "<script" not in told.replace("`<script>x</script>`", "")
    assert "\n# head" not in told


def test_the_evidence_is_named_with_the_command_that_shows_it() -> None:
    one = diverged()
    one = replace(one, replay=replace(one.replay, bundle=Path("/tmp/out/1-test_plan")))
    assert (
        "Its evidence is in the step's artifact; in that, downloaded and unpacked: "
        "`flake-triage bundle show 1-test_plan`" in summary(job(one))
    )
    assert "in the artifact `flake-triage-test-0-1`" in summary(job(one, artifact="flake-triage-test-0-1"))
