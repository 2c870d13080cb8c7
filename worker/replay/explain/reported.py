"""What pytest's results file says of a bare trial's test, as the exception that it was.

Only what the test alone can have failed of. A failure that says nothing of its cause may hide what happened
in a thread or a rank; where other processes of Python were there, so may one that tells of an error.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from worker.replay.explain.consequences import last_name, lost_by_words
from worker.replay.facts import Linked, Phase, Process, Raised, Seen, TrialFacts
from worker.replay.joined.ranks import is_attendant

_TYPED: Final = re.compile(r"([A-Za-z_][\w.]{0,200})(?:(?:: |\n)(.{0,4000}))?", re.DOTALL)
_ASSERTS: Final = "assert "
_ASSERTIONS: Final = ("AssertionError", "Failed")
_NAMES_AN_ERROR: Final = re.compile(r"[A-Za-z]{1,100}(?:Error|Exception)\b|Traceback")


def with_reported(facts: TrialFacts) -> TrialFacts:
    """The same facts, with the exceptions of failed tests where no probe recorded any of theirs."""
    if not facts.bare or any(one.pid == facts.main for one in facts.raised):
        return facts
    failed = sorted(
        (one for one in facts.phases if one.outcome == "failed"), key=lambda one: (one.t, repr(one))
    )
    has_others = any(_may_fail(one) for one in facts.processes if one.pid != facts.main)
    raised = [
        _raised(phase, said, identity)
        for identity, phase in enumerate(sorted(failed, key=repr), 1)
        if not phase.opaque
        and (said := _read(phase.crash)) is not None
        and not (has_others and _tells_of_another(phase, said))
    ]
    return replace(facts, raised=(*facts.raised, *raised)) if raised else facts


def _may_fail(process: Process) -> bool:
    """An attendant of multiprocessing or pytest fails no test; what it forked bears its command too."""
    return process.is_python and (process.began == "fork" or not is_attendant(process.argv))


def _tells_of_another(phase: Phase, said: Linked) -> bool:
    """Or may: what is no assertion, was raised from something, or names an error or a peer that was lost."""
    return (
        bool(phase.behind)
        or last_name(said.type) not in _ASSERTIONS
        or _NAMES_AN_ERROR.search(said.message) is not None
        or lost_by_words("", said.message) is not None
    )


def _raised(phase: Phase, said: Linked, identity: int) -> Raised:
    return Raised(
        phase.t,
        phase.pid,
        "MainThread",
        Seen.TEST,
        said.type,
        said.message,
        identity,
        phase.frames,
        context=_linked(phase.behind),
    )


def _linked(behind: Sequence[str]) -> Linked | None:
    link: Linked | None = None
    for crash in behind:
        said = _read(crash)
        link = replace(said, context=link) if said is not None else link
    return link


def _read(crash: str) -> Linked | None:
    """Type and message of pytest's one line, which leaves the type of an assertion that it rewrote out."""
    if crash.startswith(_ASSERTS):
        return Linked("AssertionError", crash)
    found = _TYPED.fullmatch(crash[:4_000])
    return Linked(found[1], found[2] or "") if found else None
