"""Evidence that is missing or hostile: a gap with its reason, and the rest of the same run is told."""

import html
from collections.abc import Sequence
from datetime import timedelta

import archives
import pytest
from pipeline import Pipeline
from scene import FAILING, PASSING, PULL, REPO, Case, Made, Ran, Scene, failing, junit

from app.domain.gap import GapKind
from app.domain.verdict import Whose
from app.standin.faults import (
    BAD_CREDENTIALS,
    LOST_ANSWER,
    NO_BLOB,
    SECONDARY_LIMIT,
    SERVER_ERROR,
    Fault,
    too_many_requests,
)
from app.store.outbox import Order

RUN = 1001
NAME = "junit-test (a)"

FAULTS = {
    "expired": (Made(NAME, expired=True), GapKind.ARTIFACT_EXPIRED, "410"),
    "name that leaves its folder": (
        Made(NAME, {"../../junit.xml": junit(PASSING)}),
        GapKind.ARTIFACT_REFUSED,
        "leaves its folder",
    ),
    "link": (
        Made(NAME, raw=("junit.zip", archives.with_link("junit.xml", "/etc/passwd"))),
        GapKind.ARTIFACT_REFUSED,
        "a link or a special file",
    ),
    "bomb": (Made(NAME, {"junit.xml": archives.BOMB}), GapKind.ARTIFACT_REFUSED, "times its size"),
    "no zip though it says so": (
        Made(NAME, raw=("junit.zip", b"PK\x03\x04 and then nothing")),
        GapKind.ARTIFACT_REFUSED,
        "damaged",
    ),
    "other bytes than GitHub promised": (
        Made(NAME, {"junit.xml": junit(PASSING)}, digest="sha256:" + "0" * 64),
        GapKind.ARTIFACT_REFUSED,
        "digest",
    ),
    "entities": (Made(NAME, {"junit.xml": archives.ENTITIES}), GapKind.FILE_REFUSED, "could define entities"),
    "second file of one name": (
        Made(NAME, raw=("junit.zip", archives.with_names_twice("junit.xml", junit(), junit()))),
        GapKind.FILE_REFUSED,
        "a second file of this name",
    ),
    "damage far inside an archive inside": (
        Made(NAME, {"logs.zip": archives.damaged_inside("junit.xml")}),
        GapKind.FILE_REFUSED,
        "damaged entry",
    ),
    "html page": (Made(NAME, {"junit.xml": archives.HTML}), GapKind.FILE_REFUSED, "html"),
    "empty file": (Made(NAME, {"junit.xml": b""}), GapKind.FILE_REFUSED, "empty"),
}


@pytest.mark.parametrize(("made", "kind", "told"), FAULTS.values(), ids=FAULTS.keys())
def test_bad_artifact_is_a_gap_and_the_other_job_is_told(
    pipeline: Pipeline, scene: Scene, made: Made, kind: GapKind, told: str
) -> None:
    bad = Ran("test (a)", made=(made,), conclusion="failure", prints=("##[error]exit code 1.",))
    scene.run(RUN, bad, Ran("test (b)", (PASSING, FAILING)))
    pipeline.deliver(RUN).drain()
    assert pipeline.dead() == []
    (gap,) = [gap for gap in pipeline.gaps(RUN) if gap.kind is kind]
    assert NAME in gap.subject
    assert told.lower() in gap.detail.lower()
    assert pipeline.lines(RUN).keys() == {"", FAILING.label}, "the red job without results stays red"
    (comment,) = pipeline.comments(REPO, PULL)
    assert comment.body.startswith("**2 failures")
    assert FAILING.name in comment.body
    _is_shown(pipeline, gap.subject, gap.detail)


def _is_shown(pipeline: Pipeline, *words: str) -> None:
    page = html.unescape(pipeline.page("/problems"))
    assert [word for word in words if word not in page] == []


