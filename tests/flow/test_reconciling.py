"""Runs that no webhook told of are found in the list of runs, and nothing is read twice because of it."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from pipeline import Pipeline
from scene import BASE, FAILING, LINT, ON_MAIN, PASSING, PULL, REPO, Ran, Scene
from sqlalchemy import select
from stored_facts import stored_facts

from app.domain.ids import RepoName
from app.domain.look_trouble import LookTrouble
from app.standin import faults
from app.store import tasks, watch
from app.store.repos import RepoRow
from app.store.runs import AttemptRow, RunRow
from app.store.session import read_only, unit_of_work
from app.store.tasks import TaskState
from app.store.watch import Watched
from worker.watching import look
from worker.watching.look import Bounds
from worker.watching.reconciler import Reconciler

LISTS = "GET /repos/acme/gefen/actions/runs"
JOB = "test (3.12)"
RED = Ran(JOB, (PASSING, FAILING))
GREEN = Ran(JOB, (PASSING,))


def set_up(pipeline: Pipeline, **settings: object) -> None:
    changed = pipeline.deps.settings.model_copy(update=settings)
    pipeline.deps = replace(pipeline.deps, settings=changed)


def look_at(
    pipeline: Pipeline, name: str = REPO, *, after_s: float = 0, bounds: Bounds = look.USUAL
) -> Watched:
    """One look, when the clock has gone on so far, and everything that it ordered."""
    pipeline.clock.advance(seconds=after_s)
    assert look.look_if_due(pipeline.deps, RepoName(name), bounds=bounds)
    pipeline.drain()
    return watched(pipeline, name)


def watched(pipeline: Pipeline, name: str = REPO) -> Watched:
    with read_only(pipeline.deps.store) as session:
        return next(one for one in watch.listed(session) if one.key == name.lower())


def recorded(pipeline: Pipeline) -> list[tuple[int, int]]:
    statement = (
        select(RunRow.github_id, AttemptRow.number)
        .join(AttemptRow, AttemptRow.run_id == RunRow.id)
        .order_by(RunRow.github_id, AttemptRow.number)
    )
    with read_only(pipeline.deps.store) as session:
        return [(run, attempt) for run, attempt in session.execute(statement)]


def asked(pipeline: Pipeline, what: str) -> int:
    return sum(request == what or request.startswith(f"{what}?") for request in pipeline.stand_in.requests)


def asked_for_run(pipeline: Pipeline, run: int) -> int:
    return asked(pipeline, f"GET /repos/acme/gefen/actions/runs/{run}/attempts/1")


def test_run_without_webhook_is_found_and_told(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, RED, event="pull_request")
    assert look_at(pipeline).seen.ordered == 1
    assert recorded(pipeline) == [(1001, 1)]
    (comment,) = pipeline.comments(REPO, PULL)
    assert "test_total_is_right" in comment.body


def test_webhook_after_the_look_reads_nothing_again(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, RED, event="pull_request")
    look_at(pipeline)
    before, requests = stored_facts(pipeline.deps.store), asked_for_run(pipeline, 1001)
    pipeline.deliver(1001).drain()
    assert stored_facts(pipeline.deps.store) == before
    assert asked_for_run(pipeline, 1001) == requests == 1
    assert pipeline.stand_in.duplicate_effects == 0


def test_look_after_the_webhook_orders_nothing(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, RED, event="pull_request")
    pipeline.deliver(1001).drain()
    before = stored_facts(pipeline.deps.store)
    assert look_at(pipeline).seen.ordered == 0
    assert stored_facts(pipeline.deps.store) == before
    assert asked_for_run(pipeline, 1001) == 1


@pytest.mark.parametrize("first", ["delivery", "look"])
def test_webhook_and_look_that_meet_before_either_is_read_come_to_the_same(
    pipeline: Pipeline, scene: Scene, first: str
) -> None:
    scene.run(1001, RED, event="pull_request")
    pipeline.deliver(1001)
    assert look.look_if_due(pipeline.deps, RepoName(REPO))

    def choose(orders: Sequence[object]) -> int:
        return 0 if first == "delivery" else len(orders) - 1

    pipeline.drain(choose=choose)
    assert recorded(pipeline) == [(1001, 1)]
    assert asked_for_run(pipeline, 1001) == 1
    assert len(pipeline.comments(REPO, PULL)) == 1
    assert pipeline.stand_in.duplicate_effects == 0


def test_unchanged_list_costs_one_answer_without_runs(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, GREEN)
    first = look_at(pipeline)
    assert not look.look_if_due(pipeline.deps, RepoName(REPO)), "it is not due yet"
    again = look_at(pipeline, after_s=300)
    assert (first.seen.found, again.seen.found, again.seen.etags) == (1, 0, first.seen.etags)
    assert asked(pipeline, LISTS) == 2
    scene.run(1002, GREEN)
    assert look_at(pipeline, after_s=300).seen.ordered == 1


def test_repeated_run_is_found_by_its_higher_attempt(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, RED)
    look_at(pipeline)
    scene.run(1001, GREEN, attempt=2)
    look_at(pipeline, after_s=300)
    assert recorded(pipeline) == [(1001, 1), (1001, 2)]


def test_all_attempts_of_a_run_that_was_never_heard_of_are_read(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, RED)
    scene.run(1001, RED, attempt=2)
    scene.run(1001, GREEN, attempt=3)
    look_at(pipeline)
    assert recorded(pipeline) == [(1001, 1), (1001, 2), (1001, 3)]


def test_rerun_of_an_old_run_is_found_by_a_deeper_look(pipeline: Pipeline, scene: Scene) -> None:
    set_up(pipeline, first_look_days=14, first_look_runs=1)
    scene.run(1001, RED, head=BASE, branch="main")
    for number in range(2001, 2001 + 120):
        scene.run(number, workflow=LINT, conclusion="success", pulls=())
        pipeline.clock.advance(seconds=3600)
    assert look_at(pipeline).seen.left_unread == 120
    scene.run(3001, workflow=LINT, conclusion="success", pulls=())
    assert len(look_at(pipeline, after_s=300).seen.etags) == 1
    scene.run(1001, GREEN, attempt=2, head=BASE, branch="main")
    look_at(pipeline, after_s=300)
    assert recorded(pipeline) == [(1001, 1), (3001, 1)], (
        "it stands on the second page, where no usual look goes"
    )
    look_at(pipeline, after_s=7 * 3600)
    assert recorded(pipeline) == [(1001, 1), (1001, 2), (3001, 1)]


def test_run_that_could_not_start_is_found(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, event="push", head=BASE, branch="main", conclusion="startup_failure")
    look_at(pipeline)
    assert recorded(pipeline) == [(1001, 1)]


def test_unfinished_run_is_read_when_it_has_ended(pipeline: Pipeline, scene: Scene) -> None:
    at = pipeline.clock.now()
    scene.state.add_run(REPO, 1001, event="push", head_sha=BASE, head_branch="main", at=at)
    assert look_at(pipeline).seen.ordered == 0
    pipeline.clock.advance(seconds=3 * 86_400)
    scene.state.complete_run(1001, 1, "success", at=pipeline.clock.now())
    assert look_at(pipeline).seen.ordered == 1


def test_look_after_an_outage_covers_it(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, GREEN)
    look_at(pipeline)
    for number in range(1002, 1006):
        pipeline.clock.advance(seconds=4 * 86_400)
        scene.run(number, GREEN)
    assert look_at(pipeline).seen.ordered == 4
    assert [run for run, _ in recorded(pipeline)] == [1001, 1002, 1003, 1004, 1005]


def test_first_look_goes_back_as_far_as_the_settings_say(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, GREEN)
    pipeline.clock.advance(seconds=86_400)
    scene.run(1002, GREEN)
    look_at(pipeline)
    assert recorded(pipeline) == [(1002, 1)]
    look_at(pipeline, after_s=8 * 3600)
    assert recorded(pipeline) == [(1002, 1)], "what is history stays history"


def test_first_look_takes_a_bounded_number_and_counts_the_rest(pipeline: Pipeline, scene: Scene) -> None:
    set_up(pipeline, first_look_runs=2)
    scene.run(1001, GREEN, head=BASE, branch="main")
    scene.run(1002, GREEN, head=ON_MAIN, branch="main")
    scene.run(1003, GREEN, event="pull_request")
    scene.run(1004, GREEN, branch="other", pulls=())
    seen = look_at(pipeline).seen
    assert (seen.found, seen.ordered, seen.left_unread) == (4, 2, 2)
    assert recorded(pipeline) == [(1002, 1), (1003, 1)]
    scene.run(1005, GREEN)
    assert look_at(pipeline, after_s=300).seen.left_unread == 2
    assert recorded(pipeline) == [(1002, 1), (1003, 1), (1005, 1)]


def test_later_look_takes_the_rest_the_next_time(pipeline: Pipeline, scene: Scene) -> None:
    few = Bounds(orders=2)
    scene.run(1001, GREEN)
    look_at(pipeline)
    for number in range(1002, 1007):
        scene.run(number, GREEN)
    looks = [look_at(pipeline, after_s=300, bounds=few), *(look_at(pipeline, bounds=few) for _ in range(2))]
    assert [one.seen.ordered for one in looks] == [2, 2, 1]
    assert [run for run, _ in recorded(pipeline)] == list(range(1001, 1007))


def test_list_longer_than_a_look_reads_is_read_from_its_newest(pipeline: Pipeline, scene: Scene) -> None:
    set_up(pipeline, first_look_runs=3)
    for number in range(1001, 1001 + 105):
        scene.run(number, conclusion="success", head=BASE, branch="main")
    seen = look_at(pipeline, bounds=Bounds(pages=1)).seen
    assert (seen.found, seen.ordered, seen.left_unread) == (100, 3, 97)
    assert asked(pipeline, LISTS) == 1


def test_run_listed_late_with_an_older_date_is_found(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1002, GREEN)
    hidden = scene.state.runs.pop(scene.run(1001, GREEN))
    scene.run(1003, GREEN)
    look_at(pipeline)
    scene.state.runs[hidden.id] = hidden
    look_at(pipeline, after_s=6 * 3600 - 600)
    assert [run for run, _ in recorded(pipeline)] == [1001, 1002, 1003]


@pytest.mark.parametrize("skew_s", [-7200, 7200])
def test_clocks_that_differ_lose_nothing(pipeline: Pipeline, scene: Scene, skew_s: float) -> None:
    """GitHub's times are two hours before or after ours."""
    look_at(pipeline)
    for number in (1001, 1002, 1003):
        scene.clock.advance(seconds=skew_s)
        scene.run(number, GREEN)
        scene.clock.advance(seconds=-skew_s)
        look_at(pipeline, after_s=300)
    assert [run for run, _ in recorded(pipeline)] == [1001, 1002, 1003]


