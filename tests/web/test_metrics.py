"""The page of metrics: its figures, who may read it, and what it asks of the databases."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import web_story
from fastapi import FastAPI
from page_reading import wired
from prometheus_client import CONTENT_TYPE_LATEST
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient
from test_page_queries import LARGE, statements_of

from app.api.metrics import KEPT, MEDIA_TYPE
from app.domain.gap import Gap, GapKind
from app.domain.ids import DeliveryId
from app.store import gaps, inbox, measures, totals, workers
from app.store.inbox import DeliveryState, StoredDelivery
from app.store.session import unit_of_work
from app.store.workers import Worker

HERE = ("127.0.0.1", 50_000)
TOKEN = "a-token-of-metrics"
BY_TOKEN = {"Authorization": f"Bearer {TOKEN}"}

MakeApp = Callable[..., FastAPI]
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(client: TestClient, **headers: str) -> Samples:
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == CONTENT_TYPE_LATEST == MEDIA_TYPE
    found = [one for family in text_string_to_metric_families(answer.text) for one in family.samples]
    return {
        (one.name.removeprefix("flake_triage_"), frozenset(one.labels.items())): one.value for one in found
    }


def value(found: Samples, name: str, **labels: str) -> float | None:
    return found.get((name, frozenset(labels.items())))


@pytest.fixture
def local(story: TestClient) -> TestClient:
    """The story, read from this machine; each reading is made anew."""
    return _at(story.app, HERE)


def _at(app: Any, client: tuple[str, int]) -> TestClient:
    return TestClient(app, base_url="http://127.0.0.1:8077", client=client)


def _wait(client: TestClient) -> None:
    wired(client).clock.moment += KEPT + timedelta(seconds=1)  # type: ignore[attr-defined]  # the tests' clock


def test_figures_of_deliveries_tasks_and_workers(local: TestClient) -> None:
    app = wired(local)
    before = samples(local)
    with unit_of_work(app.inbox) as session:
        for number in range(3):
            inbox.record_once(session, _delivery(f"new-{number}", minutes=-10 * number), {})
    with unit_of_work(app.store) as session:
        workers.register(session, Worker("one", "host", 1, "0"))
    _wait(local)
    after = samples(local)
    assert value(after, "deliveries_waiting") == (value(before, "deliveries_waiting") or 0) + 3
    assert (value(after, "deliveries_waiting_oldest_age_seconds") or 0) >= 20 * 60
    assert (value(before, "workers"), value(after, "workers")) == (0, 1)
    assert value(before, "worker_beat_age_seconds") is None, "an absent worker has no age"
    assert value(after, "worker_beat_age_seconds") is not None
    dead = sum(
        count for (name, labels), count in after.items() if name == "tasks" and ("state", "dead") in labels
    )
    assert value(after, "dead_letters") == dead > 0
    assert (value(after, "database_size_bytes", database="app") or 0) > 4096
    assert value(after, "alerts_open") == 1


def test_totals_count_on_from_the_mark_and_rise_when_it_moves(local: TestClient) -> None:
    """The sum stays the same whether the mark has moved past a row or not, and when the row is gone."""
    app = wired(local)
    start = app.clock.now()
    with unit_of_work(app.store) as session:
        totals.begin(session, now=start)
        gap = Gap(GapKind.ARTIFACT_EXPIRED, "junit", "expired")
        gaps.note(session, 1, None, [gap], at=start + timedelta(seconds=5))
    _wait(local)
    assert value(samples(local), "gaps_total", kind="artifact-expired") == 1
    end = start + timedelta(minutes=10)
    with unit_of_work(app.store) as session:
        totals.advance(session, {"": 4}, start=start, end=end)
    with unit_of_work(app.store) as session:  # another worker, which saw the same mark
        totals.advance(session, {"": 4}, start=start, end=end)
        for row in session.query(gaps.GapRow):
            session.delete(row)
    _wait(local)
    after = samples(local)
    assert value(after, "gaps_total", kind="artifact-expired") == 1
    assert value(after, "deliveries_received_total") == 4


def test_githubs_budget_is_shown_as_the_worker_saw_it(local: TestClient) -> None:
    app = wired(local)
    assert value(samples(local), "github_budget_remaining") is None
    with unit_of_work(app.store) as session:
        seen = {
            measures.GITHUB_LIMIT: 5000,
            measures.GITHUB_REMAINING: 4321,
            measures.GITHUB_RESET: 1_800_000_000,
        }
        for name, count in seen.items():
            measures.note(session, name, {"": count}, at=web_story.NOW)
    _wait(local)
    found = samples(local)
    assert value(found, "github_budget_remaining") == 4321
    assert value(found, "github_budget_reset_timestamp_seconds") == 1_800_000_000


def test_every_name_has_its_help_and_ends_in_its_unit(local: TestClient) -> None:
    text = local.get("/metrics").text
    families = list(text_string_to_metric_families(text))
    assert len(families) > 20
    for family in families:
        assert family.documentation.endswith("."), family.name
        assert family.name.startswith("flake_triage_")
        assert not family.name.endswith("_total")
        is_sized = any(word in family.name for word in ("_age_", "_size_", "_reusable_", "_timestamp_"))
        assert family.name.endswith(("_seconds", "_bytes")) == is_sized, family.name


def test_the_page_is_kept_for_some_seconds(local: TestClient) -> None:
    local.get("/metrics")
    with statements_of(wired(local).store) as asked:
        local.get("/metrics")
    assert asked == []


def test_no_figure_reads_a_large_table_from_end_to_end(local: TestClient) -> None:
    store = wired(local).store
    with statements_of(store) as asked:
        local.get("/metrics")
    selects = [one for one in asked if one[0].startswith("SELECT")]
    assert 10 < len(selects) < 40
    connection = store.raw_connection()
    cursor = connection.cursor()
    for statement, parameters in selects:
        plan = [row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()]
        tables = {step.split()[1] for step in plan if step.startswith("SCAN ") and "INDEX" not in step}
        assert not tables & (LARGE | {"tasks", "outbox"}), (statement, plan)
    connection.close()


def test_another_machine_needs_the_token(make_app: MakeApp) -> None:
    app: FastAPI = make_app()
    refused = _at(app, ("192.0.2.7", 1)).get("/metrics")
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"] == "Bearer"
    assert "FLAKE_TRIAGE_METRICS_TOKEN" in refused.json()["detail"]


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
def test_a_proxy_on_this_machine_is_not_this_machine(make_app: MakeApp, header: str) -> None:
    assert _at(make_app(), HERE).get("/metrics", headers={header: "127.0.0.1"}).status_code == 401


def test_where_others_reach_us_by_a_name_nobody_reads_without_the_token(make_app: MakeApp) -> None:
    """A proxy need not say that it is one."""
    app = make_app(public_url="http://127.0.0.1:8077")
    assert _at(app, HERE).get("/metrics").status_code == 401


@pytest.mark.parametrize("client", [HERE, ("192.0.2.7", 1)])
def test_with_a_token_only_who_shows_it_reads(make_app: MakeApp, client: tuple[str, int]) -> None:
    app = make_app(metrics_token=TOKEN, public_url="http://127.0.0.1:8077")
    for shown in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer "},
    ):
        assert _at(app, client).get("/metrics", headers=shown).status_code == 401
    assert value(samples(_at(app, client), **BY_TOKEN), "build_info", version="0.1.0") == 1


def _delivery(guid: str, *, minutes: int) -> StoredDelivery:
    at = web_story.NOW + timedelta(minutes=minutes)
    return StoredDelivery(
        DeliveryId(guid), "workflow_run", "completed", "octo/gefen", DeliveryState.WAITING, "", at, 1, b"{}"
    )
