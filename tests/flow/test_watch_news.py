"""What `watch` tells: each thing once, in sentences for people and in records for programs."""

from dataclasses import replace
from datetime import timedelta

import pytest
from pipeline import Pipeline
from scene import BASE, FAILING, ON_MAIN, PASSING, PULL, REPO, Ran, Scene

from app.domain.ids import RepoName
from app.domain.verdict import EvidenceKind, EvidenceStrength, Kind, Reason, Strength, Verdict, Whose
from app.standin import faults
from app.store import tasks
from app.store.outbox import Order
from app.store.session import read_only, unit_of_work
from worker.commands.watch_news import News, Newsroom, _telling
from worker.watching.look import look_if_due

JOB = "test (3.12)"
RED = Ran(JOB, (PASSING, FAILING))


@pytest.fixture
def room(pipeline: Pipeline) -> Newsroom:
    settings = pipeline.deps.settings.model_copy(update={"post": False, "first_look_runs": 2})
    pipeline.deps = replace(pipeline.deps, settings=settings)
    with read_only(pipeline.deps.store) as session:
        return Newsroom(session, [RepoName("ACME/gefen")], begins_at=pipeline.clock.now())


def look(pipeline: Pipeline) -> None:
    assert look_if_due(pipeline.deps, RepoName(REPO))


def news(room: Newsroom, pipeline: Pipeline) -> list[News]:
    with read_only(pipeline.deps.store) as session:
        return [
            *room.since_last(session, now=pipeline.clock.now()),
            *room.reports(session),
        ]


def kinds(told: list[News]) -> list[str]:
    return [one.record["event"] for one in told]


def test_a_run_is_told_from_its_finding_to_its_report_and_once(
    pipeline: Pipeline, scene: Scene, room: Newsroom
) -> None:
    scene.run(1001, RED, event="pull_request")
    assert news(room, pipeline) == []
    look(pipeline)
    (found,) = news(room, pipeline)
    assert found.sentence == "acme/gefen: 1 run listed, reading 1"
    pipeline.drain()
    told = news(room, pipeline)
    assert kinds(told) == ["run", "verdict", "report"]
    run, verdict, report = told
    assert run.sentence == (
        "acme/gefen: run 1001 of tests (pull_request, pull request #7): failure, 1 failure"
    )
    assert verdict.sentence.startswith(f"  run 1001: {FAILING.label}: new-failure (suspected), whose: ")
    assert report.sentence.startswith(
        f"\nacme/gefen: comment on pull request #{PULL} (kept here, not posted):"
    )
    assert report.record["posted"] is False
    assert news(room, pipeline) == []
    assert room.runs_told == 1


def test_report_changed_while_posting_is_off_is_told_as_kept_though_an_older_one_was_posted(
    pipeline: Pipeline, scene: Scene, room: Newsroom
) -> None:
    post(pipeline, on=True)
    scene.run(1001, RED, event="pull_request")
    scene.run(1002, RED, head=BASE, branch="main")
    pipeline.deliver(1001, 1002).drain()
    assert fates(news(room, pipeline)) == {("posted", True)}
    post(pipeline, on=False)
    scene.run(1001, Ran(JOB, (PASSING,)), event="pull_request", attempt=2)
    scene.run(
        1003, Ran(JOB, (PASSING, FAILING, replace(FAILING, name="test_more"))), head=ON_MAIN, branch="main"
    )
    pipeline.deliver(1001, 1003).drain()
    assert fates(news(room, pipeline)) == {("kept here, not posted", False)}


def post(pipeline: Pipeline, *, on: bool) -> None:
    settings = pipeline.deps.settings.model_copy(update={"post": on})
    pipeline.deps = replace(pipeline.deps, settings=settings)


def fates(told: list[News]) -> set[tuple[str, bool]]:
    """Of a comment and an alert: as people are told, and as programs are."""
    found = [one for one in told if one.record["event"] == "report"]
    assert {one.record["branch"] for one in found} == {None, "main"}
    return {(one.sentence.partition("(")[2].partition(")")[0], one.record["posted"]) for one in found}


def test_what_is_left_unread_is_counted(pipeline: Pipeline, scene: Scene, room: Newsroom) -> None:
    for number in range(1001, 1006):
        scene.run(number, RED)
    look(pipeline)
    (found,) = news(room, pipeline)
    assert found.sentence.endswith(
        "5 runs listed, reading 2, the default branch and pull requests first; 3 more not read"
    )
    assert (found.record["reading"], found.record["unread"]) == (2, 3)


