"""What every table shares: constraint names, aware instants, column types alike on both databases."""

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, MetaData, String, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase

NAMING = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcDateTime(TypeDecorator[datetime]):
    """An aware instant in UTC; a naive one is refused when bound, since nobody knows what it means."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"refusing a time without zone: {value!r}")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


RowId = BigInteger().with_variant(Integer, "sqlite")
"""64-bit keys; SQLite gives out rowids only for its own INTEGER PRIMARY KEY."""

Json = JSON()
"""Not JSONB: that sorts the keys, and refuses text that SQLite keeps (NUL, half a character)."""

BYTES_A_CHARACTER = 3
"""On the average of one text: a key of an index in PostgreSQL has at most 2,704 bytes."""


def storable(text: str, most: int | None = None) -> str:
    """The text as a column of `most` characters holds it, on both databases alike.

    PostgreSQL knows no NUL, UTF-8 no half character; for what compares a text with stored ones.
    """
    if text.isascii():
        return text[:most].replace("\0", "\ufffd")
    written = text[:most].replace("\0", "\ufffd").encode("utf-8", "replace")
    return written[: most and BYTES_A_CHARACTER * most].decode("utf-8", "ignore")


class ShortText(TypeDecorator[str]):
    """Text of at most so many characters; what is longer is cut, when written and when compared."""

    impl = String
    cache_ok = True

    def __init__(self, length: int) -> None:
        super().__init__(length)
        self._most = length

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - both alike
        return None if value is None else storable(value, self._most)


class LongText(TypeDecorator[str]):
    """Text of any length."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - both alike
        return None if value is None else storable(value)


class Base(DeclarativeBase):
    """Tables of the application database."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map: ClassVar[dict[Any, Any]] = {datetime: UtcDateTime, int: RowId}


class InboxBase(DeclarativeBase):
    """The inbox: on SQLite a file of its own, so that its writer never waits for another's."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map: ClassVar[dict[Any, Any]] = {datetime: UtcDateTime, int: RowId}
