"""Which failures from outside a change clear it: the rule behind every "not yours", and its guards.

The same signature on a commit without the change is needed, and is not always enough. A failure that the
base has long outlived, one that only looks alike, or one that anybody could have made up clears nothing. Nor
does one that passes of the base could outweigh, where it ran and nobody can look at what it did.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.evidence import BaseState, Observation, Recurrence, Unseen
from app.domain.outcome import OutcomeKind
from app.domain.policy import VerdictPolicy
from app.domain.wording import counted, listed


@dataclass(frozen=True, slots=True)
class Doubted:
    """A failure without the change that clears nothing; `why` completes "it clears nothing, since ...".

    One that `leaves_open` is too like this failure to accuse the change either.
    """

    recurrence: Recurrence
    why: str
    leaves_open: bool = False


def sort_outside(
    outside: Sequence[Recurrence], base: BaseState | None, policy: VerdictPolicy, *, flipped_here: bool
) -> tuple[tuple[Recurrence, ...], tuple[Doubted, ...]]:
    """Part the recurrences without the change, in their order, into those that clear and those that do not.

    `flipped_here` says that this failure passed and failed on one tree: it is nondeterministic for sure, so
    a clean base says less.
    """
    tested = _by_run(base.outcomes) if base is not None else ()
    unseen = base.unseen if base is not None else ()
    clean = not any(seen.outcome.is_red for seen in tested)
    passed = sum(1 for seen in tested if _passed(seen))
    may_be_proven = clean and passed + sum(one.runs for one in unseen) >= policy.clean_base_runs
    doubted = [
        Doubted(one, why) for one in outside if (why := _doubt(one, tested, unseen, policy)) is not None
    ]
    doubtful = {id(one.recurrence) for one in doubted}
    clearing = [one for one in outside if id(one) not in doubtful]
    if not may_be_proven or flipped_here:
        return tuple(clearing), tuple(doubted)
    alike = [one for one in clearing if one.same_test and one.same_variant]
    is_proven = passed >= policy.clean_base_runs
    if len({one.observation.sha for one in alike}) < policy.known_flake_commits:
        why = f"the base passed this very test and job {counted(passed, 'time')} without a failure"
        why = why if is_proven else _may_have_passed(unseen)
        said = {id(one.recurrence): one for one in doubted}
        return (), tuple(said.get(id(one)) or Doubted(one, why, one in alike) for one in outside)
    kept = {id(one) for one in alike}
    rest = [one for one in clearing if id(one) not in kept]
    why = "the base passes this very test and job, and it was another one"
    why = why if is_proven else _may_have_passed(unseen)
    return tuple(alike), (*doubted, *(Doubted(one, why) for one in rest))


def _doubt(
    recurrence: Recurrence, tested: Sequence[Observation], unseen: Sequence[Unseen], policy: VerdictPolicy
) -> str | None:
    if recurrence.from_fork:
        return "it comes from a fork, whose files anybody can make up"
    if recurrence.same_values is False:
        return "the values that were compared differ"
    since = [seen for seen in tested if seen.at > recurrence.observation.at]
    passes = [seen for seen in since if _passed(seen)]
    if len(passes) < len(since):
        return None
    if len(passes) >= policy.clean_base_runs:
        return f"the base passed {counted(len(passes), 'time')} since, without a failure"
    later = [one for one in unseen if one.until > recurrence.observation.at]
    if len(passes) + sum(one.runs for one in later) >= policy.clean_base_runs:
        return _may_have_passed(later)
    return None


def _may_have_passed(unseen: Sequence[Unseen]) -> str:
    """Only where there are any, as there are wherever they are counted on."""
    what = listed(f"{one.gap.subject} ({one.gap.detail})" for one in unseen)
    return f"nobody can say whether the base passed in {what}, which would outweigh it"


def _passed(seen: Observation) -> bool:
    return seen.outcome is OutcomeKind.PASSED


def _by_run(outcomes: Sequence[Observation]) -> tuple[Observation, ...]:
    """One outcome a run, red before passed: twenty attempts of one run are one run."""
    by_run: dict[tuple[int, str], Observation] = {}
    for seen in outcomes:
        known = by_run.get((seen.run, seen.variant))
        if known is None or (seen.outcome.is_red and not known.outcome.is_red):
            by_run[seen.run, seen.variant] = seen
    return tuple(by_run.values())