def test_list_on_many_pages_is_walked_to_its_end(pipeline: Pipeline, scene: Scene) -> None:
    set_up(pipeline, first_look_runs=5)
    for number in range(1001, 1001 + 230):
        scene.run(number, conclusion="success", branch="main", head=BASE)
        scene.clock.advance(seconds=-80)
    seen = look_at(pipeline).seen
    assert (seen.found, seen.ordered, seen.left_unread, len(seen.etags)) == (230, 5, 225, 3)
    look_at(pipeline, after_s=300)
    assert asked(pipeline, LISTS) == 6
    assert len(recorded(pipeline)) == 5


def test_names_do_not_distinguish_case(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, GREEN)
    set_up(pipeline, repositories="ACME/Gefen")
    one_turn(pipeline)
    assert recorded(pipeline) == [(1001, 1)]
    pipeline.deliver(1001).drain()
    assert one_turn(pipeline) == 0, "the known and the configured name are one"
    assert watched(pipeline).name == REPO


def one_turn(pipeline: Pipeline) -> int:
    looked = Reconciler(pipeline.deps, after_look=lambda: None).turn(threading.Event())
    pipeline.drain()
    return looked


def test_known_and_configured_repositories_are_looked_at_and_no_others(
    pipeline: Pipeline, scene: Scene
) -> None:
    scene.state.add_repository("acme/other", 43)
    scene.state.add_repository("acme/third", 44)
    scene.run(1001, GREEN)
    pipeline.deliver(1001).drain()
    assert one_turn(pipeline) == 1
    set_up(pipeline, repositories="acme/other")
    assert one_turn(pipeline) == 1
    with read_only(pipeline.deps.store) as session:
        assert [one.name for one in watch.listed(session)] == [REPO, "acme/other"]


