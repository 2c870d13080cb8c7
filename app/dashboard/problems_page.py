"""What needs a look: dead letters, deliveries, refused requests and gaps, each with its reason."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from app.dashboard import links, marks, parts
from app.dashboard.contexts import Beginning, ProblemsPage
from app.dashboard.filters import ago, count
from app.dashboard.problem_parts import DeadLetter, Delivery, KnownGap, Refusal, Trouble, WaitingTask
from app.dashboard.url_filters import read_key
from app.dashboard.watched_part import watched_views
from app.deps import Wiring
from app.domain.wording import counted
from app.store.inbox import DeliveryState
from app.store.screens import troubles
from app.store.screens.troubles import DeliveryLine, GapLine

GAPS_SHOWN: Final = 50
DELIVERIES_SHOWN: Final = 30
DEAD_SHOWN: Final = 50
TASKS_SHOWN: Final = 50
RECENT: Final = timedelta(days=7)
ODD: Final = "waiting-or-unreadable"
DELIVERY_STATES: Final = {
    ODD: [DeliveryState.WAITING, DeliveryState.UNREADABLE],
    "all": list(DeliveryState),
    **{marks.OF_DELIVERY[state].word: [state] for state in DeliveryState},
}
"""What the list of deliveries can be narrowed to, what needs a look first."""
SLOW: Final = timedelta(seconds=30)
"""The worker asks for deliveries several times a second; one that waits this long is not being asked for."""


def problems_page(
    session: Session, inbox: Session, query: Mapping[str, str], wired: Wiring, *, told: str, now: datetime
) -> ProblemsPage:
    """Everything newest first; gaps are paged, the rest is short by nature or cut at its limit."""
    chosen = next((name for name in DELIVERY_STATES if name == query.get("deliveries")), ODD)
    gaps = troubles.gap_lines(session, before=read_key(query, "before"), limit=GAPS_SHOWN + 1)
    deliveries = troubles.delivery_lines(inbox, DELIVERY_STATES[chosen], limit=DELIVERIES_SHOWN)
    more = gaps[GAPS_SHOWN - 1].key if len(gaps) > GAPS_SHOWN else None
    refused = wired.refusals.newest()
    return ProblemsPage(
        title="Problems",
        section="problems",
        asked_at=now,
        told=told,
        token=_token(session),
        waiting=_waiting(*troubles.oldest_waiting(inbox), now=now),
        dead_letters=tuple(_dead(one) for one in troubles.dead_letters(session, limit=DEAD_SHOWN)),
        waiting_tasks=tuple(_waiting_task(one) for one in troubles.waiting_tasks(session, limit=TASKS_SHOWN)),
        refusals=tuple(Refusal(one.at, one.reason) for one in refused),
        refused=counted(wired.refusals.count, "request"),
        deliveries=tuple(map(_delivery, deliveries)),
        delivery_choices=tuple(
            parts.Choice(name, name.replace("-", " "), chosen=name == chosen) for name in DELIVERY_STATES
        ),
        looks=wired.settings.reconcile_s > 0,
        watched=watched_views(session),
        gaps=tuple(_gap(one) for one in gaps[:GAPS_SHOWN]),
        following=None
        if more is None
        else parts.Link("Older gaps", links.with_query("/problems", {"before": str(more)}) + "#gaps"),
    )


def trouble_views(session: Session, inbox: Session, wired: Wiring, *, now: datetime) -> tuple[Trouble, ...]:
    """What the first screen says of problems: one line each, only where there is something to say."""
    waiting, oldest = troubles.oldest_waiting(inbox)
    unreadable = len(troubles.delivery_lines(inbox, [DeliveryState.UNREADABLE], limit=DELIVERIES_SHOWN))
    recent = troubles.gaps_since(session, now - RECENT)
    dead = troubles.dead_count(session)
    bad, odd = parts.Mark("problem", "bang", "bad"), parts.Mark("gap", "question", "open")
    found = (
        (_many(dead, "dead letter", "dead letters"), "dead", "given up; can be retried", bad),
        (
            _many(unreadable, "unreadable delivery", "unreadable deliveries"),
            "deliveries",
            "GitHub sent what could not be understood",
            bad,
        ),
        (
            _many(wired.refusals.count, "refused request", "refused requests"),
            "refused",
            "since this process started",
            bad,
        ),
        (_many(recent, "gap", "gaps"), "gaps", "evidence missing in the last 7 days", odd),
    )
    lines = [
        Trouble(parts.Link(text, f"/problems#{anchor}"), detail, mark)
        for text, anchor, detail, mark in found
        if text
    ]
    lines += [
        Trouble(parts.Link(f"{one.repo} is not heard of", "/problems#repositories"), one.said, one.mark)
        for one in watched_views(session)
        if one.mark == bad
    ]
    token = _token(session)
    if token:
        lines.insert(0, Trouble(parts.Link("GitHub refuses us", "/problems"), token, bad))
    slow = _waiting(waiting, oldest, now=now)
    if slow:
        lines.insert(0, Trouble(parts.Link("The worker is behind", "/problems#deliveries"), slow, bad))
    return tuple(lines)


def _many(number: int, noun: str, plural: str) -> str:
    """Empty for none: what is not there needs no line."""
    return f"{count(number)} {noun if number == 1 else plural}" if number else ""


def beginning(inbox: Session, wired: Wiring) -> Beginning:
    """How to begin, and what has been heard so far."""
    newest = troubles.delivery_lines(inbox, list(DeliveryState), limit=1)
    heard = "No delivery has come yet."
    if newest:
        heard = f"The last delivery was {newest[0].event}: {newest[0].note}."
    elif wired.refusals.count:
        heard = f"A request was refused: {wired.refusals.newest()[0].reason}."
    return Beginning(
        webhook_url=f"{wired.settings.dashboard_url}/webhooks/github",
        is_signed=wired.settings.webhook_secret is not None,
        heard=heard,
    )


def _waiting(number: int, oldest: datetime | None, *, now: datetime) -> str:
    if oldest is None or now - oldest < SLOW:
        return ""
    waiting = counted(number, "delivery waits", "deliveries wait")
    return f"{waiting}; the oldest came {ago(oldest, now)}. Is the worker running?"


def _token(session: Session) -> str:
    """One line for all tasks: the fault is the operator's to mend, and nothing of theirs."""
    refused = troubles.refused_access(session)
    if refused is None:
        return ""
    waiting = counted(refused.tasks, "task waits", "tasks wait")
    return (
        f"GitHub refuses us since {refused.since:%Y-%m-%d %H:%M} UTC; {waiting}, the last because of "
        f"{refused.reason}. Once that is mended they go on by themselves, within 15 minutes."
    )


