"""Facts of one moment come in any order from the journals, and mean the same."""

from dataclasses import replace
from itertools import permutations

from worker.replay.explain.explain import explain
from worker.replay.explain.ordered import in_one_order
from worker.replay.facts import Frame, Init, Linked, Phase, Raised, Seen, TrialFacts

RAISED = Raised(5, 1, "MainThread", Seen.UNCAUGHT, "ValueError", "", 1, ())
OTHERS = (
    replace(RAISED, errno=98),
    replace(RAISED, type="queue.Empty"),
    replace(
        RAISED, cause=Linked("KeyError", "", (Frame("tests/test_x.py", 1, "_worker", None, in_project=True),))
    ),
)
INIT = Init(1, 0, None, "WORLD", None, None, None, None, None, "refused", None, None)
INITS = (INIT, replace(INIT, address="127.0.0.1:1"), replace(INIT, address="127.0.0.1:2"))


def test_exceptions_and_inits_of_one_moment_are_explained_alike_in_every_order() -> None:
    facts = TrialFacts(bare=False, began=0, ended=9, main=1, raised=(RAISED, *OTHERS), inits=INITS)
    mixed = [replace(facts, raised=one) for one in permutations(facts.raised)]
    mixed += [replace(facts, inits=one) for one in permutations(facts.inits)]
    assert {repr(explain(one)) for one in mixed} == {repr(explain(facts))}


def test_facts_of_different_moments_stand_by_time() -> None:
    later = tuple(Phase(at, 1, "test", "call", "passed") for at in (3, 1, 2))
    facts = in_one_order(TrialFacts(bare=False, began=0, ended=9, main=1, phases=later))
    assert [one.t for one in facts.phases] == [1, 2, 3]
