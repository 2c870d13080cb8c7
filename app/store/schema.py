"""Every table of both databases, imported in one place so that migrations see them all."""

from sqlalchemy import MetaData

from app.store import (
    artifacts,
    blobs,
    changes,
    commits,
    failures,
    gaps,
    groups,
    identities,
    inbox,
    lints,
    measures,
    named_runs,
    outbox,
    replays,
    reports,
    repos,
    results,
    runs,
    tasks,
    verdicts,
    watch,
    workers,
)
from app.store.base import Base, InboxBase

MODULES = (
    artifacts,
    blobs,
    changes,
    commits,
    failures,
    gaps,
    groups,
    identities,
    inbox,
    lints,
    measures,
    named_runs,
    outbox,
    replays,
    reports,
    repos,
    results,
    runs,
    tasks,
    verdicts,
    watch,
    workers,
)

METADATA: dict[str, MetaData] = {"app": Base.metadata, "inbox": InboxBase.metadata}
"""By the branch of the migrations that makes them."""
