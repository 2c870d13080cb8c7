"""What each arm does to a trial: its limits, and what it does to the ranks beside limiting them."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from app.domain.replay_words import Arm
from worker.replay.limits import Limits
from worker.replay.plan.policy import PlanPolicy
from worker.replay.trial import Perturbation

_CPUS = {Arm.CPU_1: 1.0, Arm.CPU_HALF: 0.5, Arm.CPU_QUARTER: 0.25}


@dataclass(frozen=True, slots=True)
class Ground:
    """What arms are measured against: the limits the user asked for, and what plain trials showed.

    `plain_seconds` and `peak_bytes` are None until a plain trial has shown them; the memory arm cannot be had
    without a peak.
    """

    asked: Limits
    plain_seconds: float | None = None
    peak_bytes: int | None = None


def limits_of(arm: Arm, ground: Ground, policy: PlanPolicy) -> Limits:
    """The limits of one trial in `arm`; never looser than those that the user asked for."""
    asked = ground.asked
    match arm:
        case Arm.CPU_1 | Arm.CPU_HALF | Arm.CPU_QUARTER:
            return replace(asked, cpus=min(_CPUS[arm], asked.cpus or _CPUS[arm]))
        case Arm.MEMORY:
            return replace(asked, memory_bytes=_memory(ground, policy))
        case Arm.PORTS:
            return replace(asked, ports=policy.ports)
        case Arm.NEIGHBOURS:
            return replace(asked, low_weight=True)
        case _:
            return asked


def _memory(ground: Ground, policy: PlanPolicy) -> int:
    """Less than the headroom only where the user asked for less."""
    if ground.asked.memory_bytes is not None:
        return ground.asked.memory_bytes
    if ground.peak_bytes is None:
        raise ValueError("no plain trial has shown how much memory the test needs")
    return int(ground.peak_bytes * policy.memory_headroom)


def perturbation_of(arm: Arm, ground: Ground, policy: PlanPolicy, *, seed: int) -> Perturbation:
    """What `arm` does to the ranks; the seed of the trial picks between short and long pauses."""
    most = max(policy.least_delay_s, policy.delay_share * (ground.plain_seconds or 0.0))
    match arm:
        case Arm.PAUSE if is_long_pause(seed):
            return Perturbation(pause_ms=policy.long_pause_ms, pause_gap_ms=policy.long_gap_ms)
        case Arm.PAUSE:
            return Perturbation(pause_ms=policy.short_pause_ms, pause_gap_ms=policy.short_gap_ms)
        case Arm.STORE_DELAY:
            return Perturbation(store_delay_s=policy.store_delay_s, most_delay_s=most)
        case Arm.SKEW:
            return Perturbation(skew_s=policy.skew_s, most_delay_s=most)
        case Arm.NEIGHBOURS:
            return Perturbation(busy_neighbours=policy.neighbours)
        case _:
            return Perturbation()


def is_long_pause(seed: int) -> bool:
    """Long pauses find false failure detectors, short and frequent ones find races; the seed says which."""
    return seed % 2 == 1


def seed_of(replay_seed: int, number: int, *, earlier: Sequence[int], failed: Collection[int]) -> int:
    """The seed of trial `number`; `earlier` are the seeds of its arm so far, `failed` those that failed.

    Two long pauses, then two short ones: bare and probed trials alternate, so that each sees both. Once
    pauses of one kind alone have failed, it is they that are repeated and compared.
    """
    drawn = random.Random(f"{replay_seed}:{number}").getrandbits(30)  # noqa: S311 - to be repeated
    kinds = {is_long_pause(seed) for seed in failed}
    is_long = kinds.pop() if len(kinds) == 1 else len(earlier) // 2 % 2 == 0
    return drawn * 2 + is_long


def needs_probe(arm: Arm) -> bool:
    """Arms whose means ride in with the probe: they have no bare trials."""
    return arm in {Arm.STORE_DELAY, Arm.SKEW}
