"""A delivery as the web writes it down, for tests that need no web."""

from datetime import datetime

from sqlalchemy import Engine

from app.domain.ids import DeliveryId
from app.store import inbox
from app.store.inbox import DeliveryState, StoredDelivery
from app.store.session import unit_of_work


def write_delivery(
    engine: Engine, guid: str, *, at: datetime, state: DeliveryState = DeliveryState.WAITING
) -> None:
    delivery = StoredDelivery(
        guid=DeliveryId(guid),
        event="workflow_run",
        action="completed",
        repo="octo/widgets",
        state=state,
        note="",
        received_at=at,
        seen=1,
        body=b"{}",
    )
    with unit_of_work(engine) as session:
        inbox.record_once(session, delivery, {})
