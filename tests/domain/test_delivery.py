"""Whether a delivery is GitHub's, what it says, and what becomes of it."""

import hashlib
import hmac
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.delivery import (
    Envelope,
    Fate,
    Malformed,
    Unverified,
    VerifiedBody,
    read_delivery,
    read_envelope,
    verify_body,
)
from app.domain.ids import DeliveryId

SECRET = "it is a secret to everybody"
GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
RUN = {"id": 29538416045, "run_attempt": 1}
COMPLETED = {"action": "completed", "repository": {"full_name": "octo/gefen"}, "workflow_run": RUN}


def signed(body: bytes) -> str:
    return "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()


def read(payload: Any, event: str = "workflow_run", *, ours: bool = True) -> tuple[Fate, str]:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    delivery = read_delivery(
        Envelope(DeliveryId(GUID), event), VerifiedBody(body), watches=lambda _repo: ours
    )
    return delivery.fate, delivery.note


def test_a_fitting_signature_verifies_bytes_that_are_not_ascii() -> None:
    body = '{"title": "größer 🎉 \\u00e9"}'.encode()
    assert verify_body(body, signed(body), SECRET) == body


def test_the_documented_example_of_github_verifies() -> None:
    # docs.github.com, "Validating webhook deliveries": secret, payload and the signature they give
    signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert verify_body(b"Hello, World!", signature, "It's a Secret to Everybody") == b"Hello, World!"


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_the_signature_of_one_body_never_fits_another(one: bytes, other: bytes) -> None:
    if one == other:
        assert verify_body(one, signed(other), SECRET) == one
        return
    with pytest.raises(Unverified):
        verify_body(one, signed(other), SECRET)


@pytest.mark.parametrize(
    "signature", [None, "", "sha256=", "sha1=" + "0" * 40, "sha256=" + "0" * 64, signed(b"x").upper(), "é"]
)
def test_a_missing_or_wrong_signature_is_unverified(signature: str | None) -> None:
    with pytest.raises(Unverified):
        verify_body(b"x", signature, SECRET)


def test_without_a_secret_a_signature_is_not_looked_at() -> None:
    assert verify_body(b"x", "sha256=nonsense", None) == b"x"


def test_the_headers_name_the_delivery() -> None:
    assert read_envelope("workflow_run", GUID) == Envelope(DeliveryId(GUID), "workflow_run")


@pytest.mark.parametrize("event", [None, "", "Workflow Run", "x" * 101, "push\n", "<b>"])
def test_an_event_header_that_is_no_name_is_malformed(event: str | None) -> None:
    with pytest.raises(Malformed, match="X-GitHub-Event"):
        read_envelope(event, GUID)


@pytest.mark.parametrize("guid", [None, "", "a b", "x" * 101, "-starts-wrong", "tab\t", "ünicode"])
def test_a_guid_header_that_is_no_name_is_malformed(guid: str | None) -> None:
    with pytest.raises(Malformed, match="X-GitHub-Delivery"):
        read_envelope("push", guid)


def test_a_completed_run_starts_the_pipeline() -> None:
    assert read(COMPLETED) == (Fate.STARTS, "run 29538416045, attempt 1, is completed")


@pytest.mark.parametrize(
    ("payload", "event", "note"),
    [
        ({"zen": "Keep it logically awesome."}, "ping", "ping starts nothing; only workflow_run does"),
        (
            {"action": "deleted", "installation": {"id": 7}},
            "installation",
            "installation starts nothing; where the App is installed is asked",
        ),
        ({"action": "completed", "workflow_job": None}, "workflow_job", "workflow_job starts nothing"),
        ({**COMPLETED, "action": "in_progress"}, "workflow_run", "the run is in progress"),
        ({"action": "completed"}, "an_event_of_next_year", "an_event_of_next_year starts nothing"),
    ],
)
def test_what_starts_nothing_is_ignored_and_says_why(payload: Any, event: str, note: str) -> None:
    fate, said = read(payload, event)
    assert fate is Fate.IGNORED
    assert said.startswith(note)


def test_a_repository_that_is_not_ours_is_ignored_by_name() -> None:
    expected = (Fate.IGNORED, "octo/gefen is not among the repositories of this service")
    assert read(COMPLETED, ours=False) == expected


@pytest.mark.parametrize(
    "payload",
    [
        {"repository": {"full_name": "octo/gefen"}, "workflow_run": RUN},
        {**COMPLETED, "action": "\ud800"},
        {**COMPLETED, "action": ["completed"]},
        {"action": "completed", "workflow_run": RUN},
        {**COMPLETED, "repository": None},
        {**COMPLETED, "repository": {"full_name": "octo/gefen\x00"}},
        {**COMPLETED, "repository": {"full_name": 7}},
        {**COMPLETED, "workflow_run": None},
        {**COMPLETED, "workflow_run": {"id": "29538416045", "run_attempt": 1}},
        {**COMPLETED, "workflow_run": {"id": True, "run_attempt": 1}},
        {**COMPLETED, "workflow_run": {"id": 2**63, "run_attempt": 1}},
        {**COMPLETED, "workflow_run": {"id": 1.5, "run_attempt": 1}},
        {**COMPLETED, "workflow_run": {"id": 1, "run_attempt": 0}},
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"a":' + b"9" * 10_000 + b"}",
    ],
)
def test_a_body_that_lacks_what_it_should_say_is_unreadable(payload: Any) -> None:
    assert read(payload)[0] is Fate.UNREADABLE


@pytest.mark.parametrize(
    "name", ["../..", "./gefen", "octo/..", "octo/.", "octo/gefen\n", "octo/ge fen", "octo"]
)
def test_what_is_no_name_of_a_repository_is_unreadable(name: str) -> None:
    assert read({**COMPLETED, "repository": {"full_name": name}})[0] is Fate.UNREADABLE


@pytest.mark.parametrize("name", ["octo/.github", "octo/...", "a.b/c-d_e"])
def test_names_with_dots_are_names(name: str) -> None:
    assert read({**COMPLETED, "repository": {"full_name": name}})[0] is Fate.STARTS


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        (b"", "not JSON"),
        (b"payload=%7B%7D", "not JSON"),
        (b'{"a": NaN}', "NaN is not a value"),
        (b'{"a": -Infinity}', "-Infinity is not a value"),
        (b'{"a": "\xff"}', "byte 7 is not UTF-8"),
        (b"[1]", "the JSON is not an object"),
        (b"null", "the JSON is not an object"),
    ],
)
def test_a_body_that_is_no_json_object_is_malformed(body: bytes, wrong: str) -> None:
    with pytest.raises(Malformed, match=wrong):
        read(body)


TEXTS = st.text("aé\x00\n\u202e/", max_size=4)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from(["action", "repository", "workflow_run", "sender"]), JSON_VALUES)
    | st.fixed_dictionaries(
        {"action": st.just("completed"), "repository": JSON_VALUES, "workflow_run": JSON_VALUES},
    )
)
def test_every_json_object_has_a_fate_and_a_note(payload: dict[str, Any]) -> None:
    fate, note = read(payload)
    assert fate in Fate
    assert note


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_read_or_malformed_and_nothing_else(body: bytes) -> None:
    try:
        fate, _note = read(body)
    except Malformed:
        return
    assert fate is not Fate.STARTS
