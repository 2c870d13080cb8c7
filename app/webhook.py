"""POST /webhooks/github: bound, verify, record in one committed row, answer 202."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response
from pydantic import SecretStr

from app.deps import WiringDep
from app.domain.delivery import Delivery, Fate, VerifiedBody, read_delivery, read_envelope, verify_body
from app.problems import TooLarge, TooSlow, WrongMediaType
from app.store import inbox
from app.store.inbox import DeliveryState, StoredDelivery
from app.store.session import unit_of_work

router = APIRouter()

PATH: Final = "/webhooks/github"

STATE_OF_FATE: Final = {
    Fate.STARTS: DeliveryState.WAITING,
    Fate.IGNORED: DeliveryState.IGNORED,
    Fate.UNREADABLE: DeliveryState.UNREADABLE,
}

KEPT_HEADERS: Final = (
    "User-Agent",
    "X-GitHub-Event",
    "X-GitHub-Hook-ID",
    "X-GitHub-Hook-Installation-Target-Type",
    "X-GitHub-Hook-Installation-Target-ID",
    "X-GitHub-Enterprise-Host",
    "X-GitHub-Enterprise-Version",
)
"""Kept beside the body. The signature is not: with the body it would let a reader guess at the secret."""

KEPT_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class Receipt:
    """`is_new` is false for a redelivery. It is counted, and starts only what started nothing before."""

    delivery: str
    is_new: bool
    note: str


async def bounded_json(request: Request, wiring: WiringDep) -> bytes:
    """The raw body; never more of it in memory than the bound and one chunk, nor waited for without end."""
    _require_json(request.headers.get("Content-Type", ""))
    limit_bytes = wiring.settings.max_delivery_bytes
    declared = request.headers.get("Content-Length", "")
    if declared.isdecimal() and len(declared) < 20 and int(declared) > limit_bytes:  # noqa: PLR2004 - 64 bits
        raise TooLarge("body", f"{declared} bytes declared, at most {limit_bytes} are taken")
    try:
        async with asyncio.timeout(wiring.settings.delivery_timeout_s):
            return await _read(request, limit_bytes)
    except TimeoutError:
        raise TooSlow("body", f"not complete after {wiring.settings.delivery_timeout_s:g} s") from None


async def _read(request: Request, limit_bytes: int) -> bytes:
    chunks: list[bytes] = []
    size_bytes = 0
    async for chunk in request.stream():
        size_bytes += len(chunk)
        if size_bytes > limit_bytes:
            raise TooLarge("body", f"more than {limit_bytes} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


BoundedJson = Annotated[bytes, Depends(bounded_json)]


@router.post(PATH, status_code=202)
def receive(request: Request, raw: BoundedJson, wiring: WiringDep, response: Response) -> Receipt:
    """The row is committed before the answer; GitHub waits 10 s and does not redeliver by itself."""
    settings = wiring.settings
    body = verify_body(raw, request.headers.get("X-Hub-Signature-256"), _reveal(settings.webhook_secret))
    envelope = read_envelope(request.headers.get("X-GitHub-Event"), request.headers.get("X-GitHub-Delivery"))
    delivery = read_delivery(envelope, body, watches=settings.watches)
    stored = _stored(delivery, body, wiring)
    with unit_of_work(wiring.inbox) as session:
        is_new = inbox.record_once(session, stored, _kept(request.headers))
    if not is_new:
        response.status_code = 200
    return Receipt(envelope.id, is_new=is_new, note=delivery.note)


def _stored(delivery: Delivery, body: VerifiedBody, wiring: WiringDep) -> StoredDelivery:
    return StoredDelivery(
        guid=delivery.envelope.id,
        event=delivery.envelope.event,
        action=delivery.action,
        repo=delivery.repo,
        state=STATE_OF_FATE[delivery.fate],
        note=delivery.note,
        received_at=wiring.clock.now(),
        seen=1,
        body=body,
    )


def _require_json(content_type: str) -> None:
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type == "application/x-www-form-urlencoded":
        raise WrongMediaType("content type", "a form; choose application/json in the webhook's settings")
    if media_type != "application/json":
        raise WrongMediaType("content type", "only application/json is taken")


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: headers[name][:KEPT_CHARACTERS] for name in KEPT_HEADERS if name in headers}


def _reveal(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
