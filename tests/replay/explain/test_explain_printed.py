"""Tracebacks that the workers of a bare trial printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario import CLOSED, Story

from app.domain.replay_words import CauseKind
from worker.replay.explain.explain import explain
from worker.replay.explain.printed import read_blocks
from worker.replay.trial import Explained


def traceback(words: str, *, function: str = "_verify", prefix: str = "") -> str:
    lines = (
        "Traceback (most recent call last):",
        '  File "/usr/lib/python3.11/multiprocessing/process.py", line 108, in run',
        "    self._target(*self._args, **self._kwargs)",
        f'  File "tests/test_x.py", line 16, in {function}',
        "    raise RuntimeError()",
        "    ^^^^^^^^^^^^^^^^^^^^",
        words,
    )
    return "".join(f"{prefix}{line}\n" for line in lines)


def of(number: int, words: str, **more: str) -> str:
    return f"Process SpawnProcess-{number}:\n{traceback(words, **more)}"


def cause_of(text: str, *codes: int) -> Explained:
    story = Story(len(codes), bare=True)
    for rank, code in enumerate(codes):
        story.exit(rank, 3 + rank / 10, code)
    story.failed()
    return explain(story.facts(stderr_tail=text)).cause


def test_printed_exception_of_one_worker_is_the_cause() -> None:
    cause = cause_of(of(2, "RuntimeError: digest differs"), 0, 1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 1)
    assert "rank 1 raised RuntimeError: digest differs at tests/test_x.py:16 in _verify" in cause.sentence
    assert "which rank is which is guessed from the order in which they started" in cause.sentence
    assert cause.place == "tests/test_x.py:_verify"


def test_consequence_that_was_printed_first_is_not_the_origin() -> None:
    text = of(1, f"RuntimeError: {CLOSED}") + of(2, "KeyError: 'step'")
    cause = cause_of(text, 1, 1)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 1)
    assert len(cause.consequences) == 1


ABORT = "terminate called without an active exception\nFatal Python error: Aborted\n\n"


def test_exception_printed_above_an_abort_came_before_it_however_late_its_worker_ended() -> None:
    text = of(2, "ValueError: shard 3 is bad") + of(1, CLOSED) + ABORT
    story = Story(2, bare=True)
    story.exit(0, 5.0, -6)
    story.exit(1, 5.9, 1)
    story.exit(None, 9.2, 1)
    cause = explain(story.facts(stderr_tail=text)).cause
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 1)
    assert "ValueError: shard 3 is bad" in cause.sentence


def test_exception_printed_below_an_abort_is_not_put_before_it() -> None:
    text = ABORT + of(2, "ValueError: shard 3 is bad")
    story = Story(2, bare=True)
    story.exit(0, 5.0, -6)
    story.exit(1, 5.9, 1)
    story.exit(None, 9.2, 1)
    cause = explain(story.facts(stderr_tail=text)).cause
    assert (cause.kind, cause.rank) == (CauseKind.CRASH_SIGNAL, 0)
    assert "while exiting" in cause.sentence
    assert "after its work" not in cause.sentence, "a traceback leaves open whether its work was done"


def test_only_consequences_explain_nothing() -> None:
    text = of(1, f"RuntimeError: {CLOSED}") + of(2, f"RuntimeError: {CLOSED}")
    assert cause_of(text, 1, 1).kind is CauseKind.NOT_EXPLAINED


def in_init(words: str) -> str:
    return traceback(words, function="init_process_group")


def test_connection_lost_within_init_is_a_failed_init() -> None:
    cause = cause_of("Process SpawnProcess-2:\n" + in_init(f"RuntimeError: {CLOSED}"), 0, 1)
    assert (cause.kind, cause.rank) == (CauseKind.INIT_FAILURE, None)
    assert "rank 1 lost its connection in init_process_group" in cause.sentence
    assert "crash" not in cause.sentence


WAITED = (
    "torch.distributed.DistStoreError: Timed out after 4 seconds waiting for clients. 1/2 clients joined."
)


def test_init_that_waited_for_a_rank_that_had_ended_is_a_failed_init() -> None:
    story = Story(2, bare=True)
    story.exit(1, 1.0, 0)
    story.exit(0, 5.0, 1)
    story.failed(6.0)
    cause = explain(story.facts(stderr_tail="Process SpawnProcess-1:\n" + in_init(WAITED))).cause
    assert cause.kind is CauseKind.INIT_FAILURE


@pytest.mark.parametrize("code", [0, 1, -9])
def test_init_that_waited_may_have_waited_for_a_late_rank(code: int) -> None:
    """It ended later, or nobody knows of what: then it may have come after all, or been killed."""
    cause = cause_of("Process SpawnProcess-1:\n" + in_init(WAITED), 1, code)
    assert cause.kind is not CauseKind.INIT_FAILURE


def test_lost_init_is_no_cause_beside_a_worker_that_ended_badly_without_a_word() -> None:
    cause = cause_of("Process SpawnProcess-2:\n" + in_init(f"RuntimeError: {CLOSED}"), 3, 1)
    assert cause.kind is CauseKind.NOT_EXPLAINED


def test_two_that_differ_explain_nothing() -> None:
    text = of(1, "ValueError: a", function="_plan") + of(2, "KeyError: 'step'")
    assert cause_of(text, 1, 1).kind is CauseKind.NOT_EXPLAINED


def test_worker_that_ended_well_did_not_raise_what_bears_its_number() -> None:
    assert cause_of(of(1, "ValueError: a"), 0, 1).kind is CauseKind.NOT_EXPLAINED


def test_torchs_own_prefix_names_the_rank() -> None:
    text = traceback("ValueError: a", prefix="[rank0]: ")
    cause = cause_of(text, 1, 0)
    assert (cause.kind, cause.rank) == (CauseKind.RANK_EXCEPTION, 0)


def test_nameless_traceback_is_the_only_failed_workers() -> None:
    assert cause_of(traceback("ValueError: a"), 0, 2).rank == 1
    assert cause_of(traceback("ValueError: a"), 1, 2).kind is CauseKind.NOT_EXPLAINED


@pytest.mark.parametrize(
    ("line", "link"),
    [
        ("The above exception was the direct cause of the following exception:", "cause"),
        ("During handling of the above exception, another exception occurred:", "context"),
    ],
)
def test_chain_is_read(line: str, link: str) -> None:
    text = f"Process SpawnProcess-1:\n{traceback('KeyError: 1')}\n{line}\n\n{traceback('PlanError: no')}"
    (block,) = read_blocks(text)
    assert block.link.type == "PlanError"
    behind = getattr(block.link, link)
    assert behind is not None
    assert behind.type == "KeyError"


@given(
    st.lists(
        st.sampled_from([*traceback("ValueError: a").splitlines(), "Process P-1:", "", "x y"]), max_size=30
    )
)
def test_any_text_is_read(lines: list[str]) -> None:
    assert len(list(read_blocks("\n".join(lines)))) <= len(lines)
