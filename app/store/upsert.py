"""INSERT ... ON CONFLICT, spelled alike for SQLite and PostgreSQL."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import DeclarativeBase, Session

Row = TypeVar("Row")

ROWS_PER_STATEMENT = 500
"""SQLite binds at most 32,766 values a statement; our widest row has about 30 columns."""


def _insert(session: Session, table: type[DeclarativeBase]) -> "sqlite.Insert | postgresql.Insert":
    if session.get_bind().dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)


def insert_missing(
    session: Session,
    table: type[DeclarativeBase],
    rows: Sequence[Mapping[str, Any]],
    *,
    unique: Sequence[str],
) -> int:
    """Insert the rows whose `unique` columns are not there yet; return how many were new."""
    new = 0
    for chunk in chunks(rows, ROWS_PER_STATEMENT):
        statement = _insert(session, table).values(list(chunk)).on_conflict_do_nothing(index_elements=unique)
        new += max(0, session.connection().execute(statement).rowcount)
    return new


def insert_or_update(
    session: Session,
    table: type[DeclarativeBase],
    rows: Sequence[Mapping[str, Any]],
    *,
    unique: Sequence[str],
    replace: Sequence[str] = (),
    add: Sequence[str] = (),
) -> None:
    """Insert rows; where `unique` exists, `replace` columns are overwritten and `add` columns grow."""
    for chunk in chunks(rows, ROWS_PER_STATEMENT):
        statement = _insert(session, table).values(list(chunk))
        new: dict[str, Any] = {name: statement.excluded[name] for name in replace}
        new |= {name: getattr(table, name) + statement.excluded[name] for name in add}
        session.connection().execute(statement.on_conflict_do_update(index_elements=unique, set_=new))


def chunks(rows: Sequence[Row], size: int) -> Iterable[Sequence[Row]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))
