"""The order for a day's removal: its key lets it run once, however many workers ask."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app.store.outbox import Order
from app.store.retention import Place
from worker.housekeeping.removal import Reached

STAGE = "remove_old"

PARTITION = "retention"
"""So that one runs at a time."""


def removal_order(day: str, *, part: int = 1, reached: Reached | None = None) -> Order:
    """`reached` is how far the part before this one got."""
    payload: dict[str, Any] = {"schema": 1, "day": day, "part": part}
    if reached is not None:
        payload["step"] = reached.step
        if reached.after is not None:
            payload["after"] = [reached.after.recorded_at.isoformat(), reached.after.attempt]
    return Order(key=f"remove:{day}:{part}", stage=STAGE, payload=payload, partition=PARTITION)


def reached_before(payload: Mapping[str, Any]) -> Reached | None:
    """What the order names; None: the removal begins."""
    if "step" not in payload:
        return None
    place = payload.get("after")
    return Reached(payload["step"], Place(datetime.fromisoformat(place[0]), place[1]) if place else None)
