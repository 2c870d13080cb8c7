"""The manifest of a bundle: the SHA-256 of every file, so that anyone can tell what was changed since."""

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.domain.errors import Gone, Rejected
from worker.replay.bundle.judges import own_digest
from worker.replay.regular_file import read_bounded

NAME: Final = "manifest.json"
FORMAT: Final = 1
MOST_FILES: Final = 50_000
MOST_FILE_BYTES: Final = 1 << 30
MOST_BYTES: Final = 8 << 30
MOST_MANIFEST_BYTES: Final = 32 << 20
MOST_PATH: Final = 1000
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Sealed:
    """A file as it was when the bundle was made."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """`files` by path within the bundle, with slashes; the manifest itself is not among them.

    `judged_by` is the digest of the code that judged and worded it, empty where the bundle does not say.
    """

    test: str
    made_by: str
    files: Mapping[str, Sealed]
    judged_by: str = ""


def seal(folder: Path, *, test: str, made_by: str) -> Manifest:
    """Write the manifest over all that is in the folder, and return it."""
    files = {path: _sealed(folder / path) for path in sorted(_regular_files(folder)) if path != NAME}
    manifest = Manifest(test, made_by, files, own_digest())
    plain = {
        "format": FORMAT,
        "made_by": made_by,
        "judged_by": manifest.judged_by,
        "test": test,
        "files": {path: {"sha256": one.sha256, "bytes": one.size} for path, one in files.items()},
    }
    (folder / NAME).write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
    return manifest


def read_manifest(folder: Path) -> Manifest:
    """Raise Gone where there is none, Rejected where it is no manifest, or one that no bundle could have."""
    subject = str(folder)
    content = read_bounded(folder / NAME, MOST_MANIFEST_BYTES + 1)
    if not content:
        raise Gone(subject, f"it holds no {NAME}, so it is no bundle")
    return manifest_of(content, subject)


def manifest_of(content: bytes, subject: str) -> Manifest:
    """What a manifest's bytes say; Rejected as above, `subject` being what is refused."""
    if len(content) > MOST_MANIFEST_BYTES:
        raise Rejected(subject, f"its {NAME} is larger than {MOST_MANIFEST_BYTES >> 20} MiB")
    try:
        plain = json.loads(content)
        if plain["format"] != FORMAT:
            raise Rejected(subject, f"its format is {plain['format']!r}; this version reads {FORMAT}")
        files = {path: Sealed(str(one["sha256"]), int(one["bytes"])) for path, one in plain["files"].items()}
        judged_by = str(plain.get("judged_by", ""))
        manifest = Manifest(str(plain["test"]), str(plain["made_by"]), files, judged_by)
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise Rejected(subject, f"its {NAME} is not one that flake-triage writes") from error
    for path in files:
        if not is_inside(path):
            raise Rejected(subject, f"its {NAME} names {path!r}, which is not inside the bundle")
    if len(files) > MOST_FILES or sum(one.size for one in files.values()) > MOST_BYTES:
        raise Rejected(subject, f"its {NAME} names more than a bundle may hold")
    return manifest


def is_inside(path: str) -> bool:
    """A plain relative path: no way up, no root, nothing that another system would read as one."""
    parts = path.split("/")
    return 0 < len(path) <= MOST_PATH and all(
        part not in {"", ".", ".."} and not set(part) & {"\0", "\\", ":"} for part in parts
    )


def differences(folder: Path, manifest: Manifest) -> Iterator[str]:
    """One sentence for each file that is not as it was sealed; nothing is read through a link."""
    found = set()
    for count, (path, what) in enumerate(_walk(folder)):
        if count > MOST_FILES:
            yield f"there are more than {MOST_FILES} files; the rest was not looked at"
            return
        if what is not None:
            yield f"{path}: is {what}, which no bundle holds"
        elif path != NAME and path not in manifest.files:
            yield f"{path}: is not in the manifest"
        found.add(path)
    for path, sealed in manifest.files.items():
        if path not in found:
            yield f"{path}: is missing"
        elif (words := _difference(folder / path, sealed)) is not None:
            yield f"{path}: {words}"


def irregular(folder: Path) -> Iterator[str]:
    """Paths that are neither folders nor regular files: what a test left there to mislead a reader."""
    return (path for path, what in _walk(folder) if what is not None)


def _difference(file: Path, sealed: Sealed) -> str | None:
    size = file.lstat().st_size
    if size != sealed.size:
        return f"has {size:,} bytes, {sealed.size:,} were sealed"
    if size > MOST_FILE_BYTES:
        return f"is larger than {MOST_FILE_BYTES >> 20} MiB, and was not read"
    digest = _sealed(file).sha256
    return None if digest == sealed.sha256 else f"has SHA-256 {digest}, sealed was {sealed.sha256}"


def _sealed(file: Path) -> Sealed:
    """OSError where it is not a regular file any more."""
    hashed, size = hashlib.sha256(), 0
    opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(opened, "rb") as stream:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise IsADirectoryError(0, "no regular file", str(file))
        while chunk := stream.read(_CHUNK):
            hashed.update(chunk)
            size += len(chunk)
            if size > MOST_FILE_BYTES:
                break
    return Sealed(hashed.hexdigest(), size)


def _regular_files(folder: Path) -> Iterator[str]:
    return (path for path, what in _walk(folder) if what is None)


def _walk(folder: Path) -> Iterator[tuple[str, str | None]]:
    """Each file's path within the folder, and what it is where that is no regular file. Follows no link."""
    for parent, folders, names in os.walk(folder):
        for name in [*folders, *names]:
            path = Path(parent, name)
            mode = path.lstat().st_mode
            inside = path.relative_to(folder).as_posix()
            if stat.S_ISREG(mode):
                yield inside, None
            elif not stat.S_ISDIR(mode):
                yield inside, "a link" if stat.S_ISLNK(mode) else "neither a file nor a folder"
