"""The webhook: what is taken, what is refused and how, and that nothing taken is lost."""

import asyncio
import hashlib
import hmac
import json
import resource
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import Any

import pytest
from anyio import to_thread
from sqlalchemy import Engine, text, update
from starlette.testclient import TestClient
from structlog.testing import capture_logs

from app.deps import Wiring
from app.domain.errors import Rejected, Unavailable
from app.domain.ids import DeliveryId
from app.inbox_writer import InboxWriter
from app.intake import BUSY_S, READING_TURN_S, TURN_S, Intake
from app.main import create_app, create_from_environment
from app.settings import Settings
from app.store import inbox
from app.store.base import Base
from app.store.inbox import DeliveryState, StoredDelivery
from app.store.session import open_engine, read_only, unit_of_work
from app.webhook import AT_ONCE_BYTES

SECRET = "0d9ae1a5b7f2"
GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
COMPLETED = {
    "action": "completed",
    "repository": {"full_name": "octo/gefen"},
    "workflow_run": {"id": 29538416045, "run_attempt": 1},
}


@pytest.fixture
def signing_client(make_app: Any) -> Iterator[TestClient]:
    app = make_app(webhook_secret=SECRET, repositories="octo/gefen", max_delivery_bytes=200_000)
    with TestClient(app, base_url="http://127.0.0.1:8077", raise_server_exceptions=False) as client:
        yield client


def deliver(client: TestClient, body: bytes | dict[str, Any], **changed: str | None) -> Any:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers: dict[str, str | None] = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "workflow_run",
        "X-GitHub-Delivery": GUID,
        "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), raw, hashlib.sha256).hexdigest(),
    }
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}
    sent = {name: value for name, value in headers.items() if value is not None}
    return client.post("/webhooks/github", content=raw, headers=sent)


def stored(client: TestClient, guid: str = GUID) -> StoredDelivery | None:
    wired: Wiring = client.app.state.wiring  # type: ignore[attr-defined] - TestClient calls it any ASGI app
    with read_only(wired.inbox) as session:
        return inbox.by_guid(session, DeliveryId(guid))


def wiring_of(client: TestClient) -> Wiring:
    wired = client.app.state.wiring  # type: ignore[attr-defined] - TestClient calls it any ASGI app
    assert isinstance(wired, Wiring)
    return wired


def assert_problem(answer: Any, status: int, detail: str) -> None:
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    document = answer.json()
    assert document["status"] == status
    assert detail in document["detail"]
    assert set(document) == {"type", "title", "status", "detail"}


def test_a_signed_completed_run_waits_for_the_engine(signing_client: TestClient) -> None:
    answer = deliver(signing_client, COMPLETED)
    assert answer.status_code == 202
    assert answer.json() == {
        "delivery": GUID,
        "is_new": True,
        "note": "run 29538416045, attempt 1, is completed",
    }
    row = stored(signing_client)
    assert row is not None
    assert (row.state, row.event, row.action, row.repo) == (
        DeliveryState.WAITING,
        "workflow_run",
        "completed",
        "octo/gefen",
    )
    assert json.loads(row.body) == COMPLETED


def test_a_redelivery_is_counted_and_answers_200(signing_client: TestClient) -> None:
    deliver(signing_client, COMPLETED)
    answer = deliver(signing_client, COMPLETED)
    assert answer.status_code == 200
    assert answer.json()["is_new"] is False
    row = stored(signing_client)
    assert row is not None
    assert row.seen == 2


def test_an_ignored_delivery_starts_once_it_comes_again_and_its_repository_is_watched(
    make_app: Any,
) -> None:
    for repositories, answer_is_new in (("octo/other", True), ("octo/other, octo/gefen", False)):
        app = make_app(webhook_secret=SECRET, repositories=repositories)
        with TestClient(app, base_url="http://127.0.0.1:8077") as client:
            before = app.state.wiring.clock.moment
            assert deliver(client, COMPLETED).json()["is_new"] is answer_is_new
            row = stored(client)
            assert row is not None
    assert (row.state, row.seen) == (DeliveryState.WAITING, 2)
    assert row.note == "run 29538416045, attempt 1, is completed"
    assert row.received_at > before, "the relay finds it among the newest"


@pytest.mark.parametrize(
    ("state", "then"),
    [
        (DeliveryState.RELAYED, DeliveryState.RELAYED),
        (DeliveryState.UNREADABLE, DeliveryState.WAITING),
    ],
)
def test_a_redelivery_starts_what_never_started_and_nothing_twice(
    signing_client: TestClient, state: DeliveryState, then: DeliveryState
) -> None:
    deliver(signing_client, COMPLETED)
    wired: Wiring = signing_client.app.state.wiring  # type: ignore[attr-defined] - TestClient calls it any ASGI app
    with unit_of_work(wired.inbox) as session:
        session.execute(update(inbox.DeliveryRow).values(state=state.value))
    deliver(signing_client, COMPLETED)
    row = stored(signing_client)
    assert row is not None
    assert row.state is then


