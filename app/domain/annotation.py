"""What GitHub notes at a job beside its log: of a runner that was lost, the only word on the cause."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.domain.generic import is_generic_line

FAILURE: Final = "failure"
_MOST: Final = 10
_LONGEST: Final = 4_000
"""Characters of one message; GitHub allows 64 KB."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """`level` is GitHub's word: notice, warning or failure."""

    level: str
    title: str
    message: str


def cause_noted(annotations: Iterable[Annotation]) -> str:
    """The messages of failures, one paragraph each; empty where none says more than that something failed.

    Warnings are left out: every job of a deprecated action has some.
    """
    told = [" ".join(one.message.split())[:_LONGEST] for one in annotations if one.level == FAILURE]
    telling = [message for message in dict.fromkeys(told) if not is_generic_line(message)]
    return "\n\n".join(telling[:_MOST])
