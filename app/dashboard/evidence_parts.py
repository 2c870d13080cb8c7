"""The parts of what is known of a failure beside its text: replays of it, and weaknesses of its test."""

from dataclasses import dataclass

from app.dashboard.parts import Link, Mark


@dataclass(frozen=True, slots=True)
class ReplayArm:
    """What trials under one limit came to."""

    name: str
    failed: str
    limits: str


@dataclass(frozen=True, slots=True)
class Replay:
    """One replay inside a job; texts are as its bundle has them. `worth` says whose word that is."""

    mark: Mark
    test: str
    failure: Link | None
    sentence: str
    cause: str
    cause_sentence: str
    exception: str
    rate: str
    arms: tuple[ReplayArm, ...]
    worth: str
    artifact: str
    digest: str
    manifest: str
    report: Link | None
    check: str


@dataclass(frozen=True, slots=True)
class Weakness:
    """One finding of the lint; `place` leads to its line on GitHub."""

    place: Link
    rule: str
    text: str
    window: str
    mend: str
    test: str
    sisters: tuple[str, ...]
    more_sisters: str


@dataclass(frozen=True, slots=True)
class Weaknesses:
    """Why a failure cannot say more: what the lint found in its test's file, or why it found nothing."""

    heading: str
    file: Link
    note: str
    found: tuple[Weakness, ...]
