"""What is to be said of each suspect: the words of its header, for a program to compare."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from replayed import INCIDENTS, SUSPECTS, Asked, Replayed

from app.domain.replay_words import Arm, CauseKind, FindingKind
from worker.replay.limits import MIB
from worker.replay.trial import Explanation

ANY = -1
"""A rank that the header leaves open."""
SEEN_BY_ONE_OR_BY_ALL = (CauseKind.TEST_ASSERTION, CauseKind.RANK_EXCEPTION)
"""An assertion about what each rank measures: of the test where it fails on all alike, else of the one."""
IN_EVERY_CHANGE = {
    "crash_at_exit",
    "crash_in_native_code",
    "deadlock_of_threads",
    "early_exit_uneven",
    "ended_by_patience",
    "exception_on_pipe",
    "init_wrong_address",
    "late_at_barrier",
    "memory_of_a_loader",
    "mismatch_of_shape",
    "port_of_a_sibling",
    "value_of_a_sum",
}
"""One of each cause, a crash at work and one at exit among them; `rank-divergence` is an incident's."""


@dataclass(frozen=True, slots=True)
class Expected:
    """`says` and `never` are words of the cause's sentence; `rank` None: no rank is the origin."""

    test: str
    kinds: tuple[CauseKind, ...]
    rank: int | None = None
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    findings: frozenset[FindingKind] = frozenset()
    arm: Arm = Arm.PLAIN
    seed: int = 1
    memory_mib: int | None = None
    project: Path = SUSPECTS

    @property
    def name(self) -> str:
        return self.test.partition("::")[0].removeprefix("test_").removesuffix(".py")

    @property
    def asked(self) -> Asked:
        memory = self.memory_mib and self.memory_mib * MIB
        return Asked(self.test, self.arm, self.seed, memory_bytes=memory, project=self.project)

    def complaints(self, said: Explanation, findings: Iterable[FindingKind]) -> list[str]:
        """Where what was said differs from what the header expects; empty where it does not."""
        cause = said.cause
        found = []
        if cause.kind not in self.kinds:
            found.append(f"cause {cause.kind}, not {' or '.join(self.kinds)}")
        if self.rank not in {ANY, cause.rank}:
            found.append(f"origin {cause.rank}, not {self.rank}")
        found += [f"does not say {word!r}" for word in self.says if word not in cause.sentence]
        found += [f"says {word!r}" for word in self.never if word.lower() in cause.sentence.lower()]
        return found + [f"no finding {kind}" for kind in self.findings - set(findings)]


def once(suspects: Iterable[Expected]) -> list[object]:
    """For one trial of each: those that are too many for every change are marked so."""
    return [
        pytest.param(
            one, id=f"once-{one.name}", marks=() if one.name in IN_EVERY_CHANGE else (pytest.mark.accept,)
        )
        for one in suspects
    ]


def unlike(expected: Expected, replayed: Replayed) -> str:
    """For an assertion: nothing, or every complaint above everything that was told."""
    complaints = expected.complaints(replayed.trial.explanation, replayed.findings)
    if not replayed.outcome.is_failure:
        complaints.append(f"it {replayed.outcome}")
    return "\n".join([*complaints, "", replayed.told]) if complaints else ""


def exception(test: str, rank: int | None, *says: str, **others: object) -> Expected:
    return _of(CauseKind.RANK_EXCEPTION, test, rank, says, others)


def divergence(test: str, rank: int | None, *says: str, **others: object) -> Expected:
    return _of(CauseKind.RANK_DIVERGENCE, test, rank, says, others)


def mismatch(test: str, *says: str, **others: object) -> Expected:
    return _of(CauseKind.COLLECTIVE_MISMATCH, test, ANY, says, others)


def late(test: str, rank: int | None, *says: str, **others: object) -> Expected:
    return _of(CauseKind.LATE_RANK, test, rank, says, others)


def of(kind: CauseKind, test: str, rank: int | None, *says: str, **others: object) -> Expected:
    return _of(kind, test, rank, says, others)


