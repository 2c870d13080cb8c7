"""What we may do at GitHub right now: writes in turn and not too many, and no second run into one wall."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from fixtures_github import REPO, ManualClock
from pydantic import SecretStr

from app.domain.errors import Conflict, Unavailable
from app.domain.ids import RepoName, RunId
from app.github.client import GitHub, open_http
from app.github.credentials import NoToken, PlainToken
from app.github.lanes import Lane, Lanes
from app.standin.apps import AppRecord, InstallationRecord
from app.standin.faults import RESET, SECONDARY_LIMIT, answer, slow_answer, too_many_requests
from app.standin.server import StandIn
from app.standin.state import State

RUN = RunId(1001)


def write(lane: Lane) -> None:
    with lane.writing("comment"):
        pass


def test_eighty_writes_a_minute_are_made_and_the_next_waits_for_the_first_to_be_a_minute_old() -> None:
    clock = ManualClock()
    lane = Lane(clock)
    write(lane)
    clock.advance(seconds=20)
    for _ in range(79):
        write(lane)
    with pytest.raises(Unavailable) as caught:
        write(lane)
    assert caught.value.retry_after_s == 40
    clock.advance(seconds=40)
    write(lane)
    with pytest.raises(Unavailable):
        write(lane)


def test_five_hundred_writes_an_hour_are_made_and_no_more() -> None:
    clock = ManualClock()
    lane, made = Lane(clock), 0
    began = clock.now()
    while clock.now() < began + timedelta(minutes=59):
        try:
            write(lane)
            made += 1
        except Unavailable as error:
            clock.advance(seconds=error.retry_after_s or 0)
    assert made == 500


def test_write_that_was_refused_for_its_number_uses_up_no_turn() -> None:
    clock = ManualClock()
    lane = Lane(clock)
    for _ in range(80):
        write(lane)
    for _ in range(100):
        with pytest.raises(Unavailable):
            write(lane)
    clock.advance(seconds=60)
    write(lane)


def test_longest_wait_that_was_named_counts() -> None:
    clock = ManualClock()
    lane = Lane(clock)
    lane.close(60)
    lane.close(10)
    clock.advance(seconds=59)
    with pytest.raises(Unavailable, match="until 12:01:00 UTC") as caught:
        lane.require_open("runs")
    assert caught.value.retry_after_s == 1
    clock.advance(seconds=1)
    lane.require_open("runs")


def test_scarcest_of_several_budgets_is_told() -> None:
    clock = ManualClock()
    lanes = Lanes(clock)
    assert lanes.scarcest() is None
    reset = {"x-ratelimit-reset": str(int(clock.now().timestamp()) + 600)}
    lanes.of("a").note({"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "900", **reset})
    lanes.of("b").note({"x-ratelimit-limit": "60", "x-ratelimit-remaining": "30", **reset})
    scarcest = lanes.scarcest()
    assert scarcest is not None
    assert (scarcest.limit, scarcest.share) == (5000, 0.18)


def test_budget_whose_hour_is_over_is_the_scarcest_no_more() -> None:
    clock = ManualClock()
    lanes = Lanes(clock)
    for payer, remaining, seconds in (("gone", "0", 600), ("here", "900", 1200)):
        resets_at = str(int(clock.now().timestamp()) + seconds)
        told = {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": remaining}
        lanes.of(payer).note({**told, "x-ratelimit-reset": resets_at})
    for advance_s, remaining in ((0, 0), (600, 900)):
        clock.advance(seconds=advance_s)
        scarcest = lanes.scarcest()
        assert scarcest is not None
        assert scarcest.remaining == remaining
    clock.advance(seconds=600)
    assert lanes.scarcest() is None


@pytest.mark.usefixtures("story")
def test_budget_is_known_from_the_last_answer(github: GitHub, github_clock: ManualClock) -> None:
    assert github.budget() is None
    page = github.runs_page(REPO)
    before = github.budget(REPO)
    assert before is not None
    assert (before.limit, before.remaining) == (5000, 4999)
    assert before.resets_at == github_clock.now() + timedelta(hours=1)
    github.runs_page(REPO, etag=page.etag)
    assert github.budget(REPO) == before, "an answer that nothing changed is free"
    assert github.budget() == before


@pytest.mark.usefixtures("story")
def test_used_up_budget_stops_all_until_its_hour_is_over(
    github: GitHub, stand_in: StandIn, github_clock: ManualClock
) -> None:
    rates = stand_in.state.rates
    rates.enforced = True
    rates.use_up(stand_in.state.login, now=github_clock.now())
    with pytest.raises(Unavailable, match="rate limit") as caught:
        github.repository(REPO)
    assert caught.value.retry_after_s == 3600
    with pytest.raises(Unavailable, match="send nothing until 13:00:00 UTC"):
        github.artifacts(REPO, RUN)
    assert len(stand_in.requests) == 1
    github_clock.advance(seconds=3600)
    assert github.repository(REPO).id == 42


@pytest.mark.usefixtures("story")
def test_wait_that_one_thread_was_told_is_kept_by_all(
    github: GitHub, stand_in: StandIn, github_clock: ManualClock
) -> None:
    stand_in.state.faults.inject("*", too_many_requests(30))
    with pytest.raises(Unavailable):
        github.create_comment(REPO, 87, "x")

    def ask(_: int) -> float | None:
        with pytest.raises(Unavailable) as caught:
            github.repository(REPO)
        return caught.value.retry_after_s

    with ThreadPoolExecutor(5) as pool:
        assert set(pool.map(ask, range(5))) == {30.0}
    assert len(stand_in.requests) == 1
    github_clock.advance(seconds=30)
    github.create_comment(REPO, 87, "x")
    assert stand_in.duplicate_effects == 0


def test_wait_of_one_installation_is_not_anothers(
    as_app: GitHub, app: AppRecord, installed: InstallationRecord, story: State, github_clock: ManualClock
) -> None:
    story.add_repository("bob/own", 44)
    app.install("bob", at=github_clock.now())
    story.faults.inject(f"/repos/{REPO}", SECONDARY_LIMIT)
    with pytest.raises(Unavailable):
        as_app.repository(REPO)
    assert as_app.repository(RepoName("bob/own")).id == 44
    with pytest.raises(Unavailable, match="send nothing"):
        as_app.artifacts(REPO, RUN)
    assert installed.id


Connect = Callable[[Callable[[], None]], GitHub]


@pytest.fixture
def connect(stand_in: StandIn, github_clock: ManualClock):  # noqa: ANN201 - a fixture that yields a function
    with open_http(timeout_s=5) as http:

        def build(before_write: Callable[[], None]) -> GitHub:
            return GitHub(
                http,
                PlainToken(SecretStr(stand_in.state.token)),
                api_url=stand_in.api_url,
                allow_private_downloads=True,
                clock=github_clock,
                before_write=before_write,
            )

        yield build


@pytest.mark.usefixtures("story")
def test_each_write_is_asked_about_right_before_it_is_sent_and_no_read_is(
    connect: Connect, stand_in: StandIn
) -> None:
    asked: list[int] = []
    github = connect(lambda: asked.append(len(stand_in.requests)))
    github.repository(REPO)
    made = github.create_comment(REPO, 87, "x")
    github.edit_comment(REPO, made.id, "y")
    github.delete_comment(REPO, made.id)
    assert asked == [1, 2, 3]


@pytest.mark.usefixtures("story")
def test_second_write_is_sent_only_once_the_first_is_answered(connect: Connect, stand_in: StandIn) -> None:
    stand_in.state.faults.inject("*/comments", slow_answer(0.3), method="POST", times=2)
    sent_at: list[float] = []
    github, together = connect(lambda: sent_at.append(time.monotonic())), threading.Barrier(2)

    def comment(text: str) -> None:
        together.wait()
        github.create_comment(REPO, 87, text)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(comment, ["one", "two"]))
    first, second = sent_at
    assert second - first >= 0.3
    assert len(stand_in.writes) == 2


@pytest.mark.usefixtures("story")
def test_write_of_a_worker_that_lost_its_place_is_never_sent(connect: Connect, stand_in: StandIn) -> None:
    def lost() -> None:
        raise Conflict("worker", "another holds its place")

    github = connect(lost)
    with pytest.raises(Conflict):
        github.create_issue(REPO, title="x", body="x")
    assert stand_in.requests == []
    assert github.repository(REPO).id == 42


@pytest.mark.usefixtures("story")
def test_connection_that_breaks_in_a_write_lets_the_next_one_have_its_turn(
    github: GitHub, stand_in: StandIn
) -> None:
    stand_in.state.faults.inject("*/comments", RESET, method="POST")
    with pytest.raises(Unavailable):
        github.create_comment(REPO, 87, "x")
    assert github.create_comment(REPO, 87, "x").body == "x"


@pytest.mark.usefixtures("story")
def test_who_has_no_token_has_a_budget_of_sixty(stand_in: StandIn, github_clock: ManualClock) -> None:
    with open_http(timeout_s=5) as http:
        github = GitHub(
            http, NoToken(), api_url=stand_in.api_url, allow_private_downloads=True, clock=github_clock
        )
        github.repository(REPO)
        budget = github.budget()
    assert budget is not None
    assert (budget.limit, budget.remaining) == (60, 59)


@pytest.mark.usefixtures("story")
def test_budget_of_another_kind_is_not_taken_for_the_main_one(github: GitHub, stand_in: StandIn) -> None:
    told = {"x_ratelimit_limit": "30", "x_ratelimit_remaining": "1", "x_ratelimit_reset": "1796040000"}
    stand_in.state.faults.inject("*", answer(404, "Not Found", x_ratelimit_resource="search", **told))
    with pytest.raises(Exception, match="404"):
        github.repository(REPO)
    assert github.budget() is None
