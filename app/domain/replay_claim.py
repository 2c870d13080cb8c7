"""What a replay's report claims, read from JSON that anybody can have written: consistent, or refused.

Consistent means that the words are those of the closed sets, and that the verdict follows from the trials
that are listed. Whether the trials ever ran, nobody can see from here.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeVar

from app.domain.errors import Rejected
from app.domain.replay_words import (
    COUNTABLE_TRIALS,
    DETERMINISTIC_FAILURES,
    FLAKE_FAILURES,
    Arm,
    CauseKind,
    Outcome,
    ReplayVerdict,
)
from app.domain.run import TESTS_A_MERGE, TESTS_THE_PUSHED_COMMIT

MOST_TRIALS: Final = 10_000
SENTENCE: Final = 1_000
EXCEPTION: Final = 500
"""Characters that are kept of each; the bundle itself has all."""
LONGEST_TEST: Final = 4_000

_Word = TypeVar("_Word", bound=Enum)


@dataclass(frozen=True, slots=True)
class ArmClaim:
    """Failures of the countable trials under one arm, and in words what its limits were worth."""

    arm: Arm
    failures: int
    trials: int
    limits: str


@dataclass(frozen=True, slots=True)
class ReplayClaim:
    """One replayed test. `test` is pytest's node id; texts are hostile, on one line and cut.

    `failures` of `trials` agree; `rate_low` and `rate_high` (0..1) hold the true rate at 95 %. `exception` is
    the origin's own, as `type: message`, empty where there was none.
    """

    test: str
    verdict: ReplayVerdict
    sentence: str
    cause: CauseKind
    rank: int | None
    cause_sentence: str
    exception: str
    failures: int
    trials: int
    rate_low: float
    rate_high: float
    arms: tuple[ArmClaim, ...]


def is_own_word(event: str, *, from_fork: bool) -> bool:
    """Whether the code that wrote a claim may be a stranger's: a fork's, or of an event that does not tell.

    `pull_request_target` and `workflow_run` report the base repository, and often run a fork's code.
    """
    return from_fork or event not in {TESTS_A_MERGE, *TESTS_THE_PUSHED_COMMIT}


def read_claim(report: object, *, test: str) -> ReplayClaim:
    """Raises Rejected, with the reason as a fragment, where `report` is no report on a replay of `test`."""
    plain = _mapping(report, "it")
    if not test or len(test) > LONGEST_TEST or plain.get("test") != test:
        raise _refused("it is about another test than the manifest, or about none")
    if "injected" in plain:
        raise _refused("faults were put into its trials on purpose, so it shows no failure of the test's own")
    cause, bound = _mapping(plain.get("cause"), "cause"), _mapping(plain.get("bound"), "bound")
    outcomes = _outcomes(plain.get("trials"))
    claim = ReplayClaim(
        test=test,
        verdict=_word(ReplayVerdict, plain, "verdict"),
        sentence=_text(plain, "sentence", SENTENCE),
        cause=_word(CauseKind, cause, "kind"),
        rank=None if cause.get("rank") is None else _whole(cause, "rank"),
        cause_sentence=_text(cause, "sentence", SENTENCE) if "sentence" in cause else "",
        exception=_exception(cause.get("exception")),
        failures=_whole(bound, "failures"),
        trials=_whole(bound, "trials"),
        rate_low=_share(bound, "rate_low_95"),
        rate_high=_share(bound, "rate_high_95"),
        arms=_arms(outcomes, plain.get("limits")),
    )
    _require_consistent(claim, [outcome for _, outcome in outcomes])
    return claim


def _require_consistent(claim: ReplayClaim, outcomes: list[Outcome]) -> None:
    failed = sum(outcome.is_failure for outcome in outcomes)
    countable = sum(outcome.counts for outcome in outcomes)
    if claim.failures > failed or claim.trials > countable or claim.failures > claim.trials:
        raise _refused("it counts other failures and trials than it lists")
    if not claim.rate_low <= claim.rate_high:
        raise _refused("its interval has no width")
    is_borne_out = {
        ReplayVerdict.CONFIRMED_FLAKE: claim.failures >= FLAKE_FAILURES and countable > failed,
        ReplayVerdict.REPRODUCED_ONCE: claim.failures > 0,
        ReplayVerdict.DETERMINISTIC: failed >= DETERMINISTIC_FAILURES and claim.failures > 0,
        ReplayVerdict.NOT_REPRODUCED: not claim.failures and claim.trials >= COUNTABLE_TRIALS,
        ReplayVerdict.OTHER_FAILURE: not claim.failures and failed > 0,
        ReplayVerdict.NO_TRIAL: not claim.trials,
        ReplayVerdict.BUDGET_EXHAUSTED: not claim.failures and claim.trials < COUNTABLE_TRIALS,
    }
    if not is_borne_out[claim.verdict]:
        raise _refused(f"its trials do not bear out {claim.verdict}")


def _outcomes(trials: object) -> list[tuple[Arm, Outcome]]:
    if not isinstance(trials, list) or len(trials) > MOST_TRIALS:
        raise _refused("its trials are not a list that a replay makes")
    plain = [_mapping(one, "a trial") for one in trials]
    return [(_word(Arm, one, "arm"), _word(Outcome, one, "outcome")) for one in plain]


def _arms(outcomes: list[tuple[Arm, Outcome]], limits: object) -> tuple[ArmClaim, ...]:
    arms = limits.get("arms") if isinstance(limits, dict) else None
    told = arms if isinstance(arms, dict) else {}
    found = []
    for arm in dict.fromkeys(arm for arm, _ in outcomes):
        counted = [outcome for of, outcome in outcomes if of is arm and outcome.counts]
        failures = sum(outcome.is_failure for outcome in counted)
        found.append(ArmClaim(arm, failures, len(counted), _limits(told.get(arm.value))))
    return tuple(found)


def _limits(of_arm: object) -> str:
    """How the limits of an arm were held, as far as it is said in words that can be shown."""
    held = of_arm.get("held") if isinstance(of_arm, dict) else None
    if not isinstance(held, dict):
        return ""
    known = {name: _shown(held.get(name)) for name in ("cpus", "memory", "by", "isolation")}
    said = [f"{word} {known[name]}" for word, name in (("CPU", "cpus"), ("memory", "memory")) if known[name]]
    by = f" by {known['by']}" if known["by"] else ""
    isolated = f"; isolated by {known['isolation']}" if known["isolation"] else ""
    return f"{', '.join(said)}{by}{isolated}" if said else ""


def _shown(value: object) -> str:
    return _one_line(value, 60) if isinstance(value, str) else ""


def _exception(thrown: object) -> str:
    if thrown is None:
        return ""
    plain = _mapping(thrown, "exception")
    kind, message = _text(plain, "type", EXCEPTION), _text(plain, "message", EXCEPTION)
    return _one_line(f"{kind}: {message}" if message else kind, EXCEPTION)


def _mapping(value: object, name: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _refused(f"{name} is no object")
    return value


def _text(plain: Mapping[str, object], name: str, most: int) -> str:
    value = plain.get(name)
    if not isinstance(value, str):
        raise _refused(f"its {name} is no text")
    return _one_line(value, most)


def _one_line(text: str, most: int) -> str:
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _word(words: type[_Word], plain: Mapping[str, object], name: str) -> _Word:
    try:
        return words(plain.get(name))
    except ValueError:
        raise _refused(f"its {name} is none of the known words") from None


def _whole(plain: Mapping[str, object], name: str) -> int:
    value = plain.get(name)
    if type(value) is not int or not 0 <= value <= MOST_TRIALS:
        raise _refused(f"its {name} is no number of a replay")
    return value


def _share(plain: Mapping[str, object], name: str) -> float:
    value = plain.get(name)
    if type(value) not in {int, float} or not isinstance(value, int | float):
        raise _refused(f"its {name} is no number")
    if not (math.isfinite(value) and 0 <= value <= 1):
        raise _refused(f"its {name} is no share")
    return float(value)


def _refused(reason: str) -> Rejected:
    return Rejected("report", reason)
