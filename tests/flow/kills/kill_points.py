"""Twelve moments at which a process is killed, and how each is known to have been hit."""

import contextlib
import socket
from collections.abc import Callable

from sqlalchemy import select
from world import Point, World

from app.domain.ids import DeliveryId
from app.standin.faults import Fault, slow, slow_answer, too_many_requests
from app.standin.webhooks import Letter, signature
from app.standin.writes import What
from app.store import artifacts, failures, inbox, reports, repos, tasks, verdicts
from app.store.inbox import DeliveryState
from app.store.runs import AttemptRow, RunRow, jobs_of
from app.store.session import read_only
from app.store.tasks import TaskState
from worker.demo import facts
from worker.demo.service import SECRET

HOLD_S = 5.0
"""Far longer than it takes to see that a request is held and to kill who sent it."""

REPO = f"/repos/{facts.REPO}"
ALERT = facts.PULL + 1
"""The issue's number: the next one after the pull request."""

Look = Callable[[World], bool]


def arrived(request: str) -> Look:
    """GitHub has the request, and holds its answer back."""
    return lambda world: request in world.standin.requests


def attempt_of(world: World, run: int) -> int | None:
    key = select(AttemptRow.id).join(RunRow, RunRow.id == AttemptRow.run_id).where(RunRow.github_id == run)
    with read_only(world.quiet.store) as session:
        return session.scalars(key).one_or_none()


def is_task(stage: str, run: int, state: TaskState) -> Look:
    def look(world: World) -> bool:
        attempt = attempt_of(world, run)
        with read_only(world.quiet.store) as session:
            found = tasks.newest(session, state=state, limit=100)
        return any(one.stage == stage and one.payload.get("attempt") == attempt for one in found)

    return look


def is_between_stages(world: World) -> bool:
    """Some attempt's files are fetched, and nobody has begun to read them."""
    with read_only(world.quiet.store) as session:
        done = tasks.newest(session, state=TaskState.DONE, limit=100)
        waiting = tasks.newest(session, state=TaskState.QUEUED, limit=100)
    fetched = {one.payload["attempt"] for one in done if one.stage == "fetch_artifacts"}
    unread = {one.payload["attempt"] for one in waiting if one.stage == "read_results"}
    return bool(fetched & unread)


def both(*looks: Look) -> Look:
    return lambda world: all(look(world) for look in looks)


def nothing_fetched(world: World) -> bool:
    """Of the push run: no file is stored, and no job's tree is known."""
    attempt = attempt_of(world, facts.PUSH_RUN)
    assert attempt is not None
    with read_only(world.quiet.store) as session:
        return not artifacts.files_of(session, attempt) and not any(
            job.tested.commit for job in jobs_of(session, attempt)
        )


def nothing_judged(world: World) -> bool:
    attempt = attempt_of(world, facts.PUSH_RUN)
    assert attempt is not None
    with read_only(world.quiet.store) as session:
        found = failures.of_attempt(session, attempt)
        return bool(found) and not verdicts.latest(session, [one.id for one in found])


def waits_for_its_next_try(world: World) -> bool:
    with read_only(world.quiet.store) as session:
        return bool(tasks.newest(session, state=TaskState.WAITING, limit=1))


def written(what: What, *, is_open: bool = True) -> Look:
    """GitHub has carried out this write of ours."""
    return lambda world: any(
        one.what is what and one.ours and one.is_open is is_open for one in world.standin.writes
    )


def comment_is_unknown(world: World) -> bool:
    """The store does not hold the text that GitHub shows."""
    talk = world.standin.state.talk
    (shown,) = talk.comments_on(world.standin.state.repository(facts.REPO), facts.PULL)
    with read_only(world.quiet.store) as session:
        stored = reports.comment(session, _repo(world), facts.PULL)
    return stored is None or stored.body != shown.body


def alert_is_unknown(world: World) -> bool:
    """The store does not know the issue, or not that it is closed."""
    (issue,) = world.standin.state.talk.issues.values()
    with read_only(world.quiet.store) as session:
        stored = reports.newest_alerts(session, repo=_repo(world), limit=1)
    return not stored or stored[0].issue != issue.number or stored[0].state.value != issue.state


def _repo(world: World) -> int:
    with read_only(world.quiet.store) as session:
        key = repos.key_of(session, world.standin.state.repository(facts.REPO).name)
    assert key is not None
    return key


def delivery_state(world: World, letter: Letter) -> DeliveryState | None:
    with read_only(world.quiet.inbox) as session:
        found = inbox.by_guid(session, DeliveryId(letter.guid))
    return None if found is None else found.state


