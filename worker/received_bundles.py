"""Replay bundles inside a downloaded artifact: found by their content, checked digest by digest, and read.

Nothing of them is unpacked to disk, and nothing is run or judged again: who made the bundle could have made
up its journals as well. What it says is kept as a claim. Results files inside it are those of its trials.
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Final

from app.domain.artifact import ArtifactRef, UnpackBudget
from app.domain.errors import Rejected
from app.domain.gap import Gap, GapKind
from app.domain.replay_claim import ReplayClaim, is_own_word, read_claim
from app.domain.wording import counted
from app.store.artifacts import FileKind
from app.store.blobs import PackedBlob, pack
from app.store.replays import ArrivedReplay
from app.store.run_values import StoredAttempt
from worker.fetching.unpack import names_in, open_artifact
from worker.replay.bundle.manifest import MOST_MANIFEST_BYTES, Manifest, manifest_of
from worker.replay.bundle.manifest import NAME as MANIFEST

MOST_BUNDLES: Final = 50
"""Manifests of one artifact that are looked at; a replay takes minutes for each test."""
MOST_REPORT_BYTES: Final = 8 << 20
MOST_ABOUT_BYTES: Final = 1 << 20
MOST_SOURCE_BYTES: Final = 2 << 20
_REPORT: Final = "report.json"
_ABOUT: Final = "about.json"
_SOURCE: Final = "source/"
_BESIDE: Final = (_REPORT, "plan.json", "suspect.json")
"""What stands beside the manifest of every bundle."""
_MARK: Final = re.compile(rb'"made_by"\s{0,4}:\s{0,4}"flake-triage')
_MARKED_BYTES: Final = 4096
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class ReceivedBundle:
    """A bundle whose files are what its manifest says. `folder` is its place in the artifact, `manifest` the
    SHA-256 of that file; `source` is the test's own file, where the bundle holds it, with its path.
    """

    folder: str
    manifest: str
    claim: ReplayClaim
    report: PackedBlob
    source: tuple[str, PackedBlob] | None
    runner: str = ""
    """The machine that it names, empty where it names none."""

    @property
    def files(self) -> list[tuple[str, FileKind, PackedBlob]]:
        """What is kept of it, by the names in the artifact."""
        found = [(self.folder + _REPORT, FileKind.REPLAY_REPORT, self.report)]
        if self.source is not None:
            path, packed = self.source
            found.append((self.folder + _SOURCE + path, FileKind.TEST_SOURCE, packed))
        return found


@dataclass(slots=True)
class Received:
    """`gaps` are the bundles that were refused, each with its reason."""

    bundles: list[ReceivedBundle] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    sealed: set[str] = field(default_factory=set)
    """Names of all files that the bundles in these folders seal."""
    unread: list[str] = field(default_factory=list)
    """Folders of bundles whose manifest cannot be read: anything in them may be a trial's."""

    def holds(self, name: str) -> bool:
        """Whether this member is part of a bundle, so that it tells nothing of the job itself."""
        return name in self.sealed or any(name.startswith(folder) for folder in self.unread)


def arrived(
    bundle: ReceivedBundle, artifact: ArtifactRef, attempt: StoredAttempt, job: int | None
) -> ArrivedReplay:
    """As the store keeps it; `job` is our key of the job that made it, if that is known."""
    return ArrivedReplay(
        job=job,
        artifact=artifact.id,
        artifact_name=artifact.name,
        artifact_digest=artifact.digest,
        folder=bundle.folder,
        manifest=bundle.manifest,
        own_word=is_own_word(attempt.event, from_fork=attempt.from_fork),
        claim=bundle.claim,
    )


def receive(path: Path, budget: UnpackBudget, *, artifact: str, run: str) -> Received:
    """Bundles of the run, told as `29538416045/1` with its attempt, or that name none.

    Raises Rejected where the whole artifact is one that is not taken; a bad bundle costs only itself.
    """
    names = frozenset(names_in(path, budget, fallback_name=artifact))
    archive = _Archive(path, budget, names, run)
    received = Received()
    looked_at, left_out = 0, 0
    for folder in _folders(archive.names):
        if any(folder.startswith(one) for one in (*received.folders, *received.unread)):
            continue  # a file of that bundle
        looked_at += 1
        is_likely = all(folder + name in archive.names for name in _BESIDE)
        if looked_at > MOST_BUNDLES:
            received.unread += [folder] if is_likely else []
            left_out += is_likely
            continue
        try:
            _receive(archive, folder, received, is_likely=is_likely)
        except Rejected as refused:
            subject = f"{artifact}/{folder}".rstrip("/")
            received.gaps.append(Gap(GapKind.BUNDLE_REFUSED, subject, refused.reason))
    if left_out:
        told = f"{counted(left_out, 'bundle')} more than the {MOST_BUNDLES} that are read of one artifact"
        received.gaps.append(Gap(GapKind.BUNDLE_REFUSED, artifact, told))
    return received


def is_bundle(names: Collection[str]) -> bool:
    """Whether a folder with files of these names is a replay's, so that results in it are its trials'."""
    return {MANIFEST, *_BESIDE} <= set(names)


def _folders(names: Collection[str]) -> list[str]:
    """Those that hold a manifest, each with its last slash, empty for the top; outer ones first."""
    places = {name[: -len(MANIFEST)] for name in names if name == MANIFEST or name.endswith(f"/{MANIFEST}")}
    return sorted(places, key=lambda one: (one.count("/"), one))