def test_second_watch_of_a_red_main_tells_of_what_is_known(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, RED, head=BASE, branch="main")
    look(pipeline)
    pipeline.drain()
    pipeline.clock.advance(seconds=600)
    with read_only(pipeline.deps.store) as session:
        again = Newsroom(session, [RepoName(REPO)], begins_at=pipeline.clock.now())
    look(pipeline)
    (found,) = news(again, pipeline)
    assert found.sentence == ("acme/gefen: nothing new; 1 run known from before; the alert on main is open")


@pytest.mark.parametrize("kind", [Kind.UNDECIDED, Kind.NEW_FAILURE])
def test_of_what_is_undecided_the_reason_told_is_what_is_missing(kind: Kind) -> None:
    weak = EvidenceStrength.WEAK
    reasons = (
        Reason(EvidenceKind.BASE_STATE, weak, "Main passed it."),
        Reason(EvidenceKind.NOT_EXCLUDED, weak, "Still missing: a pass."),
    )
    verdict = Verdict(kind, Strength.SUSPECTED, Whose.UNKNOWN, reasons, (), opaque=False, policy_version="1")
    told = "Still missing: a pass." if kind is Kind.UNDECIDED else "Main passed it."
    assert _telling(verdict) == f" - {told}"


def test_looks_that_find_nothing_are_told_once_only(pipeline: Pipeline, room: Newsroom, scene: Scene) -> None:
    assert scene.state.repository(REPO)
    for expected in (["look"], []):
        pipeline.clock.advance(seconds=600)
        look(pipeline)
        assert kinds(news(room, pipeline)) == expected


def test_repeated_run_of_a_job_without_a_test_is_named_by_its_job(
    pipeline: Pipeline, scene: Scene, room: Newsroom
) -> None:
    scene.run(1001, Ran(JOB, conclusion="failure"), head=BASE, branch="main")
    scene.run(1001, Ran(JOB, conclusion="failure"), head=BASE, branch="main", attempt=2)
    look(pipeline)
    pipeline.drain()
    told = [one.sentence for one in news(room, pipeline)]
    assert any("run 1001, attempt 2 of tests (push, main): failure" in one for one in told)
    assert any(one.startswith(f"  run 1001, attempt 2: {JOB} (no test named): ") for one in told)
    (alert,) = [one for one in told if "alert on main, open" in one]
    assert "more lines on the page of reports" not in alert or alert.count("\n  | ") == 41


def test_trouble_and_a_long_wait_are_told_once_with_their_reason(
    pipeline: Pipeline, scene: Scene, room: Newsroom
) -> None:
    scene.run(1001, RED)
    broken = pipeline.stand_in.state.faults
    broken.inject("/repos/acme/gefen", faults.answer(404, "Not Found"))
    look(pipeline)
    (trouble,) = news(room, pipeline)
    assert "misspelt" in trouble.sentence
    assert trouble.record["trouble"] == "gone"
    for wait_s in (5, 1800):
        make_wait(pipeline, f"record:1:{wait_s}:1", seconds=wait_s)
        told = news(room, pipeline)
        assert kinds(told) == (["wait"] if wait_s > 60 else [])
    assert told[0].sentence == "waits until 12:31 UTC: too many requests"
    assert news(room, pipeline) == []


def make_wait(pipeline: Pipeline, key: str, *, seconds: float) -> None:
    now = pipeline.clock.now()
    with unit_of_work(pipeline.deps.store) as session:
        tasks.note_once(session, [Order(key, "record_run", {"schema": 1})], at=now)
        started = tasks.begin_try(session, key, number=1, at=now)
        assert started is not None
        again = now + timedelta(seconds=seconds)
        tasks.wait(
            session, started.key, at=now, next_at=again, family="unavailable", error="too many requests"
        )


def test_old_name_is_told_with_the_new_one(pipeline: Pipeline, scene: Scene, room: Newsroom) -> None:
    settings = pipeline.deps.settings.model_copy(update={"repositories": REPO})
    pipeline.deps = replace(pipeline.deps, settings=settings)
    scene.run(1001, RED)
    scene.state.rename_repository(REPO, "acme/renamed")
    look(pipeline)
    (found,) = news(room, pipeline)
    assert "it is called acme/renamed today" in found.sentence
