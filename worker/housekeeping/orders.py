"""The order for a day's removal: its key lets it run once, however many workers ask."""

from app.store.outbox import Order

STAGE = "remove_old"

PARTITION = "retention"
"""So that one runs at a time."""


def removal_order(day: str, *, part: int = 1) -> Order:
    return Order(
        key=f"remove:{day}:{part}",
        stage=STAGE,
        payload={"schema": 1, "day": day, "part": part},
        partition=PARTITION,
    )