def kill_web_within_the_delivery(world: World, letter: Letter) -> None:
    """Half of the body is sent; the connection breaks; nothing of it is known."""
    head = (
        f"POST /webhooks/github HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"X-GitHub-Event: {letter.event}\r\nX-GitHub-Delivery: {letter.guid}\r\n"
        f"X-Hub-Signature-256: {signature(SECRET, letter.body)}\r\nContent-Length: {len(letter.body)}\r\n"
        "Expect: 100-continue\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", world.settings.port), timeout=10) as line:
        line.sendall(head.encode())
        assert line.recv(100).startswith(b"HTTP/1.1 100 "), "the web reads the body now"
        line.sendall(letter.body[: len(letter.body) // 2])
        world.processes.kill("web")
        with contextlib.suppress(ConnectionResetError):
            assert line.recv(100) == b"", "there is no answer"
    assert delivery_state(world, letter) is None
    world.processes.start("web")


def kill_web_after_its_answer(world: World, letter: Letter) -> None:
    assert world.postman.insist(letter) == [202]
    world.processes.kill("web")
    assert delivery_state(world, letter) is not None, "what was acknowledged is kept"
    world.processes.start("web")


def kill_worker_before_it_sees_the_delivery(world: World, letter: Letter) -> None:
    world.processes.freeze("worker")
    assert world.postman.insist(letter) == [202]
    world.processes.kill("worker")
    assert delivery_state(world, letter) is DeliveryState.WAITING
    world.processes.start("worker")


def held(request: str, fault: Fault = slow(HOLD_S)) -> tuple[str, str, Fault]:  # noqa: B008 - frozen
    method, _, path = request.partition(" ")
    return method, path, fault


LIST = f"GET {REPO}/actions/runs/{facts.PUSH_RUN}/artifacts"
LOG = f"GET /logs/{facts.PUSH_RUN}1"
PULL = f"GET {REPO}/pulls/{facts.PULL}"
POST_COMMENT = f"POST {REPO}/issues/{facts.PULL}/comments"
PATCH_COMMENT = f"PATCH {REPO}/issues/comments/*"
POST_ISSUE = f"POST {REPO}/issues"
PATCH_ISSUE = f"PATCH {REPO}/issues/{ALERT}"
"""The only thread is held up long enough for this run to be next, and then takes it before it goes on."""

SHORT = (
    Point("in the middle of a delivery", "web", posts=kill_web_within_the_delivery),
    Point(
        "when GitHub has the comment and its answer is still out",
        "worker",
        (held(POST_COMMENT, slow_answer(HOLD_S)),),
        written(What.COMMENT_CREATED),
        comment_is_unknown,
    ),
)
"""These two are part of every test run."""

LONG = (
    Point("right after its 202", "web", posts=kill_web_after_its_answer),
    Point("before it sees a delivery", "worker", posts=kill_worker_before_it_sees_the_delivery),
    Point(
        "while a task waits for its next try",
        "worker",
        (held(f"GET {REPO}/actions/runs/{facts.PULL_RUN}/attempts/1", too_many_requests(2)),),
        waits_for_its_next_try,
        waits_for_its_next_try,
    ),
    Point(
        "while it asks for the list of artifacts",
        "worker",
        (held(LIST),),
        arrived(LIST),
        both(is_task("fetch_artifacts", facts.PUSH_RUN, TaskState.RUNNING), nothing_fetched),
    ),
    Point(
        "while it downloads a log",
        "worker",
        (held(LOG),),
        arrived(LOG),
        both(is_task("fetch_artifacts", facts.PUSH_RUN, TaskState.RUNNING), nothing_fetched),
    ),
    Point(
        "between two stages", "worker", when=is_between_stages, proof=is_between_stages, poll_interval_s=1.0
    ),
    Point(
        "while it judges",
        "worker",
        (held(PULL, Fault()), held(PULL)),
        both(arrived(PULL), is_task("judge_failures", facts.PUSH_RUN, TaskState.RUNNING)),
        both(is_task("judge_failures", facts.PUSH_RUN, TaskState.RUNNING), nothing_judged),
    ),
    Point(
        "when GitHub has the edited comment and its answer is still out",
        "worker",
        (held(PATCH_COMMENT, slow_answer(HOLD_S)),),
        written(What.COMMENT_EDITED),
        comment_is_unknown,
    ),
    Point(
        "when GitHub has the alert and its answer is still out",
        "worker",
        (held(POST_ISSUE, slow_answer(HOLD_S)),),
        written(What.ISSUE_CREATED),
        alert_is_unknown,
    ),
    Point(
        "when GitHub has the alert closed and its answer is still out",
        "worker",
        (held(PATCH_ISSUE, slow_answer(HOLD_S)),) * 3,  # the alert may be edited before it is closed
        written(What.ISSUE_EDITED, is_open=False),
        alert_is_unknown,
    ),
)
