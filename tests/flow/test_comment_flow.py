"""The comment on a pull request: when there is one, when it changes, and that there is never a second."""

import pytest
from fixtures_github import ManualClock
from pipeline import Pipeline
from scene import BRANCH, FAILING, HEAD, LINT, NEXT, ON_MAIN, PASSING, PULL, REPO, Case, Ran, Scene, failing

from app.domain.ids import RepoName
from app.domain.marker import comment_marker
from app.standin.faults import answer
from app.standin.server import StandIn
from app.standin.talk import CommentRecord
from app.store import tasks
from app.store.session import read_only
from app.store.tasks import TaskState

RED = Ran("test (a)", (PASSING, FAILING))
GREEN = Ran("test (a)", (PASSING, Case(FAILING.name)))
OTHER_RED = Ran("test (a)", (failing("test_parts_are_kept", expected=5),))


def first_line(comment: CommentRecord) -> str:
    return comment.body.partition("\n")[0]


def test_pull_request_that_was_only_ever_green_gets_no_comment(pipeline: Pipeline, scene: Scene) -> None:
    runs = [scene.run(1, GREEN), scene.run(2, GREEN, event="pull_request")]
    pipeline.deliver(*runs).drain()
    assert pipeline.tries.count("publish_comment") == 2
    assert pipeline.comments(REPO, PULL) == []


def test_red_push_run_at_its_head_makes_a_pull_request_red(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, GREEN, event="pull_request"), scene.run(2, RED, pulls=())).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert first_line(comment).startswith("**1 failure")
    assert "run 2" in comment.body


def test_reports_name_the_run_that_led_to_them_for_the_log(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED, event="pull_request")).drain()
    pipeline.deliver(scene.run(2, RED, head=ON_MAIN, branch="main")).drain()
    with read_only(pipeline.deps.store) as session:
        done = tasks.newest(session, state=TaskState.DONE, limit=100)
    named = {(one.stage, one.payload["run"]) for one in done if one.stage.startswith("publish_")}
    assert {("publish_comment", 1), ("publish_alert", 2)} <= named


