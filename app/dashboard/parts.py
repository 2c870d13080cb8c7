"""The parts that pages share: what a template may read of a run, a verdict, a gap or a piece of text."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Mark:
    """A state as a word with its shape and tone; the shape says it without the colour.

    `glyph` names a symbol of `_icons.html`, `tone` a class of the stylesheet.
    """

    word: str
    glyph: str
    tone: str


@dataclass(frozen=True, slots=True)
class Link:
    """`href` is None where there is no address that can be trusted: then the text stands alone."""

    text: str
    href: str | None


@dataclass(frozen=True, slots=True)
class Badge:
    """A verdict in short; `whose` is None where the question does not arise (main) or nothing is judged."""

    mark: Mark
    whose: str | None
    opaque: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a run, with its links."""

    href: str
    mark: Mark
    name: str
    """`run 29538416045`, with the attempt if it is not the first."""
    workflow: str
    event: str
    repo: str
    branch: str
    pull: Link | None
    commit: Link
    github: Link
    completed_at: datetime


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence of a verdict with the runs it stands on; `weight` is `strong`, `weak` or `context`."""

    text: str
    weight: str
    runs: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    kind: str
    subject: str
    detail: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict in full: what, why, and what is missing."""

    badge: Badge
    reasons: tuple[Reason, ...]
    gaps: tuple[Gap, ...]
    judged_at: datetime


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of hostile text; `note` says what of it is not shown, empty if all is."""

    body: str
    note: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a filter."""

    value: str
    text: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Commit:
    link: Link
    subject: str
    author: str
    pull: Link | None