def test_artifact_that_the_store_lost_is_a_gap(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(RUN, Ran("test (a)", (PASSING,)), Ran("test (b)", (FAILING,)))
    scene.state.faults.inject("/artifacts/5001", NO_BLOB)
    pipeline.deliver(RUN).drain()
    assert GapKind.ARTIFACT_GONE in {gap.kind for gap in pipeline.gaps(RUN)}
    assert pipeline.lines(RUN).keys() == {FAILING.label}
    _is_shown(pipeline, NAME)


def test_file_that_breaks_off_keeps_the_failures_before_the_break(pipeline: Pipeline, scene: Scene) -> None:
    cut = archives.cut_short(FAILING, PASSING, Case("test_never_read"))
    scene.run(RUN, Ran("test (a)", made=(Made(NAME, {"junit.xml": cut}),), conclusion="failure"))
    pipeline.deliver(RUN).drain()
    assert pipeline.lines(RUN).keys() == {FAILING.label}
    assert [gap.kind for gap in pipeline.gaps(RUN)] == [GapKind.FILE_PARTIAL]
    assert [gap.kind for gap in pipeline.verdict(RUN, FAILING.label).gaps] == [GapKind.FILE_PARTIAL]
    _is_shown(pipeline, f"{NAME}/junit.xml")


def test_log_that_is_gone_leaves_the_tree_unknown_and_the_failure_told(
    pipeline: Pipeline, scene: Scene
) -> None:
    scene.run(RUN, Ran("test (a)", (FAILING,), log=None), event="pull_request")
    pipeline.deliver(RUN).drain()
    verdict = pipeline.verdict(RUN, FAILING.label)
    assert {gap.kind for gap in verdict.gaps} == {GapKind.LOG_GONE, GapKind.TREE_UNKNOWN}
    assert verdict.whose is not Whose.NOT_YOURS
    (comment,) = pipeline.comments(REPO, PULL)
    assert "test (a)" in comment.body
    _is_shown(pipeline, *(gap.detail for gap in verdict.gaps))


def test_results_that_belong_to_no_job_are_told_all_the_same(pipeline: Pipeline, scene: Scene) -> None:
    both = Made("all-results", {"junit.xml": junit(FAILING)})
    scene.run(RUN, Ran("test (a)", made=(both,)), Ran("test (b)", conclusion="failure"))
    pipeline.deliver(RUN).drain()
    assert pipeline.lines(RUN)[FAILING.label].seen.job == "artifact all-results"
    (gap,) = [gap for gap in pipeline.gaps(RUN) if gap.kind is GapKind.RESULTS_UNATTRIBUTED]
    assert gap.subject == "all-results"
    (comment,) = pipeline.comments(REPO, PULL)
    assert FAILING.name in comment.body
    _is_shown(pipeline, gap.detail)


def test_run_without_any_artifact_is_read_from_its_log(pipeline: Pipeline, scene: Scene) -> None:
    prints = (
        "=================================== FAILURES ===================================",
        "_____________________________ test_total_is_right ______________________________",
        "",
        *(FAILING.fails or "").splitlines(),
        "=========================== short test summary info ============================",
        "FAILED tests/test_combine.py::test_total_is_right - assert 2 == 3",
        "============================== 1 failed in 0.12s ===============================",
    )
    scene.run(RUN, Ran("test (a)", conclusion="failure", prints=prints))
    before = pipeline.clock.now()
    pipeline.deliver(RUN).drain()
    assert (pipeline.clock.now() - before).total_seconds() < pipeline.deps.settings.artifact_wait_s
    assert [gap.kind for gap in pipeline.gaps(RUN)] == [GapKind.NO_RESULTS_FILE]
    (line,) = pipeline.lines(RUN).values()
    assert line.test.endswith("::test_total_is_right")
    assert "assert 2 == 3" in line.excerpt
    (comment,) = pipeline.comments(REPO, PULL)
    assert "no results file came from this job" in comment.body


def test_artifact_that_is_listed_late_is_waited_for(pipeline: Pipeline, scene: Scene) -> None:
    at = scene.clock.now()
    scene.run(RUN, Ran("test (a)", (FAILING,), made=()))
    pipeline.clock.at = at.replace(minute=1, second=6)  # a second after the run's end

    def list_it_after_the_first_try(_orders: list[Order]) -> int:
        if pipeline.tries == ["record_run", "fetch_artifacts"]:
            scene.artifact(RUN, Made(NAME, {"junit.xml": junit(FAILING)}), at=at)
        return 0

    pipeline.deliver(RUN).drain(choose=list_it_after_the_first_try)
    assert pipeline.tries.count("fetch_artifacts") == 2
    assert pipeline.gaps(RUN) == []
    assert pipeline.lines(RUN).keys() == {FAILING.label}


PASSING_TROUBLE: dict[str, tuple[str, tuple[Fault, ...], float]] = {
    "server error, twice": ("*/runs/1001/attempts/1", (SERVER_ERROR, SERVER_ERROR), 2 + 4),
    "secondary limit": ("*/runs/1001/artifacts", (SECONDARY_LIMIT,), 60),
    "limit that names a time": ("*/jobs/4002/logs", (too_many_requests(600),), 600),
    "download that breaks off": ("/artifacts/5001", (LOST_ANSWER,), 2),
    "log that breaks off": ("/logs/4002", (LOST_ANSWER,), 2),
    "comment whose answer is lost": ("*/issues/7/comments", (Fault(), LOST_ANSWER), 2),
}


@pytest.mark.parametrize(("path", "faults", "least_s"), PASSING_TROUBLE.values(), ids=PASSING_TROUBLE.keys())
def test_trouble_that_passes_is_waited_out_and_leaves_no_trace(
    pipeline: Pipeline, scene: Scene, path: str, faults: tuple[Fault, ...], least_s: float
) -> None:
    scene.run(RUN, Ran("test (a)", (PASSING, FAILING)))
    scene.state.faults.inject(path, *faults)
    before = pipeline.clock.now()
    pipeline.deliver(RUN).drain()
    assert least_s <= (pipeline.clock.now() - before).total_seconds() < 2 * least_s + 1
    assert pipeline.gaps(RUN) == []
    assert pipeline.lines(RUN).keys() == {FAILING.label}
    assert len(pipeline.comments(REPO, PULL)) == 1
    assert pipeline.stand_in.duplicate_effects == 0


def test_trouble_that_stays_is_a_dead_letter_and_other_runs_go_on(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(RUN, Ran("test (a)", (FAILING,)))
    scene.run(1002, Ran("test (a)", (failing("test_other"),)))
    scene.state.faults.inject("*/runs/1001/attempts/1", SERVER_ERROR, times=50)
    pipeline.deliver(RUN, 1002).drain()
    assert pipeline.tries.count("record_run") == pipeline.deps.settings.max_tries + 1
    (error,) = pipeline.dead()
    assert error is not None
    assert "GitHub answered 500" in error
    assert len(pipeline.comments(REPO, PULL)) == 1
    _is_shown(pipeline, error)


def test_runs_of_a_time_in_which_github_refused_the_token_go_on_by_themselves(
    pipeline: Pipeline, scene: Scene
) -> None:
    scene.run(RUN, Ran("test (a)", (FAILING,)))
    scene.state.faults.inject("/repos/*", BAD_CREDENTIALS, times=20)
    shown: list[str] = []

    def look(_orders: Sequence[Order]) -> int:
        if not shown and len(pipeline.tries) == 4:
            shown.extend((pipeline.page("/problems"), pipeline.page("/")))
        return 0

    started_at = scene.clock.now()
    pipeline.deliver(RUN).drain(choose=look)
    assert pipeline.dead() == []
    assert len(pipeline.comments(REPO, PULL)) == 1
    assert pipeline.tries.count("record_run") == 20 + 1
    assert scene.clock.now() - started_at > timedelta(hours=4)
    assert all(page.count("GitHub refuses us since ") == 1 for page in shown)
    assert "1 task waits" in shown[0]
    assert "GitHub refuses us" not in pipeline.page("/problems")