def _receive(archive: "_Archive", folder: str, received: Received, *, is_likely: bool) -> None:
    """Raises Rejected where it is a bundle, and none to be taken; does nothing where it is none."""
    try:
        content = archive.content(folder + MANIFEST, MOST_MANIFEST_BYTES)
        if not is_likely and not _MARK.search(content[:_MARKED_BYTES]):
            return
        is_likely = True
        manifest = manifest_of(content, folder)
    except Rejected:
        if not is_likely:
            return  # a large or strange file of somebody else's
        received.unread.append(folder)
        raise
    received.folders.append(folder)
    received.sealed |= {folder + name for name in (MANIFEST, *manifest.files)}
    received.bundles.append(archive.bundle(folder, manifest, hashlib.sha256(content).hexdigest()))


class _Archive:
    """An artifact that is a zip; what its bundles unpack to is counted together."""

    def __init__(self, path: Path, budget: UnpackBudget, names: frozenset[str], run: str) -> None:
        self._path, self._budget, self._run, self.names = path, budget, run, names

    def content(self, name: str, most_bytes: int) -> bytes:
        """Raises Rejected where it is larger, or dangerous."""
        for member in open_artifact(self._path, self._budget, wanted=lambda one: one == name):
            content = member.stream.read(most_bytes + 1)
            if len(content) > most_bytes:
                raise Rejected(name, f"its {name} is larger than {most_bytes >> 20} MiB")
            return content
        raise Rejected(name, f"its {name} is an archive")

    def bundle(self, folder: str, manifest: Manifest, digest: str) -> ReceivedBundle:
        """Raises Rejected unless each file is as it was sealed, and the report is one on that test.

        Files that are not in the manifest are not looked at. Hidden ones may be missing: upload-artifact
        leaves them out unless it is told otherwise.
        """
        missing = [
            name
            for name in manifest.files
            if folder + name not in self.names and not any(part.startswith(".") for part in name.split("/"))
        ]
        if missing:
            raise Rejected(folder, f"{missing[0][:200]} is missing" + _more(len(missing) - 1))
        kept = self._checked(folder, manifest)
        if _REPORT not in kept:
            told = (
                f"is larger than {MOST_REPORT_BYTES >> 20} MiB"
                if _REPORT in manifest.files
                else "is not in it"
            )
            raise Rejected(folder, f"its {_REPORT} {told}")
        claim = read_claim(_json(kept[_REPORT]), test=manifest.test)
        source = manifest.test.partition("::")[0]
        text, about = kept.get(_SOURCE + source), _about(kept.get(_ABOUT, b"{}"))
        if (run := _run_of(about)) not in {"", self._run}:
            raise Rejected(folder, f"it was made in run {run[:60]}, and not in this one")
        return ReceivedBundle(
            folder=folder,
            manifest=digest,
            claim=claim,
            report=pack(kept[_REPORT]),
            source=None if text is None else (source, pack(text)),
            runner=about.get("github runner_name", ""),
        )

    def _checked(self, folder: str, manifest: Manifest) -> dict[str, bytes]:
        """The files that are read, by name, once the digest of every file is what was sealed."""
        wanted = {folder + name: name for name in manifest.files}
        source = _SOURCE + manifest.test.partition("::")[0]
        most = {_REPORT: MOST_REPORT_BYTES, _ABOUT: MOST_ABOUT_BYTES, source: MOST_SOURCE_BYTES}
        kept: dict[str, bytes] = {}
        total, seen = 0, set[str]()
        try:
            for member in open_artifact(self._path, self._budget, wanted=wanted.__contains__):
                name = wanted[member.name]
                size, digest, head = _read(member.stream, most.get(name, 0))
                total += size
                sealed = manifest.files[name]
                if (size, digest) != (sealed.size, sealed.sha256):
                    raise Rejected(folder, f"{name[:200]} is not what was sealed: its SHA-256 is {digest}")
                seen.add(name)
                if name in most and size <= most[name]:
                    kept[name] = head
        finally:
            left = max(0, self._budget.total_bytes - total)
            self._budget = replace(self._budget, total_bytes=left)
        unseen = [name for name in manifest.files if folder + name in self.names and name not in seen]
        if unseen:
            raise Rejected(folder, f"{unseen[0][:200]} is an archive, which is not looked into")
        return kept


def _read(stream: BinaryIO, most_kept: int) -> tuple[int, str, bytes]:
    """Size, SHA-256, and as many first bytes as may be kept."""
    hashed, size, kept = hashlib.sha256(), 0, bytearray()
    while chunk := stream.read(_CHUNK):
        hashed.update(chunk)
        size += len(chunk)
        kept += chunk[: max(0, most_kept - len(kept))]
    return size, hashed.hexdigest(), bytes(kept)


def _json(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Rejected(_REPORT, f"its {_REPORT} is no JSON") from error


def _about(content: bytes) -> dict[str, str]:
    """With what it was made; only what is text counts."""
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return (
        {key: value for key, value in told.items() if isinstance(value, str)}
        if isinstance(told, dict)
        else {}
    )


def _run_of(about: Mapping[str, str]) -> str:
    """GitHub's id of the run that it was made in, and the attempt; empty where it does not say."""
    run, attempt = about.get("github run_id"), about.get("github run_attempt")
    return f"{run}/{attempt}" if run and attempt else ""


def _more(count: int) -> str:
    return f", and {counted(count, 'more file')}" if count else ""
