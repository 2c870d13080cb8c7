"""Of any facts: nothing raises, no rank is made up, the order is without meaning, passes have no cause."""

import random
import re
from dataclasses import fields, replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.replay_words import CauseKind
from worker.replay.explain.explain import explain
from worker.replay.facts import (
    Collective,
    Ending,
    Exit,
    Frame,
    Group,
    Init,
    Linked,
    LockWait,
    Pause,
    Phase,
    Process,
    QueueItem,
    Raised,
    Seen,
    Sent,
    Source,
    Stack,
    StoreCall,
    Survivor,
    Teardown,
    TrialFacts,
)
from worker.replay.limits import Usage

MAIN = 1
PIDS = st.integers(1, 6)
TIMES = st.integers(0, 12).map(lambda n: n * 250_000_000)
ENDS = st.none() | TIMES
RANKS = st.none() | st.integers(-1, 4)
GROUPS = st.sampled_from(["WORLD", "pair", "x\x1b[2J"])
ERRORS = st.none() | st.integers(0, 8)
TEXTS = st.sampled_from(
    [
        "",
        "a",
        "no packing fits",
        "Timed out waiting 3000ms for recv",
        "Connection closed by peer",
        "\x1b]0;x\x07\u202e",
    ]
)
TYPES = st.sampled_from(
    ["ValueError", "RuntimeError", "AssertionError", "queue.Empty", "OSError", "SystemExit"]
)
FRAMES = st.builds(
    Frame,
    st.sampled_from(["tests/test_x.py", "/lib/threading.py"]),
    st.integers(-1, 99),
    st.sampled_from(["_worker", "acquire", "_plan\x00"]),
    st.none() | st.sampled_from(["with lock:", "time.sleep(9)"]),
    st.booleans(),
)
STACKS = st.lists(FRAMES, max_size=2).map(tuple)
LINKS = st.none() | st.builds(Linked, TYPES, TEXTS, STACKS)
WORDS = st.lists(TEXTS, max_size=2).map(tuple)

