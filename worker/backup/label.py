"""What stands beside the files of a backup: when it was taken, of what, and their digests."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError

from app.domain.errors import Gone, Rejected

NAME = "backup.json"
SCHEMA = 1

Kind = Literal["sqlite", "postgresql"]


@dataclass(frozen=True, slots=True)
class Label:
    """`files` are digests (SHA-256) by name. `version` is that of the service that took it."""

    kind: Kind
    taken_at: AwareDatetime
    version: str
    files: Mapping[str, str]


class _Versioned(BaseModel):
    schema_: int = Field(alias="schema")


_LABEL = TypeAdapter(Label)


def write(folder: Path, label: Label) -> None:
    told = {
        "schema": SCHEMA,
        "kind": label.kind,
        "taken_at": label.taken_at.isoformat(),
        "version": label.version,
        "files": dict(label.files),
    }
    (folder / NAME).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def read(folder: Path) -> Label:
    """Raises Gone where there is no backup, Rejected where it cannot be read or its files are not whole."""
    try:
        text = (folder / NAME).read_bytes()
    except FileNotFoundError:
        raise Gone("restore", f"{folder} holds no {NAME}: it is none, or was not finished") from None
    try:
        if _Versioned.model_validate_json(text).schema_ != SCHEMA:
            raise Rejected("restore", f"{folder} was taken by a version that wrote another kind")
        label = _LABEL.validate_json(text)
    except ValidationError:
        raise Rejected("restore", f"{folder / NAME} cannot be read") from None
    damaged = [name for name, digest in label.files.items() if not _is_whole(folder / name, digest)]
    if damaged:
        raise Rejected("restore", f"in {folder}, not as they were written: {', '.join(damaged)}")
    return label


def digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    return {name: _digest(folder / name) for name in names}


def _is_whole(path: Path, digest: str) -> bool:
    return path.is_file() and _digest(path) == digest


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
