"""While bound to this machine alone, only its own names are answered."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.own_host import host_name


@pytest.mark.parametrize("host", ["127.0.0.1:8077", "localhost", "LOCALHOST:1", "[::1]:8077"])
def test_names_of_this_machine_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8077", "127.0.0.1.evil.example", "[", ""])
def test_another_name_is_refused_even_if_it_leads_here(client: TestClient, host: str) -> None:
    answer = client.get("/", headers={"Host": host})
    assert answer.status_code == 421
    assert "FLAKE_TRIAGE_PUBLIC_URL" in answer.json()["detail"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_an_unsigned_delivery_under_another_name_leaves_no_row(client: TestClient) -> None:
    headers = {"Host": "evil.example", "X-GitHub-Event": "ping", "X-GitHub-Delivery": "a-1"}
    assert client.post("/webhooks/github", json={}, headers=headers).status_code == 421
    assert "No delivery has come yet." in client.get("/").text


def test_the_public_address_is_answered_as_well(make_app: Any) -> None:
    app = make_app(public_url="https://flakes.example/")
    with TestClient(app, base_url="http://flakes.example") as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/healthz", headers={"Host": "other.example"}).status_code == 421


def test_bound_to_all_addresses_any_name_is_answered(make_app: Any) -> None:
    app = make_app(host="0.0.0.0", webhook_secret="0d9ae1a5b7f2")
    with TestClient(app, base_url="http://ci-box") as client:
        assert client.get("/healthz").status_code == 200


@given(st.text(max_size=40))
def test_any_host_header_has_a_name_or_none(host: str) -> None:
    assert isinstance(host_name(host), str)
