"""Webhooks of the stand-in: payloads built from its state, signed, and sent as often as one likes."""

import hashlib
import hmac
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import httpx

from app.domain.ids import RunId
from app.standin.apps import InstallationRecord
from app.standin.records import Run
from app.standin.server import StandIn
from app.standin.shapes import apps, code, runs
from app.standin.shapes.accounts import FOUNDED, Addresses, Json, repository, user

HOOK_ID = 4001
TIMEOUT_S = 10.0
"""GitHub gives a receiver 10 seconds."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One event as it was when it happened; a redelivery is the same letter, with the same GUID."""

    event: str
    guid: str
    body: bytes


def signature(secret: str, body: bytes) -> str:
    """The value of `X-Hub-Signature-256` over the raw bytes."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def deliver(
    url: str, secret: str | None, event: str, payload: Json | bytes, guid: str, *, times: int = 1
) -> list[int]:
    """Send one event; returns the statuses. Without a secret there is no signature, as at GitHub."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/5d1a2b3",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": guid,
        "X-GitHub-Hook-ID": str(HOOK_ID),
        "X-GitHub-Hook-Installation-Target-Type": "repository",
    }
    if secret is not None:
        headers["X-Hub-Signature-256"] = signature(secret, body)
    with httpx.Client(timeout=TIMEOUT_S) as http:
        return [http.post(url, content=body, headers=headers).status_code for _ in range(times)]


class Mailbox:
    """Writes letters about what the state holds now, and sends them: at once, later, twice, or never."""

    def __init__(self, standin: StandIn, *, url: str, secret: str | None) -> None:
        self._standin = standin
        self._url = url
        self._secret = secret
        self._written = 0
        self.sent: list[Letter] = []
        """Every sending, doubles too, in order."""

    @property
    def distinct(self) -> int:
        """How many different events were sent."""
        return len({letter.guid for letter in self.sent})

    def send(self, letter: Letter, *, times: int = 1) -> list[int]:
        self.sent += [letter] * times
        return deliver(self._url, self._secret, letter.event, letter.body, letter.guid, times=times)

    def send_all(self, letters: Sequence[Letter]) -> list[int]:
        return [status for letter in letters for status in self.send(letter)]

    def ping(self, repo: str) -> Letter:
        hook = {
            "type": "Repository",
            "id": HOOK_ID,
            "name": "web",
            "active": True,
            "events": ["workflow_run", "pull_request"],
            "config": {"content_type": "json", "insecure_ssl": "0", "url": self._url},
            "created_at": FOUNDED,
            "updated_at": FOUNDED,
            "url": f"{self._at.api}/repos/{repo}/hooks/{HOOK_ID}",
            "last_response": {"code": None, "status": "unused", "message": None},
        }
        return self._letter("ping", repo, {"zen": "Speak like a human.", "hook_id": HOOK_ID, "hook": hook})

    def workflow_run(self, run_id: int, action: str, *, attempt: int | None = None) -> Letter:
        """`action` is requested, in_progress or completed; the run's status in the body follows from it."""
        run = self._standin.state.runs[RunId(run_id)]
        record = run.latest if attempt is None else run.attempts[attempt]
        shown = runs.run(self._at, run, record)
        if action != "completed":
            shown |= {"status": "queued" if action == "requested" else "in_progress", "conclusion": None}
        about = {"action": action, "workflow_run": shown, "workflow": _workflow(self._at, run)}
        return self._letter("workflow_run", run.repository.name, about, sender=run.actor)

    def pull_request(self, repo: str, number: int, action: str) -> Letter:
        """`action` is opened, synchronize, reopened or closed."""
        of = self._standin.state.repository(repo)
        shown = code.pull(self._at, of, of.pulls[number], full=True)
        about = {"action": action, "number": number, "pull_request": shown}
        return self._letter("pull_request", repo, about, sender=of.pulls[number].author)

    def of_app(self, event: str, action: str, of: InstallationRecord) -> Letter:
        """`event` is installation or installation_repositories, which name no repository of their own."""
        app = self._standin.state.app
        assert app is not None, "installations are an App's"
        about: Json = {"action": action, "installation": apps.installation(self._at, app, of)}
        if event == "installation_repositories":
            about |= {
                "repository_selection": "selected",
                "repositories_added": [],
                "repositories_removed": [],
            }
        return self._enveloped(event, of.account, about | {"sender": user(self._at, of.account)})

    @property
    def _at(self) -> Addresses:
        return self._standin.at

    def _letter(
        self, event: str, repo: str, about: Mapping[str, object], *, sender: str = "octocat"
    ) -> Letter:
        of = self._standin.state.repository(repo)
        payload = {**about, "repository": repository(self._at, of), "sender": user(self._at, sender)}
        return self._enveloped(event, repo, payload)

    def _enveloped(self, event: str, whose: str, payload: Json) -> Letter:
        """GUIDs follow from the order of writing, so that a story told twice has the same ones."""
        self._written += 1
        guid = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{whose}/{event}/{self._written}"))
        return Letter(event, guid, json.dumps(payload).encode())


def _workflow(at: Addresses, run: Run) -> Json:
    url, html = f"{at.api}/repos/{run.repository.name}", f"{at.html}/{run.repository.name}"
    return {
        "id": run.workflow.id,
        "node_id": f"W_{run.workflow.id:x}",
        "name": run.workflow.name,
        "path": run.workflow.path,
        "state": "active",
        "created_at": FOUNDED,
        "updated_at": FOUNDED,
        "url": f"{url}/actions/workflows/{run.workflow.id}",
        "html_url": f"{html}/blob/{run.repository.default_branch}/{run.workflow.path}",
        "badge_url": f"{html}/workflows/{run.workflow.name}/badge.svg",
    }
