"""Which tests to replay, and what is known of their failure: named, from results files, or from the store."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import typer

from app.domain.errors import Gone, Rejected
from app.domain.junit import read_results
from app.domain.outcome import Errored, Failed, TestId
from app.domain.results_file import ReadStatus
from app.domain.signature import sign
from app.store import blobs, failures, identities
from worker.commands.database import reading
from worker.replay.suspect import Original

MOST_TESTS = 200
"""Of one command; each takes minutes."""


@dataclass(frozen=True, slots=True)
class Target:
    """A node id relative to the project, with the failure to reproduce where one is known."""

    test: str
    original: Original | None = None


def named(project: Path, nodes: Sequence[str]) -> list[Target]:
    """Node ids as they are given; each must name a file of the project."""
    return [Target(_checked_node(project, node)) for node in dict.fromkeys(nodes)]


def from_junit(project: Path, files: Sequence[Path]) -> list[Target]:
    """Every test that is red in the files, once, with its first failure. Gone where none is."""
    found: dict[str, Target] = {}
    for file in files:
        with file.open("rb") as stream:
            told = read_results(stream)
        if told.status is ReadStatus.REFUSED:
            raise Rejected(str(file), told.reason or "it is no results file")
        for result in told.results:
            if isinstance(result.outcome, Failed | Errored):
                node = node_of(project, result.test, result.path)
                original = _original(
                    result.test, result.outcome.message, result.outcome.text, result.duration_s
                )
                found.setdefault(node, Target(node, original))
    if not found:
        raise Gone(", ".join(map(str, files)), "no test is red there, so there is nothing to replay")
    if len(found) > MOST_TESTS:
        raise Rejected(
            "--from-junit", f"{len(found)} red tests are more than the {MOST_TESTS} of one command"
        )
    return list(found.values())


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
