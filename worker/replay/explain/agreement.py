"""Whether two failures are the same, as far as both were seen.

Signature and cause agree: kind, origin rank, exception type, project frame. A trial that was ended early
has no signature of the whole failure and agrees by its cause alone. A bare trial sees no cause from inside,
so that it agrees with a probed one by signature and by what both saw: rank, exit status or signal, last
line of stderr.
"""

from typing import Final

from app.domain.replay_words import CauseKind, Outcome
from worker.replay.explain.sentences import without_figures
from worker.replay.trial import Explained, Trial

_SEEN_OUTSIDE: Final = ("exit_code", "last_words")
_UNNAMED: Final = {CauseKind.NOT_EXPLAINED, CauseKind.NONE}


def agree(a: Trial, b: Trial) -> bool:
    """Symmetric. Two trials of which nothing is known but that they failed do not agree.

    An opaque failure's signature names no cause: equal ones say nothing by themselves, so that the causes,
    or what was seen of both from outside, must say something too.
    """
    if not (a.outcome.is_failure and b.outcome.is_failure):
        return False
    mine, other = a.explanation.cause, b.explanation.cause
    if Outcome.ENDED_EARLY in {a.outcome, b.outcome}:
        return _names_a_cause(mine, other) and same_cause(mine, other)
    both_hang = a.outcome is Outcome.TIMED_OUT and b.outcome is Outcome.TIMED_OUT  # no results to sign
    if not both_hang and (a.signature is None or a.signature != b.signature):
        return False
    if a.spec.bare != b.spec.bare:
        return same_seen_outside(mine, other)
    if mine.kind in _UNNAMED and other.kind in _UNNAMED:
        return same_seen_outside(mine, other) and not (a.opaque and not _says_anything(mine, other))
    return same_cause(mine, other)


def same_cause(a: Explained, b: Explained) -> bool:
    """Kind, origin rank, exception type, and the project frame of the origin."""
    return (
        a.kind == b.kind
        and a.rank == b.rank
        and a.place == b.place
        and a.signal == b.signal
        and (a.exception.type if a.exception else None) == (b.exception.type if b.exception else None)
    )


def same_seen_outside(a: Explained, b: Explained) -> bool:
    """Rank, signal, exit status and last words are equal wherever both are known.

    Where one of them was not explained it names who failed, not the origin: then it is how all workers ended.
    """
    if (a.kind in _UNNAMED) != (b.kind in _UNNAMED):
        return a.facts.get("ended_badly") == b.facts.get("ended_badly")
    pairs: list[tuple[object, object]] = [(a.rank, b.rank), (a.signal, b.signal)]
    pairs += [(a.facts.get(key), b.facts.get(key)) for key in _SEEN_OUTSIDE]
    return all(mine is None or other is None or _masked(mine) == _masked(other) for mine, other in pairs)


def _names_a_cause(a: Explained, b: Explained) -> bool:
    return a.kind not in _UNNAMED and b.kind not in _UNNAMED


def _says_anything(a: Explained, b: Explained) -> bool:
    return any(a.facts.get(key) is not None and b.facts.get(key) is not None for key in _SEEN_OUTSIDE)


def _masked(value: object) -> object:
    return without_figures(value) if isinstance(value, str) else value