def test_equal_facts_lead_to_no_second_write(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    writes = len(pipeline.stand_in.writes)
    pipeline.deliver(1).deliver(1).drain()
    assert pipeline.tries.count("record_run") == 3
    pipeline.publish_again(1)
    assert len(pipeline.stand_in.writes) == writes == 1


def test_deleted_comment_is_made_again_on_the_next_change_only(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    scene.state.delete_comment(REPO, comment.id, author="ann", at=scene.clock.now())
    pipeline.publish_again(1)
    assert pipeline.comments(REPO, PULL) == []
    pipeline.deliver(scene.run(2, Ran("lint", (failing("test_style"),)), workflow=LINT)).drain()
    (again,) = pipeline.comments(REPO, PULL)
    assert first_line(again).startswith("**2 failures")
    assert pipeline.stand_in.duplicate_effects == 0


def test_comment_deleted_while_it_is_edited_is_made_again(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    scene.state.faults.inject(f"*/issues/comments/{comment.id}", answer(404, "Not Found"), method="PATCH")
    pipeline.deliver(scene.run(2, Ran("lint", (failing("test_style"),)), workflow=LINT)).drain()
    assert pipeline.dead() == []
    assert first_line(pipeline.comments(REPO, PULL)[-1]).startswith("**2 failures")


def test_comment_by_a_person_that_copies_our_marker_is_never_edited(pipeline: Pipeline, scene: Scene) -> None:
    copied = f"me too\n\n{comment_marker(RepoName(REPO), PULL)}"
    scene.state.add_comment(REPO, PULL, copied, author="mallory", at=scene.clock.now())
    pipeline.deliver(scene.run(1, RED)).drain()
    pipeline.deliver(scene.run(2, Ran("lint", (failing("test_style"),)), workflow=LINT)).drain()
    theirs, ours = pipeline.comments(REPO, PULL)
    assert (theirs.author, theirs.body) == ("mallory", copied)
    assert first_line(ours).startswith("**2 failures")
    assert pipeline.stand_in.duplicate_effects == 0


def test_second_comment_left_by_a_frozen_worker_is_taken_away(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    (ours,) = pipeline.comments(REPO, PULL)
    scene.state.add_comment(REPO, PULL, ours.body, author=scene.state.login, at=scene.clock.now())
    pipeline.deliver(scene.run(2, Ran("lint", (failing("test_style"),)), workflow=LINT)).drain()
    (left,) = pipeline.comments(REPO, PULL)
    assert left.id == ours.id
    assert first_line(left).startswith("**2 failures")


def test_pull_request_of_a_fork_is_found_by_owner_and_branch(
    stand_in: StandIn, github_clock: ManualClock, pipeline: Pipeline
) -> None:
    scene = Scene(stand_in.state, github_clock, from_fork=True)
    run = scene.run(1, RED, event="pull_request", from_fork=True)
    assert stand_in.state.run(REPO, run).pulls == (), "GitHub names no pull request of a fork's run"
    pipeline.deliver(run).drain()
    assert pipeline.attempt(run).pull == PULL
    assert len(pipeline.comments(REPO, PULL)) == 1


def test_run_of_a_branch_without_pull_request_is_told_nobody(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED, branch="wip", head=NEXT, pulls=())).drain()
    assert pipeline.lines(1).keys() == {FAILING.label}
    assert pipeline.attempt(1).pull is None
    assert pipeline.stand_in.writes == []


def test_attempt_that_passes_turns_the_comment_green(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    pipeline.deliver(scene.run(1, GREEN, attempt=2), attempt=2).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert first_line(comment).startswith("**Green again**")
    assert FAILING.name in comment.body, "what went away without a mend may come back"


def test_partial_rerun_keeps_the_other_job_and_counts_its_failure_once(
    pipeline: Pipeline, scene: Scene
) -> None:
    started = scene.clock.now()
    kept = failing("test_kept", expected=9)
    scene.run(1, RED, Ran("test (b)", (kept,)))
    pipeline.deliver(1).drain()
    scene.run(1, GREEN, attempt=2, conclusion="failure")
    scene.add_job(1, 2, 4990, Ran("test (b)", conclusion="failure"), at=started)
    pipeline.deliver(1, attempt=2).drain()
    assert pipeline.lines(1).keys() == {kept.label}
    (comment,) = pipeline.comments(REPO, PULL)
    assert first_line(comment).startswith("**1 failure")
    assert pipeline.counted(kept.label) == (1, 1)
    assert pipeline.counted(FAILING.label) == (2, 1)


def test_run_cancelled_by_a_newer_push_is_not_told_as_a_failure(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1, Ran("test (a)", conclusion="cancelled"), conclusion="cancelled")
    scene.state.push_to_pull(REPO, PULL, NEXT)
    scene.state.set_branch(REPO, BRANCH, NEXT)
    pipeline.deliver(1, scene.run(2, GREEN, head=NEXT)).drain()
    assert pipeline.lines(1) == {}
    assert pipeline.stand_in.writes == []


def test_cancelled_run_is_not_good_news_for_a_red_pull_request(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    scene.run(1, Ran("test (a)", conclusion="cancelled"), attempt=2, conclusion="cancelled")
    pipeline.deliver(1, attempt=2).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert "Green again" not in comment.body


def test_newer_green_run_of_the_same_workflow_turns_the_comment_green(
    pipeline: Pipeline, scene: Scene
) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    pipeline.deliver(scene.run(2, GREEN)).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert first_line(comment).startswith("**Green again**")
    assert FAILING.name in comment.body


def test_green_workflow_is_not_good_news_while_another_was_only_cut_off(
    pipeline: Pipeline, scene: Scene
) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    cut_off = scene.run(2, Ran("lint", conclusion="cancelled"), conclusion="cancelled", workflow=LINT)
    pipeline.deliver(cut_off).drain()
    pipeline.deliver(scene.run(1, GREEN, attempt=2), attempt=2).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert not first_line(comment).startswith("**Green again**")


def test_push_to_a_red_pull_request_tells_of_the_new_head(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED, event="pull_request")).drain()
    scene.state.push_to_pull(REPO, PULL, NEXT)
    scene.state.set_branch(REPO, BRANCH, NEXT)
    pipeline.deliver(scene.run(2, OTHER_RED, head=NEXT)).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert NEXT[:7] in comment.body
    assert FAILING.name not in comment.body


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_comment_is_the_same_whichever_run_is_heard_of_first(
    pipeline: Pipeline, scene: Scene, order: tuple[int, int]
) -> None:
    scene.run(1, RED)
    scene.run(2, GREEN, event="pull_request")
    for run in order:
        pipeline.deliver(run).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert first_line(comment) == "**1 failure, may be yours**: a likely flake"
    assert HEAD[:7] in comment.body


def test_comment_whose_marker_a_person_took_away_is_edited_and_no_second_is_made(
    pipeline: Pipeline, scene: Scene
) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    (ours,) = pipeline.comments(REPO, PULL)
    scene.state.edit_comment(REPO, ours.id, "I know, I know.", author="ann", at=scene.clock.now())
    pipeline.deliver(scene.run(2, Ran("lint", (failing("test_style"),)), workflow=LINT)).drain()
    (left,) = pipeline.comments(REPO, PULL)
    assert left.id == ours.id
    assert first_line(left).startswith("**2 failures")
    assert left.body.rstrip().endswith(comment_marker(RepoName(REPO), PULL))


def test_attempt_whose_delivery_was_lost_is_recorded_for_the_jobs_that_were_not_repeated(
    pipeline: Pipeline, scene: Scene
) -> None:
    started = scene.clock.now()
    kept = failing("test_kept", expected=9)
    scene.run(1, RED, Ran("test (b)", (kept,)))
    scene.run(1, GREEN, attempt=2, conclusion="failure")
    scene.add_job(1, 2, 4990, Ran("test (b)", conclusion="failure"), at=started)
    pipeline.deliver(1, attempt=2).drain()
    assert pipeline.tries.count("record_run") == 2
    (comment,) = pipeline.comments(REPO, PULL)
    assert first_line(comment).startswith("**1 failure")
    assert kept.name in comment.body
    pipeline.deliver(1, attempt=1).drain()
    assert pipeline.counted(kept.label) == (1, 1)


def test_red_job_that_only_the_second_attempt_lists_is_kept_whenever_it_began(
    pipeline: Pipeline, scene: Scene
) -> None:
    started = scene.clock.now()
    scene.run(1, RED)
    scene.run(1, GREEN, attempt=2, conclusion="failure")
    scene.add_job(1, 2, 4990, Ran("test (b)", conclusion="failure"), at=started)
    pipeline.deliver(1, attempt=2).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert "test (b)" in comment.body


def test_every_failure_is_counted_and_superseded_ones_take_no_room(pipeline: Pipeline, scene: Scene) -> None:
    many = tuple(failing(f"test_{number:04}", expected=number) for number in range(1100))
    pipeline.deliver(scene.run(1, Ran("test (a)", many), Ran("test (b)", many[:3]))).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert first_line(comment).startswith("**1103 failures")
    scene.run(1, Ran("test (a)", many), attempt=2)
    pipeline.deliver(1, attempt=2).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert first_line(comment).startswith("**1103 failures")


def test_failures_of_a_job_that_passed_all_the_same_are_mentioned_where_there_is_a_comment(
    pipeline: Pipeline, scene: Scene
) -> None:
    allowed = Ran("lint", (failing("test_style"),), conclusion="success")
    pipeline.deliver(scene.run(1, allowed, workflow=LINT)).drain()
    assert pipeline.comments(REPO, PULL) == []
    pipeline.deliver(scene.run(2, RED)).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert first_line(comment).startswith("**1 failure")
    assert "Failed in jobs that passed all the same" in comment.body
    assert "test_style" in comment.body
