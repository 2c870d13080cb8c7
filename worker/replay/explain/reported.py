"""What pytest's results file says of a bare trial's test, as the exception that it was.

Only what the test alone can have failed of. A failure that says nothing of its cause may hide what happened
in a thread. Where other processes of Python were there it may tell of them, whatever it says: a wrong sum is
what a mismatched collective leaves, and nobody saw the ranks' collectives.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from worker.replay.facts import Linked, Phase, Process, Raised, Seen, TrialFacts
from worker.replay.joined.ranks import is_attendant

_TYPED: Final = re.compile(r"([A-Za-z_][\w.]{0,200})(?:(?:: |\n)(.{0,4000}))?", re.DOTALL)
_ASSERTS: Final = "assert "


def with_reported(facts: TrialFacts) -> TrialFacts:
    """The same facts, with the exceptions of failed tests where no probe recorded any of theirs."""
    if not facts.bare or any(one.pid == facts.main for one in facts.raised):
        return facts
    if any(_may_fail(one) for one in facts.processes if one.pid != facts.main):
        return facts
    failed = sorted(
        (one for one in facts.phases if one.outcome == "failed"), key=lambda one: (one.t, repr(one))
    )
    raised = [
        _raised(phase, said, identity)
        for identity, phase in enumerate(sorted(failed, key=repr), 1)
        if not phase.opaque and (said := _read(phase.crash)) is not None
    ]
    return replace(facts, raised=(*facts.raised, *raised)) if raised else facts


def _may_fail(process: Process) -> bool:
    """An attendant of multiprocessing or pytest fails no test; what it forked bears its command too."""
    return process.is_python and (process.began == "fork" or not is_attendant(process.argv))


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
