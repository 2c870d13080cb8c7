"""Workflows by name where GitHub's id is not known, so that history from files and GitHub's own runs join."""

import hashlib

from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session, aliased

from app.store.runs import RunRow, VariantRow


def placeholder_id(*names: object) -> int:
    """A stable id from names; negative, as none of GitHub's is."""
    joined = "\x1f".join(str(name) for name in names).encode()
    return -1 - int.from_bytes(hashlib.blake2b(joined, digest_size=7).digest(), "big")


def id_of(session: Session, repo: int, workflow: str) -> int:
    """GitHub's id if a run of that name is known with one, else a placeholder for it."""
    known = session.scalars(
        select(RunRow.workflow_id)
        .where(RunRow.repo_id == repo, RunRow.workflow == workflow[:300], RunRow.workflow_id > 0)
        .order_by(RunRow.id.desc())
        .limit(1)
    ).one_or_none()
    return known or placeholder_id("workflow", workflow[:300])


def adopt(session: Session, repo: int, workflow_id: int, workflow: str) -> None:
    """Give GitHub's id to what was stored under the name alone. Cheap where there is nothing of that kind."""
    placeholder = placeholder_id("workflow", workflow[:300])
    taken = aliased(VariantRow)
    is_free = ~exists().where(
        taken.repo_id == repo, taken.workflow_id == workflow_id, taken.name == VariantRow.name
    )
    adopted = session.execute(
        update(VariantRow)
        .where(VariantRow.repo_id == repo, VariantRow.workflow_id == placeholder, is_free)
        .values(workflow_id=workflow_id)
        .returning(VariantRow.id)
    )
    if adopted.scalars().all():
        session.execute(
            update(RunRow)
            .where(RunRow.repo_id == repo, RunRow.workflow_id == placeholder)
            .values(workflow_id=workflow_id)
        )
