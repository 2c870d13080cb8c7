"""A replay that a job uploads becomes evidence: a cause named, a flake confirmed, and nothing excused."""

import json
from collections.abc import Mapping

import pytest
from fixtures_bundle import SENTENCE, TEST, bundle, report
from fixtures_github import ManualClock
from pipeline import Pipeline
from scene import ELSEWHERE, FAILING, PASSING, PULL, REPO, Case, Made, Ran, Scene, junit
from selectolax.lexbor import LexborHTMLParser

from app.domain.gap import GapKind
from app.domain.verdict import EvidenceKind, Kind, Strength, Whose
from app.standin.server import StandIn
from app.store import replays
from app.store.session import read_only
from app.store.verdict_list import listed
from worker.commands.verdict_records import listed_record

JUNIT = Made("junit-test (a)", {"junit.xml": junit(PASSING, FAILING)})
HOSTILE = "<img src=x onerror=alert(1)> @everyone [x](//evil) \u202e\x1b[31m ::error::"


def replayed(files: Mapping[str, bytes] | None = None, **more: object) -> Ran:
    made = Made("replay-test (a)", bundle() if files is None else files, **more)
    return Ran("test (a)", made=(JUNIT, made), conclusion="failure")


def reasons(pipeline: Pipeline, run: int, kind: EvidenceKind) -> list[str]:
    return [one.text for one in pipeline.verdict(run, FAILING.label).reasons if one.kind is kind]


def test_a_likely_flake_is_confirmed_and_its_cause_is_told_everywhere(
    pipeline: Pipeline, scene: Scene
) -> None:
    scene.run(1, replayed())
    scene.run(2, Ran("test (a)", (PASSING, Case(FAILING.name))), event="pull_request")
    pipeline.deliver(1, 2).drain()
    verdict = pipeline.verdict(1, FAILING.label)
    assert (verdict.kind, verdict.strength, verdict.whose) == (Kind.FLAKY, Strength.CONFIRMED, Whose.UNKNOWN)
    assert verdict.cause == "rank-exception"
    (comment,) = pipeline.comments(REPO, PULL)
    assert "confirmed flake" in comment.body
    assert f"**Cause by a replay in this job:** rank-exception: {SENTENCE}" in comment.body
    with read_only(pipeline.deps.store) as session:
        newest = [listed_record(one) for one in listed(session, latest=True)]
    assert [one["cause"] for one in newest] == ["rank-exception"]
    page = pipeline.page(f"/failures/{newest[0]['failure']}")
    assert SENTENCE in page
    assert "It can confirm a flake; it excuses nothing." in page
    assert "RuntimeError: lost the lease" in page
    assert "cause: <span" in pipeline.page(f"/runs/{pipeline.attempt(1).id}")


def test_trials_are_no_results_of_the_job(pipeline: Pipeline, scene: Scene) -> None:
    everything = {**bundle(folder="replay/"), "junit.xml": junit(PASSING, FAILING)}
    scene.run(1, Ran("test (a)", made=(Made("all", everything),), conclusion="failure"))
    pipeline.deliver(1).drain()
    assert pipeline.counted("tests.test_combine::test_only_in_a_trial") == (0, 0)
    assert set(pipeline.lines(1)) == {FAILING.label}
    assert pipeline.verdict(1, FAILING.label).cause == "rank-exception"
    assert not reasons(pipeline, 1, EvidenceKind.RANK_LOG)


def test_what_a_forks_job_says_is_marked_and_confirms_nothing(
    stand_in: StandIn, pipeline: Pipeline, github_clock: ManualClock
) -> None:
    scene = Scene(stand_in.state, github_clock, from_fork=True)
    scene.run(1, replayed(), from_fork=True)
    scene.run(2, Ran("test (a)", (PASSING, Case(FAILING.name))), event="pull_request", from_fork=True)
    pipeline.deliver(1, 2).drain()
    verdict = pipeline.verdict(1, FAILING.label)
    assert (verdict.kind, verdict.strength, verdict.whose) == (Kind.FLAKY, Strength.LIKELY, Whose.UNKNOWN)
    assert verdict.cause == "rank-exception"
    (said,) = reasons(pipeline, 1, EvidenceKind.REPLAY)
    assert "the job's own word" in said
    (comment,) = pipeline.comments(REPO, PULL)
    assert "**Cause by a replay in this job, by the job's own word:** rank-exception" in comment.body


def test_a_replay_excuses_no_other_pull_request_either(pipeline: Pipeline, scene: Scene) -> None:
    """It is about the failure of its own job, and what excuses is the failure elsewhere, as before."""
    scene.run(1, Ran("test (a)", (PASSING, FAILING)), head=ELSEWHERE, branch="other", pulls=())
    scene.run(2, replayed(bundle(report(verdict="deterministic", failed=6, passed=0))))
    pipeline.deliver(1, 2).drain()
    with_replay, without = pipeline.verdict(2, FAILING.label), pipeline.verdict(1, FAILING.label)
    assert with_replay.whose is Whose.NOT_YOURS
    assert without.cause is None
    assert not [one for one in without.reasons if one.kind is EvidenceKind.REPLAY]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (bundle() | {"001/junit.xml": b"<other/>"}, "001/junit.xml is not what was sealed"),
        (bundle() | {"manifest.json": b"{"}, "not one that flake-triage writes"),
        (bundle(report(passed=0)), "its trials do not bear out confirmed-flake"),
    ],
)
def test_a_damaged_or_lying_bundle_is_a_gap_and_no_evidence(
    pipeline: Pipeline, scene: Scene, files: Mapping[str, bytes], reason: str
) -> None:
    scene.run(1, replayed(files))
    pipeline.deliver(1).drain()
    (gap,) = [one for one in pipeline.gaps(1) if one.kind is GapKind.BUNDLE_REFUSED]
    assert (gap.subject, reason in gap.detail) == ("replay-test (a)", True)
    verdict = pipeline.verdict(1, FAILING.label)
    assert gap in verdict.gaps
    assert verdict.cause is None
    assert reasons(pipeline, 1, EvidenceKind.REPLAY) == []
    assert pipeline.counted("tests.test_combine::test_only_in_a_trial") == (0, 0)