@pytest.mark.parametrize(
    ("body", "event", "state", "note"),
    [
        ({"zen": "Design for failure."}, "ping", DeliveryState.IGNORED, "ping starts nothing"),
        (
            {"action": "completed", "workflow_job": None},
            "workflow_job",
            DeliveryState.IGNORED,
            "workflow_job",
        ),
        ({**COMPLETED, "action": "requested"}, "workflow_run", DeliveryState.IGNORED, "requested"),
        ({"action": "x"}, "event_of_next_year", DeliveryState.IGNORED, "event_of_next_year"),
        (
            {**COMPLETED, "repository": {"full_name": "a/b"}},
            "workflow_run",
            DeliveryState.IGNORED,
            "a/b is not",
        ),
        ({**COMPLETED, "workflow_run": None}, "workflow_run", DeliveryState.UNREADABLE, "not an object"),
        ({"action": "completed"}, "workflow_run", DeliveryState.UNREADABLE, "name of its repository"),
        (b"[" * 50_000 + b"]" * 50_000, "workflow_run", DeliveryState.UNREADABLE, "too deeply"),
        (b'{"n": ' + b"1" * 9_000 + b"}", "workflow_run", DeliveryState.UNREADABLE, "too long"),
        ({**COMPLETED, "action": "\ud800"}, "workflow_run", DeliveryState.UNREADABLE, "without an action"),
    ],
)
def test_what_starts_nothing_is_recorded_with_a_note(
    signing_client: TestClient, body: Any, event: str, state: DeliveryState, note: str
) -> None:
    assert deliver(signing_client, body, X_GitHub_Event=event).status_code == 202
    row = stored(signing_client)
    assert row is not None
    assert row.state is state
    assert note in row.note


@pytest.mark.parametrize(
    ("changed", "status", "detail"),
    [
        ({"X_Hub_Signature_256": None}, 401, "X-Hub-Signature-256 is missing"),
        ({"X_Hub_Signature_256": "sha256=" + "0" * 64}, 401, "does not fit the body"),
        ({"X_GitHub_Event": None}, 400, "X-GitHub-Event: the header is missing"),
        ({"X_GitHub_Event": "A" * 5000}, 400, "X-GitHub-Event"),
        ({"X_GitHub_Delivery": None}, 400, "X-GitHub-Delivery: the header is missing"),
        ({"X_GitHub_Delivery": "../../etc"}, 400, "X-GitHub-Delivery"),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415, "choose application/json"),
        ({"Content_Type": "text/plain"}, 415, "only application/json"),
        ({"Content_Type": None}, 415, "only application/json"),
    ],
)
def test_a_wrong_request_gets_a_problem_and_leaves_no_row(
    signing_client: TestClient, changed: dict[str, Any], status: int, detail: str
) -> None:
    assert_problem(deliver(signing_client, COMPLETED, **changed), status, detail)
    assert stored(signing_client) is None


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": NaN}', b"\xff\xfe{", b"[]", b'"x"'])
def test_a_body_that_is_not_a_json_object_is_refused(signing_client: TestClient, body: bytes) -> None:
    assert_problem(deliver(signing_client, body), 400, "body: ")
    assert stored(signing_client) is None


def test_a_body_over_the_bound_is_refused_and_the_connection_closed(signing_client: TestClient) -> None:
    answer = deliver(signing_client, b"x" * 200_001)
    assert_problem(answer, 413, "200001 bytes declared")
    assert answer.headers["Connection"] == "close"


def test_a_media_type_with_a_charset_is_json(signing_client: TestClient) -> None:
    answer = deliver(signing_client, COMPLETED, Content_Type="Application/JSON; charset=utf-8")
    assert answer.status_code == 202


def test_without_a_secret_loopback_takes_unsigned_and_wrongly_signed_deliveries(client: TestClient) -> None:
    assert deliver(client, COMPLETED, X_Hub_Signature_256=None).status_code == 202
    assert deliver(client, COMPLETED, X_Hub_Signature_256="sha256=wrong").status_code == 200


def test_without_a_secret_a_public_address_refuses_to_start() -> None:
    with pytest.raises(Rejected, match="WEBHOOK_SECRET"):
        create_app(Settings(host="0.0.0.0"))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("FLAKE_TRIAGE_HOST", "0.0.0.0", "WEBHOOK_SECRET"), ("FLAKE_TRIAGE_PORT", "eighty", "port")],
)
def test_settings_that_cannot_work_end_the_process_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match=said):
        create_from_environment()


