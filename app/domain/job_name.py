"""What a job's name says: its base, its matrix values, and whether it is a shard."""

import re
from dataclasses import dataclass

_SHARD_VALUE = re.compile(r"^(?:shard\s*)?(\d+)\s*(?:/|of)\s*(\d+)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class JobName:
    """`caller / test (3.12, linux)`: base `caller / test`, values `("3.12", "linux")`."""

    full: str
    base: str
    values: tuple[str, ...]
    shard: str | None

    @property
    def variant(self) -> str:
        """The job without its shard: what must be equal for two results to be comparable."""
        return f"{self.base} ({', '.join(self.values)})" if self.values else self.base


def parse_job_name(full: str) -> JobName:
    """Split on ` / ` first: a matrix can sit on the caller's part (`docs: reusable workflows`).

    Inside brackets it is no separator: `test (1 / 4)` is a shard.
    """
    bases: list[str] = []
    values: list[str] = []
    shard: str | None = None
    for part in _parts(full):
        base, inner = _split_bracket(part.strip())
        bases.append(base)
        for value in (piece.strip() for piece in inner.split(",")):
            if _SHARD_VALUE.match(value):
                shard = value
            elif value:
                values.append(value)
    return JobName(full=full, base=" / ".join(bases), values=tuple(values), shard=shard)


def _parts(full: str) -> list[str]:
    parts: list[list[str]] = []
    depth = 0
    for piece in full.split(" / "):
        if depth > 0:
            parts[-1].append(piece)
        else:
            parts.append([piece])
        depth += piece.count("(") - piece.count(")")
    return [" / ".join(pieces) for pieces in parts]


def _split_bracket(part: str) -> tuple[str, str]:
    """`test (3.12, linux)` gives `test` and `3.12, linux`; a bracket within a bracket is left in the base."""
    base, bracket, inner = part[:-1].rpartition("(")
    if not part.endswith(")") or not bracket or ")" in inner:
        return part, ""
    return base.strip(), inner