def _of(
    kind: CauseKind, test: str, rank: int | None, says: Sequence[str], others: dict[str, object]
) -> Expected:
    return Expected(test=test, kinds=(kind,), rank=rank, says=tuple(says), **others)  # type: ignore[arg-type]


BY_FORK = (
    exception(
        "test_exception_on_pipe.py::test_ranks_resume",
        2,
        "KeyError",
        "_resume",
        findings=frozenset({FindingKind.REPORT_NOT_SHOWN}),
        never=("closed", "rank 0 raised", "rank 1 raised"),
    ),
    divergence("test_divergence_in_subgroup.py::test_pairs_reduce", 3, "all_reduce", never=("timed out",)),
    mismatch("test_mismatch_of_order.py::test_weights_agree", "all_reduce", "broadcast"),
    mismatch("test_mismatch_of_shape.py::test_batches_agree", "4096", never=("crash", "SIGABRT")),
    mismatch("test_mismatch_of_root.py::test_weights_are_those_of_the_first", "broadcast", "root"),
    Expected(
        "test_mismatch_of_group.py::test_pairs_agree",
        (CauseKind.COLLECTIVE_MISMATCH, CauseKind.RANK_DIVERGENCE),
        ANY,
        ("all_reduce",),
        never=("late",),
    ),
    late("test_late_in_ddp.py::test_steps_keep_up", 1, never=("crash", "diverge")),
    of(
        CauseKind.EARLY_EXIT,
        "test_early_exit_uneven.py::test_epoch_ends_together",
        1,
        "all_reduce",
        never=("crash",),
    ),
    of(CauseKind.INIT_FAILURE, "test_init_never_called.py::test_ranks_meet", 1, "never", never=("late",)),
    of(CauseKind.PORT_IN_USE, "test_port_held_by_parent.py::test_ranks_meet", 0, "EADDRINUSE"),
    of(
        CauseKind.CRASH_SIGNAL,
        "test_crash_in_native_code.py::test_batch_is_decoded",
        1,
        "SIGSEGV",
        "_decode",
        never=("while exiting", "rank 0 is the origin"),
    ),
    of(
        CauseKind.OOM_KILL,
        "test_memory_of_a_cache.py::test_cache_is_filled",
        1,
        "memory",
        arm=Arm.MEMORY,
        memory_mib=700,
        never=("crash", "terminated"),
    ),
    of(CauseKind.DEADLOCK, "test_deadlock_of_threads.py::test_readers_and_writers", None, "reader", "writer"),
    of(CauseKind.DEADLOCK, "test_deadlock_of_ranks.py::test_token_goes_round", ANY, "recv", never=("late",)),
    of(CauseKind.TEST_ASSERTION, "test_value_of_a_sum.py::test_sum_is_four", None, never=("crash",)),
)

BY_SPAWN = (
    exception("test_exception_in_fsdp.py::test_sharded_step", 1, "FloatingPointError", "_loss"),
    exception("test_exception_by_agent.py::test_program_trains", 1, "ZeroDivisionError", "mean_of"),
    divergence("test_divergence_in_dtensor.py::test_layers_are_found", 0, "LookupError", "_find"),
    mismatch("test_mismatch_of_dtype.py::test_total_is_right", "float32", "int32"),
    late("test_late_at_barrier.py::test_ranks_meet_again", 0, "barrier", never=("throttled",)),
    of(
        CauseKind.EARLY_EXIT,
        "test_early_exit_in_checkpoint.py::test_checkpoint_returns",
        1,
        never=("crash",),
    ),
    of(CauseKind.INIT_FAILURE, "test_init_wrong_address.py::test_ranks_meet", ANY, never=("late",)),
    of(CauseKind.PORT_IN_USE, "test_port_of_a_sibling.py::test_workers_publish", ANY, "in use"),
    of(
        CauseKind.CRASH_SIGNAL,
        "test_crash_by_abort.py::test_buffers_are_allocated",
        0,
        "SIGABRT",
        "_allocate",
        never=("while exiting",),
    ),
    of(
        CauseKind.CRASH_SIGNAL,
        "test_crash_at_exit.py::test_handles_are_closed",
        1,
        "SIGABRT",
        "while exiting",
        "after its work",
    ),
    of(
        CauseKind.OOM_KILL,
        "test_memory_of_a_loader.py::test_loader_reads_ahead",
        ANY,
        "memory",
        arm=Arm.MEMORY,
        memory_mib=256,
        never=("crash", "terminated"),
    ),
    of(
        CauseKind.TERMINATED_SLOW,
        "test_ended_by_a_peer.py::test_kernel_is_compiled",
        1,
        "rank 0",
        "_compile",
        never=("memory", "parent"),
    ),
    of(
        CauseKind.TERMINATED_SLOW,
        "test_ended_by_patience.py::test_program_is_done",
        None,
        "crunch",
        never=("memory", "died"),
    ),
    of(CauseKind.DEADLOCK, "test_deadlock_in_a_rank.py::test_batches_are_fetched", 1, "_take", "prefetch"),
    of(CauseKind.TEST_ASSERTION, "test_value_of_async_work.py::test_parts_add_up", None, "8.0"),
)

