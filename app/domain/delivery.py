"""A delivery: is it really from GitHub, what does it say, and does it start the pipeline?"""

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NewType

from app.domain.errors import Rejected
from app.domain.ids import DeliveryId, RepoName
from app.domain.repo_name import is_repo_name

VerifiedBody = NewType("VerifiedBody", bytes)
"""The bytes of a delivery whose signature held, or that needed none; made by `verify_body` alone."""

_SIGNATURE = re.compile(r"sha256=([0-9a-f]{64})")
_EVENT = re.compile(r"[a-z][a-z0-9_]{0,99}")
_GUID = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,99}")
_ACTION = re.compile(r"[a-z][a-z0-9_]{0,99}")
ONLY_RUNS: Final = "only workflow_run does"
OF_APP: Final = frozenset({"installation", "installation_repositories"})
"""Told to every App, subscribed or not, and sometimes late or never: GitHub's word of the moment counts."""
_LARGEST_ID: Final = 2**63 - 1


class Unverified(Rejected):
    """The signature is missing or does not fit the body."""


class Malformed(Rejected):
    """The request is not a delivery as GitHub sends them."""


class Fate(StrEnum):
    """What becomes of a delivery once it is recorded."""

    STARTS = "starts"  # the pipeline begins with it
    IGNORED = "ignored"  # understood, and nothing follows from it
    UNREADABLE = "unreadable"  # it should say something and does not: shown to people as a problem


@dataclass(frozen=True, slots=True)
class Envelope:
    """The two headers that name a delivery; a redelivery keeps both (docs.github.com, "Webhook payloads")."""

    id: DeliveryId
    event: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook request as far as its body can be read; `note` says in words why it has this fate."""

    envelope: Envelope
    action: str | None
    repo: RepoName | None
    fate: Fate
    note: str


def verify_body(raw: bytes, signature: str | None, secret: str | None) -> VerifiedBody:
    """Check `X-Hub-Signature-256` over the bytes as they came; parsing first would change them.

    Without a secret everything is taken: who may start without one is decided where the address is known.
    """
    if secret is None:
        return VerifiedBody(raw)
    digest = require_signature(signature)
    expected = hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, digest):
        raise Unverified("signature", "the signature does not fit the body; is the webhook's secret ours?")
    return VerifiedBody(raw)


def require_signature(signature: str | None) -> str:
    """The digest in the header; what has none can be refused before a byte of its body is read."""
    if signature is None:
        raise Unverified("signature", "the header X-Hub-Signature-256 is missing; set the webhook's secret")
    match = _SIGNATURE.fullmatch(signature)
    if match is None:
        raise Unverified("signature", "the header X-Hub-Signature-256 is not 'sha256=' and 64 hex digits")
    return match[1]


def read_envelope(event: str | None, guid: str | None) -> Envelope:
    """Check the two headers; what they hold is stored and shown, so it is bounded and plain."""
    if event is None or _EVENT.fullmatch(event) is None:
        raise Malformed("X-GitHub-Event", _what_is_wrong(event))
    if guid is None or _GUID.fullmatch(guid) is None:
        raise Malformed("X-GitHub-Delivery", _what_is_wrong(guid))
    return Envelope(id=DeliveryId(guid), event=event)


def _what_is_wrong(value: str | None) -> str:
    return "the header is missing" if value is None else "the header holds more than a plain name"


def read_delivery(envelope: Envelope, body: VerifiedBody, *, watches: Callable[[str], bool]) -> Delivery:
    """Read what decides a delivery's fate; raises Malformed if the body is not a JSON object.

    JSON that is legal and yet beyond us (too deep, numbers of thousands of digits) is recorded, not refused:
    GitHub would only call it a failed delivery, and nobody would look.
    """
    try:
        payload = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise Malformed("body", f"not JSON: {_where(error)}") from None
    except (RecursionError, ValueError):
        return Delivery(
            envelope, None, None, Fate.UNREADABLE, "the JSON is nested too deeply or its numbers are too long"
        )
    if not isinstance(payload, dict):
        raise Malformed("body", "the JSON is not an object")
    action = _plain(payload.get("action"), _ACTION)
    repo = _repo(payload.get("repository"))
    fate, note = _decide(envelope.event, action, repo, payload, watches)
    return Delivery(envelope, action, repo, fate, note)


def _decide(
    event: str,
    action: str | None,
    repo: RepoName | None,
    payload: Mapping[str, object],
    watches: Callable[[str], bool],
) -> tuple[Fate, str]:
    if event != "workflow_run":
        why = "where the App is installed is asked when it matters" if event in OF_APP else ONLY_RUNS
        return Fate.IGNORED, f"{event} starts nothing; {why}"
    if action is None:
        return Fate.UNREADABLE, "workflow_run without an action"
    if action != "completed":
        return Fate.IGNORED, f"the run is {action.replace('_', ' ')}; it is read once it is completed"
    if repo is None:
        return Fate.UNREADABLE, "workflow_run without the name of its repository"
    if not watches(repo):
        return Fate.IGNORED, f"{repo} is not among the repositories of this service"
    return _decide_run(payload.get("workflow_run"))


def _decide_run(run: object) -> tuple[Fate, str]:
    if not isinstance(run, dict):
        return Fate.UNREADABLE, "workflow_run is not an object, so the run is not known"
    run_id, attempt = run.get("id"), run.get("run_attempt")
    if not _is_id(run_id) or not _is_id(attempt):
        return Fate.UNREADABLE, "workflow_run without a usable id and run_attempt"
    return Fate.STARTS, f"run {run_id}, attempt {attempt}, is completed"


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LARGEST_ID


def _repo(repository: object) -> RepoName | None:
    name = repository.get("full_name") if isinstance(repository, dict) else None
    return RepoName(name) if isinstance(name, str) and is_repo_name(name) else None


def _plain(value: object, pattern: re.Pattern[str]) -> str | None:
    return value if isinstance(value, str) and pattern.fullmatch(value) else None


def _refuse_constant(name: str) -> float:
    raise Malformed("body", f"not JSON: {name} is not a value")


def _where(error: json.JSONDecodeError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    return f"{error.msg} at character {error.pos}"
