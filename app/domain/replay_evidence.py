"""What replays inside jobs say of a failure, and how much of it counts: they are the word of the run itself.

A replay may name the cause and prove a test to be nondeterministic. It excuses nothing, since what excuses a
change comes from outside of it; and where a stranger's code wrote it, it proves nothing either.
"""

from collections.abc import Sequence

from app.domain.evidence import Evidence, SeenReplay
from app.domain.replay_words import CauseKind, ReplayVerdict
from app.domain.verdict import EvidenceKind, EvidenceStrength, Kind, Reason, Strength
from app.domain.wording import sentence

Call = tuple[Kind, Strength]

_REPRODUCED = (
    ReplayVerdict.CONFIRMED_FLAKE,
    ReplayVerdict.DETERMINISTIC,
    ReplayVerdict.REPRODUCED_ONCE,
)
"""Verdicts under which this failure came again; the surest first."""

_SAID = {
    ReplayVerdict.CONFIRMED_FLAKE: "confirmed a flake",
    ReplayVerdict.DETERMINISTIC: "found it deterministic",
    ReplayVerdict.REPRODUCED_ONCE: "reproduced it",
    ReplayVerdict.NOT_REPRODUCED: "did not reproduce it",
    ReplayVerdict.OTHER_FAILURE: "made the test fail in another way",
    ReplayVerdict.NO_TRIAL: "could not run the test",
    ReplayVerdict.BUDGET_EXHAUSTED: "ended before it knew anything",
}

_OPEN = frozenset({Kind.NEW_FAILURE, Kind.UNDECIDED})


def is_confirmed(replays: Sequence[SeenReplay]) -> bool:
    """Whether a replay that counts made the test fail alike and pass, on the code of the failed job."""
    return any(one.verdict is ReplayVerdict.CONFIRMED_FLAKE and not one.own_word for one in replays)


def strengthened(call: Call, replays: Sequence[SeenReplay]) -> Call:
    """The call with a confirmed replay beside it (CONTRACTS 1).

    A likely flake is then a confirmed one. Where no flip was proven, the replay's own pass and failure are
    one on a single tree, which is a likely flake. What fails every time in CI stays what it is.
    """
    kind, strength = call
    if not is_confirmed(replays):
        return call
    if kind is Kind.FLAKY and strength is Strength.LIKELY:
        return Kind.FLAKY, Strength.CONFIRMED
    return (Kind.FLAKY, Strength.LIKELY) if kind is Kind.FLAKY or kind in _OPEN else call


def cause_of(replays: Sequence[SeenReplay]) -> CauseKind | None:
    """Why it failed, as the surest replay has it; None where none tells, or equally sure ones differ."""
    telling = _telling(replays)
    causes = {one.cause for one in telling}
    return causes.pop() if len(causes) == 1 else None


def replay_reasons(evidence: Evidence) -> list[Reason]:
    """Each replay's verdict, then the causes that the surest name."""
    told = sorted(set(evidence.replays), key=_order)
    runs = (evidence.failure.run,)
    found = [Reason(EvidenceKind.REPLAY, _strength(one), _verdict_told(one), runs) for one in told]
    by_cause: dict[str, list[SeenReplay]] = {}
    for one in sorted(_telling(told), key=_order):
        by_cause.setdefault(_cause_told(one), []).append(one)
    for text, same in by_cause.items():
        is_own_word = all(one.own_word for one in same)
        strength = EvidenceStrength.CONTEXT if is_own_word else EvidenceStrength.WEAK
        word = ", by the job's own word" if is_own_word else ""
        found.append(
            Reason(
                EvidenceKind.REPLAY_CAUSE,
                strength,
                sentence(f"cause by a replay in this job{word}: {text}"),
                runs,
            )
        )
    return found


def _telling(replays: Sequence[SeenReplay]) -> list[SeenReplay]:
    """Those of the surest verdict that explain this failure; strangers' only where nobody else does."""
    explained = [
        one
        for one in replays
        if one.verdict in _REPRODUCED and one.cause not in {CauseKind.NONE, CauseKind.NOT_EXPLAINED}
    ]
    surest = min(((one.own_word, _REPRODUCED.index(one.verdict)) for one in explained), default=None)
    return [one for one in explained if (one.own_word, _REPRODUCED.index(one.verdict)) == surest]


def _order(replay: SeenReplay) -> tuple[bool, int, str]:
    rank = _REPRODUCED.index(replay.verdict) if replay.verdict in _REPRODUCED else len(_REPRODUCED)
    return replay.own_word, rank, repr(replay)


def _strength(replay: SeenReplay) -> EvidenceStrength:
    if replay.own_word or replay.verdict not in _REPRODUCED:
        return EvidenceStrength.CONTEXT
    is_proof = replay.verdict is ReplayVerdict.CONFIRMED_FLAKE
    return EvidenceStrength.STRONG if is_proof else EvidenceStrength.WEAK


def _verdict_told(replay: SeenReplay) -> str:
    worth = (
        "the job's own word, which strangers' code can have written: it confirms nothing"
        if replay.own_word
        else "what a run says of itself excuses nothing"
    )
    told = f"a replay in this job {_SAID[replay.verdict]} (artifact {replay.artifact}): {replay.sentence}"
    return sentence(f"{told.rstrip('.')}; {worth}")


def _cause_told(replay: SeenReplay) -> str:
    return f"{replay.cause}: {replay.sentence_of_cause}" if replay.sentence_of_cause else replay.cause.value
