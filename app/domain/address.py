"""Addresses as people write them down: of a web server, and of a database with its password."""

from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
NO_ADDRESS: Final = LOOPBACK | {"0.0.0.0", "::"}  # noqa: S104 - compared, never bound
"""Hosts that can be listened on, and by which no other machine finds this one."""

_POSTGRES: Final = frozenset({"postgresql+psycopg", "postgresql", "postgres"})


def is_web_address(written: str) -> bool:
    """Whether it is whole, `https://host` or `http://host`, with or without what follows."""
    try:
        found = urlsplit(written)
        return found.scheme in {"http", "https"} and bool(found.hostname) and (found.port or 1) > 0
    except ValueError:
        return False


def is_on_loopback(url: str) -> bool:
    return urlsplit(url).hostname in LOOPBACK


def as_postgres(written: str) -> str | None:
    """With the driver named, as SQLAlchemy wants it; people and hosts write it without. None for what is no
    address of a PostgreSQL database.
    """
    scheme, _, rest = written.partition("://")
    return f"postgresql+psycopg://{rest}" if scheme in _POSTGRES and _names_database(rest) else None


def password_in(url: str) -> str | None:
    """As the server is told it: an address spells it with %-signs."""
    found = urlsplit(url)
    if found.password:
        return unquote(found.password)
    return next(iter(parse_qs(found.query).get("password", [])), None)


def _names_database(rest: str) -> bool:
    """Of what follows `postgresql://`; host and port may come as `?host=`."""
    try:
        found = urlsplit(f"//{rest}")
        return len(found.path) > 1 and (found.port is None or found.port > 0)
    except ValueError:
        return False
