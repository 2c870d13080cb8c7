"""Dataclasses as plain JSON and back, by their declared types."""

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path

_T = typing.TypeVar("_T")


class NotThatShape(ValueError):
    """The JSON is not what the type says."""


def to_plain(value: object) -> object:
    """Any value of our dataclasses; a path becomes its text, a tuple a list, a mapping's keys texts."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: to_plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): to_plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(one) for one in value]
    return value


def from_plain(kind: type[_T], plain: object) -> _T:
    """The value of that dataclass. Absent fields take their default, unknown ones are ignored.

    Raises NotThatShape.
    """
    try:
        return typing.cast("_T", _read(kind, plain))
    except (TypeError, ValueError, AttributeError) as error:
        raise NotThatShape(f"{getattr(kind, '__name__', kind)}: {error}") from error


@cache
def _types_of(kind: type) -> dict[str, object]:
    return typing.get_type_hints(kind)


def _read(kind: object, plain: object) -> object:
    origin = typing.get_origin(kind)
    if origin in {types.UnionType, typing.Union}:
        return _read_union(typing.get_args(kind), plain)
    if origin is tuple:
        return _read_tuple(typing.get_args(kind), plain)
    if origin is Mapping or origin is dict:
        return _read_mapping(typing.get_args(kind), plain)
    if isinstance(kind, type):
        return _read_plain(kind, plain)
    raise TypeError(f"no JSON is known for {kind}")


def _read_plain(kind: type, plain: object) -> object:
    if is_dataclass(kind):
        if not isinstance(plain, dict):
            raise TypeError(f"{kind.__name__} is an object, not {type(plain).__name__}")
        known = _types_of(kind)
        return kind(**{name: _read(known[name], one) for name, one in plain.items() if name in known})
    if issubclass(kind, Enum):
        return kind(plain)
    if issubclass(kind, Path):
        return kind(str(plain))
    if kind is float and type(plain) is int:
        return float(plain)
    if type(plain) is not kind:
        raise TypeError(f"{kind.__name__} is wanted, not {type(plain).__name__}")
    return plain


def _read_union(kinds: tuple[object, ...], plain: object) -> object:
    if plain is None and type(None) in kinds:
        return None
    problems: list[str] = []
    for kind in kinds:
        if kind is not type(None):
            try:
                return _read(kind, plain)
            except (TypeError, ValueError) as error:
                problems.append(str(error))
    raise TypeError("; ".join(problems))


def _read_tuple(kinds: tuple[object, ...], plain: object) -> tuple[object, ...]:
    if not isinstance(plain, list):
        raise TypeError(f"a list is wanted, not {type(plain).__name__}")
    if len(kinds) == 2 and kinds[1] is Ellipsis:  # noqa: PLR2004 - tuple[X, ...]
        return tuple(_read(kinds[0], one) for one in plain)
    if len(kinds) != len(plain):
        raise ValueError(f"{len(kinds)} values are wanted, not {len(plain)}")
    return tuple(_read(kind, one) for kind, one in zip(kinds, plain, strict=True))


def _read_mapping(kinds: tuple[object, ...], plain: object) -> dict[object, object]:
    if not isinstance(plain, dict):
        raise TypeError(f"an object is wanted, not {type(plain).__name__}")
    key_kind, value_kind = kinds
    return {(int(key) if key_kind is int else key): _read(value_kind, one) for key, one in plain.items()}
