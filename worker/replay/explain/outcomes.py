"""Whether a trial failed, as its facts tell: only what failed has a cause."""

from worker.replay.explain.lives import know_lives
from worker.replay.facts import TrialFacts

_NOTHING_COLLECTED = 5


def has_failed(facts: TrialFacts) -> bool:
    """True unless the test is known to have passed, or to have run nothing.

    pytest's own exit decides (0; 5 for nothing collected), so that a failure which a plugin ran again
    successfully is none. A test that left its process by itself, without pytest's verdict, has failed.
    """
    if facts.timed_out or facts.ended_early_at is not None:
        return True
    code = know_lives(facts).code_of(facts.main)
    if code is None:
        return not facts.phases or any(one.outcome == "failed" for one in facts.phases)
    was_cut = bool(facts.phases) and all(
        one.when in {"collect", "setup"} and one.outcome == "passed" for one in facts.phases
    )
    return code not in {0, _NOTHING_COLLECTED} or was_cut