def test_an_expired_bundle_is_a_gap(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1, replayed(expired=True))
    pipeline.deliver(1).drain()
    assert GapKind.ARTIFACT_EXPIRED in {one.kind for one in pipeline.gaps(1)}
    assert pipeline.verdict(1, FAILING.label).cause is None


def test_a_bundle_of_another_job_says_nothing_of_this_one(pipeline: Pipeline, scene: Scene) -> None:
    other = Made("replay-test (b)", bundle())
    scene.run(
        1,
        Ran("test (a)", (PASSING, FAILING)),
        Ran("test (b)", made=(Made("junit-test (b)", {"junit.xml": junit(PASSING)}), other)),
    )
    pipeline.deliver(1).drain()
    assert pipeline.verdict(1, FAILING.label).cause is None
    run = pipeline.page(f"/runs/{pipeline.attempt(1).id}")
    assert "Replays in its jobs" in run


@pytest.mark.parametrize("also_fails", [False, True])
def test_a_bundle_of_no_known_job_is_about_the_only_failure_of_its_test(
    pipeline: Pipeline, scene: Scene, *, also_fails: bool
) -> None:
    other = (PASSING, FAILING) if also_fails else (PASSING,)
    scene.run(
        1,
        Ran("test (a)", (PASSING, FAILING), made=None),
        Ran("test (b)", other),
        Ran("c", made=(Made("x", bundle()),)),
    )
    pipeline.deliver(1).drain()
    with read_only(pipeline.deps.store) as session:
        (arrived,) = replays.of_attempt(session, pipeline.attempt(1).id)
        newest = {one.job: one.verdict.cause for one in listed(session, latest=True)}
    assert arrived.job is None
    expected = {"test (a)": None, "test (b)": None} if also_fails else {"test (a)": "rank-exception"}
    assert newest == expected


def test_a_bundle_is_of_the_job_on_whose_runner_it_was_made(pipeline: Pipeline, scene: Scene) -> None:
    """As the workflow that we print names artifacts: by place in the matrix, which GitHub does not tell."""
    about = json.dumps({"github run_id": "1", "github run_attempt": "1", "github runner_name": "GHA 2"})
    files = bundle(more={"about.json": about.encode()})
    made = (
        Made("junit-test (2)", {"junit.xml": junit(PASSING, FAILING)}),
        Made("flake-triage-test-1-1", files),
    )
    red = Ran("test (1)", (PASSING, FAILING))
    scene.run(1, red, Ran("test (2)", made=made, conclusion="failure"))
    for job in scene.state.jobs.values():
        job.runner = "GHA 2" if job.name == "test (2)" else "GHA 1"
    pipeline.deliver(1).drain()
    with read_only(pipeline.deps.store) as session:
        newest = {one.job: one.verdict.cause for one in listed(session, latest=True)}
    assert newest == {"test (1)": None, "test (2)": "rank-exception"}


def test_hostile_text_of_a_bundle_does_nothing(pipeline: Pipeline, scene: Scene) -> None:
    cause = report()["cause"] | {
        "sentence": HOSTILE,
        "exception": {"type": "E" + HOSTILE, "message": HOSTILE * 50},
    }
    held = {"by": HOSTILE, "cpus": HOSTILE, "memory": HOSTILE, "isolation": HOSTILE}
    told = report(cause=cause, sentence=HOSTILE, limits={"arms": {"plain": {"held": held}}})
    scene.run(1, replayed(bundle(told, more={HOSTILE.replace("/", "_"): b""} | {"x.txt": b"x"})))
    pipeline.deliver(1).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert "@everyone" not in comment.body
    assert "<img" not in comment.body
    with read_only(pipeline.deps.store) as session:
        (one,) = listed(session, latest=True)
    for path in (f"/failures/{one.failure}", f"/runs/{pipeline.attempt(1).id}"):
        text = pipeline.page(path)
        page = LexborHTMLParser(text)
        assert page.css("img, [onerror]") == []
        assert "\u202e" not in text
        assert "\x1b" not in text
        assert "onerror=alert(1)" in (page.css_first("#replays") or page).text()


def test_telling_it_twice_keeps_one_replay(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1, replayed())
    pipeline.deliver(1, 1).drain(twice=True)
    with read_only(pipeline.deps.store) as session:
        found = replays.of_attempt(session, pipeline.attempt(1).id)
    assert [(one.claim.test, one.own_word, len(one.manifest)) for one in found] == [(TEST, False, 64)]
