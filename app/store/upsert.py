"""INSERT ... ON CONFLICT, spelled alike for SQLite and PostgreSQL."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import FromClause, Table, bindparam, func, literal_column, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import DeclarativeBase, Session

Row = TypeVar("Row")

ROWS_PER_STATEMENT = 500
"""Values in one IN (...): SQLite binds at most 32,766 a statement, and long statements are slow to build."""


def insert_missing(
    session: Session,
    table: type[DeclarativeBase],
    rows: Sequence[Mapping[str, Any]],
    *,
    unique: Sequence[str],
) -> int:
    """Insert the rows whose `unique` columns are not there yet; return how many were new.

    All rows must have the same columns.
    """
    if not rows:
        return 0
    statement = _insert(session, table).on_conflict_do_nothing(index_elements=unique)
    connection = session.connection()
    if isinstance(statement, postgresql.Insert):  # whose driver counts nothing where there are many rows
        return len(connection.execute(statement.returning(literal_column("1")), list(rows)).all())
    return max(0, connection.execute(statement, list(rows)).rowcount)


def insert_or_update(
    session: Session,
    table: type[DeclarativeBase],
    rows: Sequence[Mapping[str, Any]],
    *,
    unique: Sequence[str],
    replace: Sequence[str] = (),
    add: Sequence[str] = (),
) -> None:
    """Insert rows; where `unique` exists, `replace` columns are overwritten and `add` columns grow.

    All rows must have the same columns.
    """
    if not rows:
        return
    statement = _insert(session, table)
    columns = table.__table__.columns
    new: dict[str, Any] = {name: statement.excluded[name] for name in replace}
    new |= {name: columns[name] + statement.excluded[name] for name in add}
    statement = statement.on_conflict_do_update(index_elements=unique, set_=new)
    session.connection().execute(statement, list(rows))


def insert_or_add(
    session: Session,
    table: type[DeclarativeBase],
    columns: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    *,
    unique: Sequence[str],
    add: Sequence[str],
) -> None:
    """Insert rows; where `unique` exists, `add` columns grow. For many thousands of rows at once.

    The driver gets the rows as they are, which halves the time of `insert_or_update`: their values must be
    ones that both drivers take, so no instants and no JSON.
    """
    if not rows:
        return
    statement = _insert(session, table)
    grown = {name: table.__table__.columns[name] + statement.excluded[name] for name in add}
    statement = statement.on_conflict_do_update(index_elements=unique, set_=grown)
    if isinstance(statement, postgresql.Insert):
        _from_arrays(session, statement, columns, rows)
        return
    compiled = statement.compile(dialect=session.get_bind().dialect, column_keys=list(columns))
    assert compiled.positiontup == list(columns)
    session.connection().exec_driver_sql(str(compiled), list(rows))


def _from_arrays(
    session: Session,
    statement: "postgresql.Insert",
    columns: Sequence[str],
    rows: Sequence[tuple[object, ...]],
) -> None:
    """All rows in one statement, each column one value: the server takes them ten times as fast."""
    types = [statement.table.columns[name].type for name in columns]
    values = zip(columns, types, zip(*rows, strict=True), strict=True)
    arrays = [bindparam(name, list(column), type_=postgresql.ARRAY(kind)) for name, kind, column in values]
    given = func.unnest(*arrays).table_valued(*columns).render_derived()
    session.connection().execute(statement.from_select(list(columns), select(given)))


def _insert(session: Session, table: type[DeclarativeBase]) -> "sqlite.Insert | postgresql.Insert":
    """One row's statement, run for many: building one of many rows takes ten times as long as running it."""
    target = _plain(table.__table__)
    if session.get_bind().dialect.name == "sqlite":
        return sqlite.insert(target)
    return postgresql.insert(target)


def _plain(mapped: FromClause) -> Table:
    assert isinstance(mapped, Table)
    return mapped


def chunks(rows: Sequence[Row], size: int) -> Iterable[Sequence[Row]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))