def test_renamed_repository_keeps_its_history(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, RED, event="pull_request")
    look_at(pipeline)
    scene.state.rename_repository(REPO, "acme/renamed")
    pipeline.clock.advance(seconds=300)
    assert one_turn(pipeline) == 1
    with read_only(pipeline.deps.store) as session:
        (name,) = session.scalars(select(RepoRow.full_name)).all()
        (one,) = watch.listed(session)
    assert (name, one.name, one.trouble) == ("acme/renamed", "acme/renamed", None)
    assert recorded(pipeline) == [(1001, 1)]
    pipeline.deliver(1001).drain()
    assert recorded(pipeline) == [(1001, 1)]
    assert pipeline.stand_in.duplicate_effects == 0


def test_old_name_in_the_settings_is_told(pipeline: Pipeline, scene: Scene) -> None:
    set_up(pipeline, repositories=REPO)
    scene.run(1001, GREEN)
    scene.state.rename_repository(REPO, "acme/renamed")
    assert look_at(pipeline).seen.renamed_to == "acme/renamed"
    assert "acme/renamed today" in pipeline.page("/problems")
    assert recorded(pipeline) == [(1001, 1)]


TROUBLES = [
    (faults.answer(404, "Not Found"), LookTrouble.GONE, "misspelt"),
    (faults.NO_PERMISSION, LookTrouble.REFUSED, "Resource not accessible"),
    (faults.BAD_CREDENTIALS, LookTrouble.CREDENTIALS, "token"),
    (faults.too_many_requests(600), LookTrouble.LIMITED, "limits"),
    (faults.SERVER_ERROR, LookTrouble.AWAY, "asked again"),
]


