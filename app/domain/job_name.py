"""What a job's name says: its base, its matrix values, and whether it is a shard."""

import re
from dataclasses import dataclass

_BRACKET = re.compile(r"^(?P<base>.*?)\s*\((?P<values>[^()]*)\)$")
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
    """Split on ` / ` first: a matrix can sit on the caller's part (`docs: reusable workflows`)."""
    bases: list[str] = []
    values: list[str] = []
    shard: str | None = None
    for part in full.split(" / "):
        match = _BRACKET.match(part.strip())
        if match is None:
            bases.append(part.strip())
            continue
        bases.append(match["base"].strip())
        for value in (piece.strip() for piece in match["values"].split(",")):
            if _SHARD_VALUE.match(value):
                shard = value
            elif value:
                values.append(value)
    return JobName(full=full, base=" / ".join(bases), values=tuple(values), shard=shard)
