"""Each setting does something: a changed value is shown to change what happens, here or in the test named."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings, WrongSettings
from app.store.base import Base, InboxBase
from worker.housekeeping.horizon import Horizon

TESTS = Path(__file__).parents[1]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
BODY = b'{"action": "completed", "repository": {"full_name": "octo/lib"}}'

SHOWN_IN: Mapping[str, str] = {
    "github_api_url": "worker/test_github_access.py",
    "github_token": "worker/test_github_access.py",
    "github_app_id": "worker/test_github_access.py",
    "github_app_private_key": "worker/test_github_access.py",
    "github_app_private_key_file": "worker/test_github_access.py",
    "delivery_timeout_s": "web/test_over_sockets.py",
    "allow_private_downloads": "github/test_downloads.py",
    "worker_threads": "worker/test_engine.py",
    "poll_interval_s": "worker/test_relay.py",
    "stop_timeout_s": "worker/tiny_worker.py",
    "max_tries": "flow/test_settings_in_the_pipeline.py",
    "retry_base_s": "flow/test_settings_in_the_pipeline.py",
    "artifact_wait_s": "flow/test_settings_in_the_pipeline.py",
    "read_passed_logs": "flow/test_settings_in_the_pipeline.py",
    "comment_bytes": "flow/test_settings_in_the_pipeline.py",
    "keep_tasks_days": "flow/test_settings_in_the_pipeline.py",
    "post": "flow/test_posting_switch.py",
    "reconcile_s": "flow/test_settings_in_the_pipeline.py",
    "github_url": "flow/test_settings_in_the_pipeline.py",
    "github_timeout_s": "flow/test_settings_in_the_pipeline.py",
    "first_look_days": "flow/test_reconciling.py",
    "first_look_runs": "flow/test_reconciling.py",
}

OTHER_NAMES = {"worker_threads": "threads"}
"""What a setting is called where it arrives."""


def client(settings: Settings) -> TestClient:
    app = create_app(settings)
    Base.metadata.create_all(app.state.wiring.store)
    InboxBase.metadata.create_all(app.state.wiring.inbox)
    return TestClient(app, base_url=settings.dashboard_url, client=("127.0.0.1", 1))


def delivered(settings: Settings) -> int:
    headers = {"Content-Type": "application/json", "X-GitHub-Event": "push", "X-GitHub-Delivery": "a-b-c"}
    with client(settings) as web:
        return web.post("/webhooks/github", content=BODY, headers=headers).status_code


def metrics_read(settings: Settings) -> int:
    with client(settings) as web:
        return web.get("/metrics").status_code


def windows_shown(settings: Settings) -> str:
    with client(settings) as web:
        return web.get("/tests", headers={"Accept": "text/html"}).text.partition('<select name="days">')[2][
            :400
        ]


def door(settings: Settings) -> str:
    try:
        settings.refuse_open_door()
    except WrongSettings as error:
        return str(error)
    return "shut"


Observe = Callable[[Settings], object]
SHOWN_HERE: Mapping[str, tuple[Any, Any, Observe]] = {
    "data_dir": ("one", "two", lambda chosen: chosen.app_database_url),
    "database_url": (None, "postgresql://u@h/n", lambda chosen: chosen.engine_database_url),
    "host": ("127.0.0.1", "0.0.0.0", door),
    "port": (8077, 8078, lambda chosen: chosen.dashboard_url),
    "public_url": (None, "https://triage.example", lambda chosen: chosen.dashboard_url),
    "webhook_secret": (None, "a secret of this test", delivered),
    "repositories": ("", "octo/other", lambda chosen: chosen.watches("octo/lib")),
    "max_delivery_bytes": (10, 1000, delivered),
    "evidence_window_days": (7, 30, windows_shown),
    "keep_deliveries_days": (20, 40, lambda chosen: Horizon.seen_from(NOW, chosen).deliveries),
    "keep_raw_days": (20, 40, lambda chosen: Horizon.seen_from(NOW, chosen).raw),
    "keep_failures_days": (200, 400, lambda chosen: Horizon.seen_from(NOW, chosen).failures),
    "metrics_token": (None, "a token of this test", metrics_read),
}


def test_every_setting_is_shown_to_have_an_effect() -> None:
    assert {*SHOWN_HERE, *SHOWN_IN} == set(Settings.model_fields)


@pytest.mark.parametrize("name", SHOWN_HERE)
def test_a_changed_value_changes_what_happens(name: str, tmp_path: Path) -> None:
    one, other, observe = SHOWN_HERE[name]
    plain = {"data_dir": tmp_path}
    seen = [observe(Settings.model_validate(plain | {name: value})) for value in (one, other)]
    assert seen[0] != seen[1]


@pytest.mark.parametrize("name", SHOWN_IN)
def test_the_test_that_is_named_varies_the_setting(name: str) -> None:
    assert OTHER_NAMES.get(name, name) in (TESTS / SHOWN_IN[name]).read_text()
