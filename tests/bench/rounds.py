"""Ours and its floor in turn, round after round, so that what else the machine does meets both."""

import time
from collections.abc import Callable

Work = Callable[[], object]


def in_turn(ours: Work, floor: Work, *, rounds: int) -> tuple[list[float], list[float]]:
    """Seconds of each round; one more comes first and is not counted."""
    of_ours: list[float] = []
    of_floor: list[float] = []
    for number in range(rounds + 1):
        floor_s, ours_s = seconds(floor), seconds(ours)
        if number:
            of_ours.append(ours_s)
            of_floor.append(floor_s)
    return of_ours, of_floor


def seconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
