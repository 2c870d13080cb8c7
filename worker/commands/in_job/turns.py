"""Which red tests share one budget, in which order, and with how much each."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from worker.commands.replay_targets import Target
from worker.replay.regular_file import read_bounded

USUAL_S: Final = 60.0
"""What most tests of two ranks need for three bare trials and two probed ones."""
LEAST_S: Final = 15.0
"""With less left no trial of a distributed test would end."""
TRIALS: Final = 4
"""Of a test that is known to be slow: so many of its runs should fit into its share."""

_SOURCE_BYTES: Final = 1 << 20
_DISTRIBUTED = re.compile(
    r"torch\.(?:distributed|multiprocessing)|\bmultiprocessing\b|init_process_group|ProcessGroup|torchrun"
    r"|MultiProcessTestCase|\bgloo\b|\bnccl\b|ProcessPoolExecutor",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """A test with its seconds; or, where it has none, why it was not tried."""

    target: Target
    share_s: float = 0.0
    why_not: str = ""


def in_order(project: Path, targets: Sequence[Target]) -> list[Target]:
    """One of each failure first; among these, and among the others, distributed tests before the rest."""
    known: set[str] = set()
    sources: dict[str, bool] = {}
    ranked = []
    for index, target in enumerate(targets):
        signature = (target.original.signature if target.original else None) or target.test
        is_known = signature in known
        known.add(signature)
        file = target.test.partition("::")[0]
        if file not in sources:
            source = read_bounded(project / file, _SOURCE_BYTES).decode("utf-8", "replace")
            sources[file] = bool(_DISTRIBUTED.search(source))
        ranked.append(((is_known, not sources[file], index), target))
    return [target for _, target in sorted(ranked, key=lambda one: one[0])]


def turns(targets: Sequence[Target], budget_s: float, spent_s: Callable[[], float]) -> Iterator[Turn]:
    """Each test's turn, in the given order. What a test leaves of its share is for those after it.

    `spent_s` is asked before each turn: seconds of the budget that are gone.
    """
    for index, target in enumerate(targets):
        left_s = budget_s - spent_s()
        once_s = (target.original.seconds if target.original else None) or 0.0
        waiting = len(targets) - index
        if index and left_s < LEAST_S:
            yield Turn(
                target, why_not=f"the budget of {budget_s:.0f} s was used up; a larger --budget tries it"
            )
        elif index and left_s < once_s:
            yield Turn(target, why_not=f"it ran for {once_s:.0f} s in the job, and {left_s:.0f} s were left")
        else:
            yield Turn(target, _share_s(max(left_s, 1.0), waiting, once_s))


def _share_s(left_s: float, waiting: int, once_s: float) -> float:
    even = left_s / min(waiting, max(1, int(left_s // USUAL_S)))
    return min(left_s, max(even, TRIALS * once_s))