def _dead(one: troubles.DeadLetter) -> DeadLetter:
    return DeadLetter(
        key=one.key,
        stage=one.stage.replace("_", " "),
        tries=counted(one.total_tries, "try", "tries"),
        error=_error(one.error_family, one.error),
        buried_at=one.updated_at,
        retry_href=links.with_query("/problems/retry", {"task": one.key}),
    )


def _waiting_task(one: troubles.WaitingTask) -> WaitingTask:
    return WaitingTask(
        key=one.key,
        stage=one.stage.replace("_", " "),
        tries=counted(one.tries, "try", "tries"),
        error=_error(one.error_family, one.error),
        next_at=one.next_at,
    )


def _error(family: str | None, error: str | None) -> str:
    named = f"{family}: " if family else ""
    return f"{named}{error or 'no reason was noted'}"


def _delivery(one: DeliveryLine) -> Delivery:
    return Delivery(
        mark=marks.OF_DELIVERY[one.state],
        what=one.event if one.action is None else f"{one.event} {one.action}",
        repo=one.repo or "",
        note=one.note,
        guid=one.guid,
        seen=f"came {one.seen} times" if one.seen > 1 else "",
        received_at=one.received_at,
    )


def _gap(one: GapLine) -> KnownGap:
    return KnownGap(
        gap=parts.Gap(one.gap.kind.value.replace("-", " "), one.gap.subject, one.gap.detail),
        repo=one.repo_name,
        run=parts.Link(f"run {one.run}", links.to_run(one.attempt)),
        noted_at=one.noted_at,
    )