def test_a_row_that_cannot_be_committed_is_no_202(signing_client: TestClient) -> None:
    inbox.InboxBase.metadata.drop_all(wiring_of(signing_client).inbox)
    answer = deliver(signing_client, COMPLETED)
    assert_problem(answer, 503, "delivery: it could not be stored; send it again")
    assert "deliveries" not in answer.text
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process may grow: a write past its end fails, as on a disk without room."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_told_to_github_to_readyz_and_to_people_and_passes(signing_client: TestClient) -> None:
    with capture_logs() as logged, full_disk():
        assert_problem(deliver(signing_client, COMPLETED), 503, "it could not be stored; send it again")
        assert_problem(signing_client.get("/readyz"), 503, "the last delivery could not be stored")
    assert [(line["event"], line["log_level"], line["exc_info"]) for line in logged] == [
        ("delivery is not stored", "warning", False)
    ]
    assert "it could not be stored; send it again" in signing_client.get("/problems").text
    assert signing_client.get("/readyz").status_code == 200
    assert deliver(signing_client, COMPLETED).status_code == 202


def test_a_database_that_does_not_answer_is_a_line_in_the_log_and_no_traceback(client: TestClient) -> None:
    Base.metadata.drop_all(wiring_of(client).store)
    with capture_logs() as logged:
        assert_problem(client.get("/problems"), 503, "a database of the service does not answer")
    assert [line["event"] for line in logged] == ["a database does not answer"]


LARGE = {**COMPLETED, "text": "x" * AT_ONCE_BYTES}


def test_a_large_delivery_waits_for_no_page(client: TestClient) -> None:
    async def take_all_threads_of_pages() -> None:
        of_pages = to_thread.current_default_thread_limiter()
        for number in range(int(of_pages.total_tokens)):
            of_pages.acquire_on_behalf_of_nowait(number)

    assert client.portal is not None
    client.portal.call(take_all_threads_of_pages)
    assert deliver(client, LARGE).status_code == 202


def test_large_deliveries_are_read_one_by_one_and_refused_in_time() -> None:
    intake, let_go = Intake(), threading.Event()

    async def behind_a_slow_one() -> tuple[float, int]:
        slow = asyncio.create_task(intake.read_apart(lambda: len(LARGE) if let_go.wait(60) else 0))
        await asyncio.sleep(0)
        begun_at = monotonic()
        with pytest.raises(Unavailable, match="wait to be read; send it again"):
            await intake.read_apart(lambda: None)
        waited_s = monotonic() - begun_at
        let_go.set()
        return waited_s, await slow

    waited_s, read = asyncio.run(behind_a_slow_one())
    assert waited_s >= READING_TURN_S
    assert read == len(LARGE), "what has begun is waited for"
    assert READING_TURN_S + TURN_S + BUSY_S < 10


def test_a_locked_inbox_refuses_deliveries_in_time_and_keeps_pages_quick(make_app: Any) -> None:
    app = make_app()
    other: Engine = app.state.wiring.inbox
    impatient = open_engine(str(other.url), busy_s=0.5)
    app.state.wiring = replace(app.state.wiring, inbox=impatient, writer=InboxWriter(impatient))
    with TestClient(app, base_url="http://127.0.0.1:8077") as client, ThreadPoolExecutor(60) as senders:
        with unit_of_work(other) as holder:
            holder.execute(text("SELECT 1"))
            sent = [
                senders.submit(deliver, client, COMPLETED, X_GitHub_Delivery=f"d-{number}")
                for number in range(60)
            ]
            next(as_completed(sent))  # some are being stored now, and all others wait
            started_s = monotonic()
            assert client.get("/").status_code == 200
            assert client.get("/static/style.css").status_code == 200
            assert client.get("/readyz").status_code == 503
            assert monotonic() - started_s < TURN_S, "pages do not wait for deliveries' turn"
            assert {one.result().status_code for one in sent} == {503}
        assert deliver(client, COMPLETED).status_code == 202
    other.dispose()


def test_bodies_beyond_what_is_held_at_once_are_refused_until_there_is_room(client: TestClient) -> None:
    wired = wiring_of(client)
    wired.intake.body_bytes = 300
    with wired.intake.room() as hold:
        hold(200)
        answer = deliver(client, COMPLETED)
        assert_problem(answer, 503, "body: too many deliveries arrive at once; send it again")
        assert answer.headers["Retry-After"] == "10"
        assert wired.intake.held_bytes == 200
    assert deliver(client, COMPLETED).status_code == 202
    assert wired.intake.held_bytes == 0
