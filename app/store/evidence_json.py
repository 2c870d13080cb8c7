"""Evidence as JSON and back, so that a stored verdict can be judged again from what it was judged from."""

from typing import Any

from pydantic import TypeAdapter

from app.domain.evidence import Evidence

_ADAPTER = TypeAdapter(Evidence)


def to_json(evidence: Evidence) -> dict[str, Any]:
    plain: dict[str, Any] = _ADAPTER.dump_python(evidence, mode="json")
    return plain


def from_json(plain: dict[str, Any]) -> Evidence:
    """Raises ValueError if the facts were written by a version with other fields."""
    return _ADAPTER.validate_python(plain)
