"""Whether a trial contradicts what CI recorded of an opaque failure: how long it took, how a process ended.

An opaque text names no cause, so nothing can be the same as it; but not everything is consistent with it.
"""

import re

from app.domain.replay_words import Outcome
from worker.replay.suspect import Original
from worker.replay.trial import Trial

_TIMES_AS_LONG = 10.0
_SECONDS_APART = 30.0
"""Both must hold: machines differ by a few times, and short tests by more than that."""

_SCANNED_CHARS = 200_000
_CODES = re.compile(r"exit_?(?:code|status)s?\b[^\n-]{0,20}(-?\d{1,3})\b", re.IGNORECASE)
_SIGNALS = {
    "SIGILL": 4,
    "SIGABRT": 6,
    "SIGBUS": 7,
    "SIGFPE": 8,
    "SIGKILL": 9,
    "SIGSEGV": 11,
    "SIGTERM": 15,
}
_NAMED = re.compile(r"\b(SIG[A-Z]{3,4})\b")
_RANK = re.compile(r"^\[rank ?(\d{1,4})\]:.{0,20}Traceback", re.MULTILINE)


def contradicts(original: Original, trial: Trial) -> bool:
    """True where both sides know a fact and it differs; what only one side knows contradicts nothing."""
    text = f"{original.message}\n{original.text}"[:_SCANNED_CHARS]
    return (
        _signals_differ(text, trial) or _ranks_differ(text, trial) or _times_differ(original.seconds, trial)
    )


def _signals_differ(text: str, trial: Trial) -> bool:
    told = {_SIGNALS[name] for name in _NAMED.findall(text) if name in _SIGNALS}
    told |= {-int(code) for code in _CODES.findall(text) if int(code) < 0}
    died_of = trial.explanation.cause.signal
    return bool(told) and died_of is not None and died_of not in told


def _ranks_differ(text: str, trial: Trial) -> bool:
    """Ranks whose tracebacks the log shows, against the origin's, where the origin raised something."""
    told = {int(rank) for rank in _RANK.findall(text)}
    cause = trial.explanation.cause
    return bool(told) and cause.exception is not None and cause.rank is not None and cause.rank not in told


def _times_differ(seconds: float | None, trial: Trial) -> bool:
    if not seconds or trial.outcome is Outcome.ENDED_EARLY:
        return False
    shorter, longer = sorted((seconds, max(trial.seconds, 0.001)))
    return longer / shorter > _TIMES_AS_LONG and longer - shorter > _SECONDS_APART