@pytest.mark.parametrize(("fault", "trouble", "said"), TROUBLES)
def test_what_keeps_a_look_is_named_and_passes(
    pipeline: Pipeline, scene: Scene, fault: faults.Fault, trouble: LookTrouble, said: str
) -> None:
    scene.run(1001, GREEN)
    look_at(pipeline)
    scene.run(1002, GREEN)
    pipeline.stand_in.state.faults.inject("/repos/acme/gefen/actions/runs", fault)
    kept = look_at(pipeline, after_s=300)
    assert (kept.trouble, kept.trouble_since) == (trouble, pipeline.clock.now())
    assert said in pipeline.page("/problems")
    assert ("is not heard of" in pipeline.page("/")) == trouble.needs_somebody
    mended = look_at(pipeline, after_s=3600)
    assert (mended.trouble, mended.seen.ordered) == (None, 1)


def test_look_leaves_a_share_of_the_budget_to_others(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, GREEN)
    state = pipeline.stand_in.state
    state.rates.use_up(state.login, now=pipeline.clock.now(), left=state.rates.limit // 10)
    kept = look_at(pipeline)
    assert kept.trouble is LookTrouble.LIMITED
    assert "it goes on at 13:0" in kept.trouble_told
    assert asked(pipeline, LISTS) == 0
    assert not look.look_if_due(pipeline.deps, RepoName(REPO))
    assert look_at(pipeline, after_s=3600).seen.ordered == 1


def test_two_workers_do_not_look_at_one_time(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, GREEN)
    now = pipeline.clock.now()
    with unit_of_work(pipeline.deps.store) as session:
        first = watch.claim(session, RepoName(REPO), since=now, now=now, until=now + look.TURN)
        second = watch.claim(session, RepoName("ACME/gefen"), since=now, now=now, until=now + look.TURN)
    assert first is not None
    assert second is None
    assert not look.look_if_due(pipeline.deps, RepoName(REPO))
    pipeline.clock.advance(seconds=look.TURN.total_seconds())
    assert look.look_if_due(pipeline.deps, RepoName(REPO)), "a turn that was never ended passes on"


def test_dead_delivery_is_made_up_for(pipeline: Pipeline, scene: Scene) -> None:
    set_up(pipeline, max_tries=1)
    scene.run(1001, GREEN)
    pipeline.stand_in.state.faults.inject("*/attempts/1", faults.SERVER_ERROR)
    pipeline.deliver(1001).drain()
    assert recorded(pipeline) == []
    look_at(pipeline)
    assert recorded(pipeline) == [(1001, 1)]
    with read_only(pipeline.deps.store) as session:
        assert tasks.counts(session)[TaskState.DEAD] == 1


def test_list_that_cannot_be_understood_is_told_and_loses_nothing(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, GREEN)
    odd = faults.Fault(
        200, b'{"total_count": 9, "workflow_runs": [{}]}', {"content-type": "application/json"}
    )
    pipeline.stand_in.state.faults.inject("/repos/acme/gefen/actions/runs", odd)
    assert look_at(pipeline).trouble is LookTrouble.REFUSED
    assert look_at(pipeline, after_s=timedelta(hours=1).total_seconds()).seen.ordered == 1
