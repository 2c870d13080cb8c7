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
    outbox,
    reports,
    repos,
    results,
    runs,
    tasks,
    verdicts,
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
    outbox,
    reports,
    repos,
    results,
    runs,
    tasks,
    verdicts,
    workers,
)

METADATA: dict[str, MetaData] = {"app": Base.metadata, "inbox": InboxBase.metadata}
"""By the branch of the migrations that makes them."""
