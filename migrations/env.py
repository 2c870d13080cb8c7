"""Run the migrations of one database; the same files serve SQLite and PostgreSQL."""

from typing import Any

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import JSON, BigInteger

from app.store.base import LongText, ShortText, UtcDateTime
from app.store.migrate import options
from app.store.session import open_engine

WAIT_S = 120.0
"""Longer than any migration takes here."""


def render_type(kind: str, item: Any, autogen: AutogenContext) -> str | bool:  # noqa: ANN401 - alembic's own
    """Write our column types by their names, so that a migration reads like the models."""
    if kind == "type" and isinstance(item, ShortText | LongText):
        return f"sa.{item.impl!r}"
    names = {UtcDateTime: "UtcDateTime()", BigInteger: "RowId", JSON: "Json"}
    name = names.get(type(item)) if kind == "type" else None
    if name is None:
        return False
    autogen.imports.add(f"from app.store.base import {name.rstrip('()')}")
    return name


# As a writer, so that of several hosts the later ones wait, and then find nothing left to do.
engine = open_engine(context.config.attributes["url"], busy_s=WAIT_S)
with engine.connect() as connection:
    context.configure(
        connection=connection,
        render_as_batch=False,
        render_item=render_type,
        **options(context.config.attributes["branch"]),
    )
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
engine.dispose()