RAISED = st.builds(
    Raised,
    TIMES,
    PIDS,
    st.sampled_from(["MainThread", "t"]),
    st.sampled_from(Seen),
    TYPES,
    TEXTS,
    st.integers(1, 8),
    STACKS,
    LINKS,
    LINKS,
    st.just({}),
    st.none() | st.just(98),
)
COLLECTIVES = st.builds(
    Collective,
    PIDS,
    GROUPS,
    st.integers(0, 4),
    st.sampled_from(["all_reduce", "barrier", "broadcast", "send", "recv", "all_to_all"]),
    TIMES,
    ENDS,
    st.none() | st.sampled_from(["SUM", "MIN"]),
    st.sampled_from([(), ((4,),), ((9, 2),)]),
    st.sampled_from([(), ("float32",), ("int32",)]),
    RANKS,
    st.none() | FRAMES,
    st.booleans(),
    ERRORS,
    st.just("MainThread"),
    st.sampled_from(Source),
    ENDS,
    RANKS,
)
STACK = st.builds(
    Stack,
    TIMES,
    PIDS,
    st.sampled_from(["MainThread", "t"]),
    STACKS,
    st.booleans(),
    st.sampled_from(["asked", "fatal"]),
)
FACTS = st.builds(
    TrialFacts,
    st.booleans(),
    st.just(0),
    st.just(3_000_000_000),
    st.just(MAIN),
    processes=st.lists(
        st.builds(
            Process,
            PIDS,
            st.none() | PIDS,
            WORDS,
            TIMES,
            st.sampled_from(["fork", "exec"]),
            st.none() | TEXTS,
            rank=RANKS,
            world=st.none() | st.integers(-1, 4),
            rank_source=st.sampled_from(["init", "order"]),
            observed=st.booleans(),
            exiting_at=ENDS,
            work_done_at=ENDS,
            ending=st.none() | st.sampled_from(Ending),
            last_words=WORDS,
        ),
        max_size=6,
    ).map(tuple),
    exits=st.lists(
        st.builds(
            Exit,
            PIDS,
            TIMES,
            st.sampled_from([0, 1, 5, -6, -9, -11, -15, -300]),
            st.sampled_from(["pidfd", "?"]),
        ),
        max_size=5,
    ).map(tuple),
    inits=st.lists(
        st.builds(
            Init,
            PIDS,
            TIMES,
            ENDS,
            GROUPS,
            address=st.none() | TEXTS,
            rank=RANKS,
            world=RANKS,
            error=ERRORS,
            in_try=st.none() | st.booleans(),
        ),
        max_size=5,
    ).map(tuple),
    teardowns=st.lists(st.builds(Teardown, PIDS, TIMES, ENDS, GROUPS, ERRORS), max_size=2).map(tuple),
    groups=st.lists(
        st.builds(Group, PIDS, GROUPS, st.sampled_from([(), (0, 1), (1, 7)]), TIMES), max_size=3
    ).map(tuple),
    collectives=st.lists(COLLECTIVES, max_size=8).map(tuple),
    store_calls=st.lists(
        st.builds(StoreCall, PIDS, st.sampled_from(["get", "set", "wait"]), TEXTS, TIMES, ENDS, ERRORS),
        max_size=3,
    ).map(tuple),
    raised=st.lists(RAISED, max_size=6).map(tuple),
    items=st.lists(
        st.builds(
            QueueItem,
            TIMES,
            PIDS,
            st.booleans(),
            st.just("q"),
            st.none() | st.just("d"),
            st.booleans(),
            RANKS,
            TEXTS,
        ),
        max_size=4,
    ).map(tuple),
    sent=st.lists(
        st.builds(
            Sent,
            TIMES,
            PIDS,
            PIDS,
            st.sampled_from([9, 15, 11, 900]),
            st.none() | FRAMES,
            target_state=st.none() | st.sampled_from(["R", "S"]),
            target_cpu_grew=st.none() | st.booleans(),
            target_stacks=st.lists(STACK, max_size=2).map(tuple),
        ),
        max_size=3,
    ).map(tuple),
    stacks=st.lists(STACK, max_size=3).map(tuple),
    lock_waits=st.lists(
        st.builds(
            LockWait,
            TIMES,
            PIDS,
            st.sampled_from(["a", "b"]),
            st.just(1),
            st.none() | st.sampled_from(["a", "b"]),
        ),
        max_size=3,
    ).map(tuple),
    phases=st.lists(
        st.builds(
            Phase,
            TIMES,
            PIDS,
            st.just("t"),
            st.sampled_from(["setup", "call"]),
            st.sampled_from(["passed", "failed"]),
            TEXTS,
        ),
        max_size=2,
    ).map(tuple),
    pauses=st.lists(st.builds(Pause, PIDS, TIMES, TIMES), max_size=2).map(tuple),
    survivors=st.lists(
        st.builds(Survivor, st.integers(1, 9), WORDS, st.just("S"), st.just((5,))), max_size=2
    ).map(tuple),
    usage=st.builds(
        Usage,
        oom_kills=st.none() | st.integers(0, 2),
        periods=st.none() | st.just(9),
        throttled_periods=st.none() | st.just(3),
    ),
    stderr_tail=TEXTS,
    timed_out=st.booleans(),
    ended_early_at=ENDS,
    torn=st.sampled_from([(), ("2.calls",), ("x",)]),
)
MODEST = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def texts_of(explanation) -> list[str]:  # noqa: ANN001 - an explanation
    cause = explanation.cause
    return [
        cause.sentence,
        *cause.consequences,
        *(one.text for one in explanation.findings),
        *explanation.timeline,
    ]


def ranks_of(facts: TrialFacts) -> set[int]:
    told = {one.rank for one in (*facts.processes, *facts.inits) if one.rank is not None}
    return {rank for rank in told if rank >= 0}


@MODEST
@given(FACTS, st.lists(FACTS, max_size=1))
def test_any_facts_are_explained_in_bounded_lines_about_ranks_that_exist(
    facts: TrialFacts, passing: list[TrialFacts]
) -> None:
    explanation = explain(facts, passing)
    known = ranks_of(facts)
    cause = explanation.cause
    assert cause.rank is None or cause.rank in known
    assert cause.collective is None or cause.collective.rank is None or cause.collective.rank in known
    assert cause.window is None or set(cause.window.frames_by_rank) <= known
    for text in texts_of(explanation):
        assert text.isprintable()
        assert len(text) <= 2_000
        assert {int(found) for found in re.findall(r"\brank (\d{1,9})", text)} <= known
    assert (cause.kind is CauseKind.NONE) == (cause.sentence == "")


@MODEST
@given(FACTS, st.randoms(use_true_random=False))
def test_order_of_the_facts_is_without_meaning(facts: TrialFacts, chance: random.Random) -> None:
    def shuffled(values: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(chance.sample(values, len(values)))

    mixed = {
        one.name: shuffled(value)
        for one in fields(facts)
        if isinstance(value := getattr(facts, one.name), tuple) and one.name != "torn"
    }
    assert explain(replace(facts, **mixed)) == explain(facts)


@MODEST
@given(FACTS)
def test_passing_trial_never_has_a_cause(facts: TrialFacts) -> None:
    exits = tuple(one for one in facts.exits if one.pid != MAIN)
    passed = replace(
        facts,
        exits=(*exits, Exit(MAIN, 1, 0, "pidfd")),
        phases=(Phase(1, MAIN, "t", "call", "passed"),),
        timed_out=False,
        ended_early_at=None,
    )
    assert explain(passed).cause.kind is CauseKind.NONE
