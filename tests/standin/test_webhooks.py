"""Webhooks of the stand-in, received by a real server."""

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping

import pytest
from fixtures_github import HEAD, REPO

from app.domain.delivery import Fate, read_delivery, read_envelope, verify_body
from app.standin.exchange import Answer
from app.standin.faults import Faults
from app.standin.schema import OpenApiContract
from app.standin.server import StandIn
from app.standin.serving import Origin, listening, serving, url_of
from app.standin.state import State
from app.standin.webhooks import Mailbox, deliver

SECRET = "s3cret-of-this-test"


class Receiver:
    def __init__(self) -> None:
        self.got: list[tuple[Mapping[str, str], bytes]] = []
        self.url = ""

    def reply(self, _method: str, _path: str, _query: str, headers: Mapping[str, str], body: bytes) -> Answer:
        self.got.append((headers, body))
        return Answer(202)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    with listening() as listener:
        receiver.url = url_of(listener) + "/webhooks/github"
        with serving((listener, Origin(receiver.reply, Faults(), []))):
            yield receiver


@pytest.fixture
def mailbox(stand_in: StandIn, receiver: Receiver) -> Mailbox:
    return Mailbox(stand_in, url=receiver.url, secret=SECRET)


@pytest.mark.usefixtures("story")
def test_letter_is_signed_over_its_raw_bytes(mailbox: Mailbox, receiver: Receiver) -> None:
    assert mailbox.send(mailbox.workflow_run(1001, "completed")) == [202]
    ((headers, body),) = receiver.got
    expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={expected}"
    assert headers["x-github-event"] == "workflow_run"
    assert headers["user-agent"].startswith("GitHub-Hookshot/")
    assert headers["content-type"] == "application/json"


@pytest.mark.usefixtures("story")
def test_redelivery_keeps_guid_and_bytes(mailbox: Mailbox, receiver: Receiver) -> None:
    late = mailbox.workflow_run(1001, "completed")
    early = mailbox.workflow_run(1001, "requested")
    mailbox.send_all([late, early])
    mailbox.send(late, times=2)
    guids = [headers["x-github-delivery"] for headers, _ in receiver.got]
    assert guids == [late.guid, early.guid, late.guid, late.guid]
    assert receiver.got[0][1] == receiver.got[2][1]
    assert (len(mailbox.sent), mailbox.distinct) == (4, 2)


def test_letter_tells_what_was_so_when_it_was_written(mailbox: Mailbox, story: State) -> None:
    before = mailbox.pull_request(REPO, 87, "opened")
    story.close_pull(REPO, 87)
    after = mailbox.pull_request(REPO, 87, "closed")
    states = [json.loads(letter.body)["pull_request"]["state"] for letter in (before, after)]
    assert states == ["open", "closed"]


@pytest.mark.usefixtures("story")
@pytest.mark.parametrize(
    ("action", "status", "conclusion"),
    [
        ("requested", "queued", None),
        ("in_progress", "in_progress", None),
        ("completed", "completed", "failure"),
    ],
)
def test_run_event_is_a_whole_run(
    mailbox: Mailbox, stand_in: StandIn, action: str, status: str, conclusion: str | None
) -> None:
    body = mailbox.workflow_run(1001, action, attempt=1).body
    payload = json.loads(body)
    run = payload["workflow_run"]
    assert (payload["action"], payload["repository"]["full_name"]) == (action, REPO)
    assert (run["id"], run["run_attempt"]) == (1001, 1)
    assert (run["status"], run["conclusion"], run["head_sha"]) == (status, conclusion, HEAD)
    assert payload["workflow"]["id"] == run["workflow_id"]
    assert payload["sender"]["login"] == "ann"
    contract = stand_in._api._contract
    if isinstance(contract, OpenApiContract):
        template = "/repos/{owner}/{repo}/actions/runs/{run_id}"
        assert contract.answer_violations("GET", template, 200, run) == []


@pytest.mark.usefixtures("story")
@pytest.mark.parametrize(
    ("action", "fate"),
    [("requested", Fate.IGNORED), ("in_progress", Fate.IGNORED), ("completed", Fate.STARTS)],
)
def test_service_takes_a_letter_for_githubs(
    mailbox: Mailbox, receiver: Receiver, action: str, fate: Fate
) -> None:
    mailbox.send(mailbox.workflow_run(1001, action))
    ((headers, raw),) = receiver.got
    body = verify_body(raw, headers["x-hub-signature-256"], SECRET)
    envelope = read_envelope(headers["x-github-event"], headers["x-github-delivery"])
    delivery = read_delivery(envelope, body, watches=lambda _repo: True)
    assert (delivery.repo, delivery.action, delivery.fate) == (REPO, action, fate)


@pytest.mark.usefixtures("story")
def test_ping_has_no_action(mailbox: Mailbox) -> None:
    payload = json.loads(mailbox.ping(REPO).body)
    assert "action" not in payload
    assert payload["hook_id"] == payload["hook"]["id"]


def test_without_a_secret_there_is_no_signature(receiver: Receiver) -> None:
    assert deliver(receiver.url, None, "ping", {"zen": "ü"}, "guid-1", times=2) == [202, 202]
    assert all("x-hub-signature-256" not in headers for headers, _ in receiver.got)
