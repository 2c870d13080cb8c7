"""Which tests to replay, and what is known of their failure: named, from results files, or from the store."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import typer

from app.domain.errors import Gone
from app.domain.outcome import Errored, Failed, TestId
from app.domain.results.formats import read_results
from app.domain.results.results_file import Reading, ReadStatus
from app.domain.signature import sign
from app.store import blobs, failures, identities
from worker.commands.database import reading
from worker.commands.no_file import system_words, why_no_file
from worker.replay.suspect import Original

NO_FILE = "there is no such file; the tests may have ended before they wrote it, or write it elsewhere"
FOLDER = "a folder that holds no results file"


@dataclass(frozen=True, slots=True)
class Target:
    """A node id relative to the project, with the failure to reproduce where one is known."""

    test: str
    original: Original | None = None


@dataclass(frozen=True, slots=True)
class RedTests:
    """What results files hold. `left` and `unread`: tests and files that give nothing to replay, and why."""

    targets: tuple[Target, ...]
    left: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)


def named(project: Path, nodes: Sequence[str]) -> list[Target]:
    """Node ids as they are given; each must name a file of the project."""
    return [Target(_checked_node(project, node)) for node in dict.fromkeys(nodes)]


def red_tests(project: Path, files: Sequence[Path]) -> RedTests:
    """Every test that is red in the files, once, with its first failure; and what gives nothing to replay.

    Gone where no file could be read. A file that breaks off gives what stands before the break.
    """
    found: dict[str, Target] = {}
    left: dict[str, str] = {}
    unread: dict[str, str] = {}
    for file in files:
        told = _reading(file)
        if isinstance(told, str):
            unread[str(file)] = told
            continue
        for result in told.results:
            if not isinstance(result.outcome, Failed | Errored):
                continue
            try:
                node = node_of(project, result.test, result.path)
            except Gone as error:
                left.setdefault(result.test.label, error.reason)
                continue
            original = _original(result.test, result.outcome.message, result.outcome.text, result.duration_s)
            found.setdefault(node, Target(node, original))
    if len(unread) == len(files):
        raise Gone("--from-junit", "; ".join(f"{file}: {why}" for file, why in list(unread.items())[:5]))
    return RedTests(tuple(found.values()), left, unread)


def _reading(file: Path) -> Reading | str:
    """What it holds, or why it holds nothing for us."""
    try:
        why_not = why_no_file(file, wanted="a results file", folder=FOLDER, absent=NO_FILE)
        if why_not:
            return why_not
        with file.open("rb") as stream:
            told = read_results(stream)
    except OSError as error:
        return system_words(error)
    return told.reason or "it is no results file" if told.status is ReadStatus.REFUSED else told


def from_store(project: Path, failure: int) -> Target:
    """The stored failure of this number. Gone where there is none, or where it names no test."""
    subject = f"failure {failure}"
    with reading("replay --failure") as session:
        stored = failures.by_id(session, failure)
        if stored is None:
            raise Gone(subject, "there is none of this number")
        if stored.test is None:
            raise Gone(subject, "its job failed without naming a test")
        test = identities.by_key(session, {stored.test})[stored.test]
        text = blobs.texts(session, {stored.text_blob})[stored.text_blob]
    return Target(node_of(project, test, stored.path), _original(test, stored.message, text, None))


def node_of(project: Path, test: TestId, path: str | None) -> str:
    """The node id of a test as a results file names it: a dotted module, then classes. Gone where none fits.

    The longest part that is a file of the project is the module; `path` is what the file says of it.
    """
    parts = test.classname.split(".") if test.classname else []
    for length in range(len(parts), 0, -1):
        file = "/".join(parts[:length]) + ".py"
        if _is_file(project, file):
            return "::".join([file, *parts[length:], test.name])
    for told in (path, test.file):
        if told and _is_file(project, told):
            return "::".join([told, *_classes(told.removesuffix(".py").split("/"), parts), test.name])
    raise Gone(test.label, f"no file of {project} is the module of this test; --project says where it is")


def _classes(module: Sequence[str], parts: Sequence[str]) -> Sequence[str]:
    """What is left of a dotted name behind the end of the module that it begins with, if with any."""
    for length in range(min(len(module), len(parts)), 0, -1):
        if list(parts[:length]) == list(module[-length:]):
            return parts[length:]
    return [part for part in parts if part[:1].isupper()]


def _original(test: TestId, message: str, text: str, seconds: float | None) -> Original:
    signature = sign(test=test, message=message, text=text)
    return Original(message, text, signature.group, signature.opaque, seconds)


def _checked_node(project: Path, node: str) -> str:
    path, mark, rest = node.partition("::")
    inside = Path(path)
    if inside.is_absolute() and inside.is_relative_to(project):
        inside = inside.relative_to(project)
    if not path or node.startswith("-") or "\0" in node:
        raise typer.BadParameter(f"{node!r} is no test; one is written tests/test_a.py::test_b")
    if not (project / inside).exists() or not (project / inside).resolve().is_relative_to(project.resolve()):
        raise typer.BadParameter(f"{path} is not in {project}; --project says where the test is")
    return f"{inside}{mark}{rest}"


def _is_file(project: Path, path: str) -> bool:
    with suppress(OSError, ValueError):  # longer than any name of a file, or a NUL in it
        file = (project / path).resolve()
        return file.is_relative_to(project.resolve()) and file.is_file()
    return False