H, FLAKY_EXIT = INCIDENTS, "test_handoff_exit.py::test_full_state_is_exact"
INCIDENTS_SHAPES = (
    exception(
        "test_handoff.py::test_handoff_is_exact[always]", 1, "digest of shard 1", "_check_digest", project=H
    ),
    of(
        CauseKind.TERMINATED_SLOW, "test_handoff_slow.py::test_handoff_is_exact", 1, "_write_shard", project=H
    ),
    divergence(
        "test_planner.py::test_ranks_plan_alike[after-release]", 0, "ValueError", "14", "15", project=H
    ),
)
INCIDENTS_FLAKES = (
    exception("test_handoff.py::test_handoff_is_exact[sometimes]", 1, "digest of shard 1", project=H),
    of(CauseKind.CRASH_SIGNAL, FLAKY_EXIT, ANY, "SIGABRT", "while exiting", "after its work", project=H),
)

TIMING = (
    exception("test_t01_fixed_sleep.py::test_setting_arrives", 1, "FileNotFoundError", arm=Arm.CPU_QUARTER),
    Expected(
        "test_t02_latency_budget.py::test_steps_are_quick",
        SEEN_BY_ONE_OR_BY_ALL,
        ANY,
        ("slowest step",),
        arm=Arm.CPU_QUARTER,
    ),
    late("test_t03_store_deadline.py::test_plan_is_shared", 0, "plan", arm=Arm.CPU_QUARTER),
    of(
        CauseKind.EARLY_EXIT,
        "test_t04_host_leaves_first.py::test_metrics_are_kept",
        0,
        arm=Arm.STORE_DELAY,
        never=("crash",),
    ),
    exception("test_t05_early_load.py::test_checkpoint_loads", 1, "_load", arm=Arm.CPU_QUARTER),
    exception("test_t06_false_alarm.py::test_peer_is_alive", 1, "seems dead", arm=Arm.PAUSE),
    late("test_t07_group_timeout.py::test_plan_is_in_time", 0, "all_reduce", arm=Arm.CPU_QUARTER),
    of(
        CauseKind.TERMINATED_SLOW,
        "test_t08_impatient_join.py::test_workers_finish",
        ANY,
        arm=Arm.CPU_QUARTER,
        never=("memory",),
    ),
    of(CauseKind.PORT_IN_USE, "test_t09_port_taken.py::test_ranks_meet_beside_endpoints", 0, arm=Arm.PORTS),
    Expected(
        "test_t10_no_barrier.py::test_groups_come_and_go",
        (CauseKind.INIT_FAILURE, CauseKind.EARLY_EXIT),
        ANY,
        arm=Arm.PAUSE,
        seed=2,
        never=("crash", "late"),
    ),
)

STABLE = tuple(
    f"test_stable.py::{name}"
    for name in (
        "test_sums",
        "test_ranks_that_handle_what_they_raise",
        "test_ranks_with_uneven_work",
        "test_pairs_beside_each_other",
        "test_steps_of_a_model",
        "test_sums_by_spawn",
        "test_threads_that_share_a_lock",
    )
)
