"""Run the migrations of one database; the same files serve SQLite and PostgreSQL."""

from typing import Any

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import JSON, BigInteger

from app.store.base import UtcDateTime
from app.store.schema import METADATA
from app.store.session import open_engine


def render_type(kind: str, item: Any, autogen: AutogenContext) -> str | bool:  # noqa: ANN401 - alembic's own
    """Write our column types by their names, so that a migration reads like the models."""
    names = {UtcDateTime: "UtcDateTime()", BigInteger: "RowId", JSON: "Json"}
    name = names.get(type(item)) if kind == "type" else None
    if name is None:
        return False
    autogen.imports.add(f"from app.store.base import {name.rstrip('()')}")
    return name


engine = open_engine(context.config.attributes["url"])
with engine.connect() as connection:
    context.configure(
        connection=connection,
        target_metadata=METADATA[context.config.attributes["branch"]],
        render_as_batch=False,
        compare_type=True,
        render_item=render_type,
    )
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
engine.dispose()
