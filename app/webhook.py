"""POST /webhooks/github: bound, verify, record in one committed row, answer 202."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response
from pydantic import SecretStr

from app.deps import Wiring, WiringDep
from app.domain.delivery import (
    Delivery,
    Fate,
    VerifiedBody,
    read_delivery,
    read_envelope,
    require_signature,
    verify_body,
)
from app.problems import TooLarge, TooSlow, WrongMediaType
from app.store.inbox import DeliveryState, StoredDelivery

router = APIRouter()

PATH: Final = "/webhooks/github"
SIGNATURE: Final = "X-Hub-Signature-256"

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

AT_ONCE_BYTES: Final = 256 * 1024
"""Bodies up to this size are read without a thread, in 2 ms at most: to wait for one may take longer."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """`is_new` is false for a redelivery. It is counted, and starts only what started nothing before."""

    delivery: str
    is_new: bool
    note: str


async def bounded_json(request: Request, wiring: WiringDep) -> AsyncIterator[bytes]:
    """The raw body, refused as early as possible: by its headers, by its size, by its slowness.

    It counts among the bytes in memory until the request is answered.
    """
    settings = wiring.settings
    _require_json(request.headers.get("Content-Type", ""))
    if settings.webhook_secret is not None:
        require_signature(request.headers.get(SIGNATURE))
    declared = request.headers.get("Content-Length", "")
    limit_bytes = settings.max_delivery_bytes
    if declared.isdecimal() and len(declared) < 20 and int(declared) > limit_bytes:  # noqa: PLR2004 - 64 bits
        raise TooLarge("body", f"{declared} bytes declared, at most {limit_bytes} are taken")
    with wiring.intake.room() as hold:
        try:
            async with asyncio.timeout(settings.delivery_timeout_s):
                body = await _read(request, hold, limit_bytes=limit_bytes)
        except TimeoutError:
            raise TooSlow("body", f"not complete after {settings.delivery_timeout_s:g} s") from None
        yield body


async def _read(request: Request, hold: Callable[[int], None], *, limit_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        if len(body) + len(chunk) > limit_bytes:
            raise TooLarge("body", f"more than {limit_bytes} bytes")
        hold(len(chunk))
        body += chunk
    return bytes(body)


BoundedJson = Annotated[bytes, Depends(bounded_json)]


@router.post(PATH, status_code=202)
async def receive(request: Request, raw: BoundedJson, wiring: WiringDep, response: Response) -> Receipt:
    """The row is committed before the answer; GitHub waits 10 s and does not redeliver by itself."""
    read = partial(_read_delivery, raw, request.headers, wiring)
    delivery, body = read() if len(raw) <= AT_ONCE_BYTES else await wiring.intake.read_apart(read)
    stored = _stored(delivery, body, wiring)
    is_new = await wiring.writer.store(stored, _kept(request.headers))
    if not is_new:
        response.status_code = 200
    return Receipt(delivery.envelope.id, is_new=is_new, note=delivery.note)


def _read_delivery(raw: bytes, headers: Mapping[str, str], wiring: Wiring) -> tuple[Delivery, VerifiedBody]:
    settings = wiring.settings
    body = verify_body(raw, headers.get(SIGNATURE), _reveal(settings.webhook_secret))
    envelope = read_envelope(headers.get("X-GitHub-Event"), headers.get("X-GitHub-Delivery"))
    return read_delivery(envelope, body, watches=settings.watches), body


def _stored(delivery: Delivery, body: VerifiedBody, wiring: Wiring) -> StoredDelivery:
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
