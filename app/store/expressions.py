"""Expressions that mean the same on SQLite and PostgreSQL, where plain ones would not."""

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, SQLColumnExpression, Text, cast, func
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class by_code_points(FunctionElement[str]):  # noqa: N801 - used as a function, as SQLAlchemy's own are
    """A text to sort by: SQLite's order and Python's, whatever language PostgreSQL's database is set to."""

    inherit_cache = True
    type = Text()


@compiles(by_code_points)
def _plain(element: by_code_points, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - as called
    return compiler.process(element.clauses, **options)


@compiles(by_code_points, "postgresql")
def _collated(element: by_code_points, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - as called
    return f'{compiler.process(element.clauses, **options)} COLLATE "C"'


def total(column: SQLColumnExpression[int]) -> ColumnElement[int]:
    """The sum of a column as a whole number; PostgreSQL's own sum of 64-bit ones is a decimal."""
    return cast(func.sum(column), BigInteger)
