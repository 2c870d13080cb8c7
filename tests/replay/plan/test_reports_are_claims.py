"""Whatever trials a replay had, its report is one that the service reads: the two never drift apart."""

import json

from hypothesis import given
from hypothesis import strategies as st
from replay_fakes import BREAKS, COMES_LATE, PASSES, SKIPS, by_signature_and_kind, made_trial

from app.domain.replay_claim import read_claim
from app.domain.replay_words import Arm
from worker.replay.bundle.write import report_json
from worker.replay.plan.conclusion import Asked, conclude
from worker.replay.plan.modes import Reference
from worker.replay.trial import Trial

TEST = "test_it.py::test_it"


@st.composite
def trials(draw: st.DrawFn) -> list[Trial]:
    acts = draw(st.lists(st.sampled_from([BREAKS, COMES_LATE, PASSES, SKIPS]), max_size=24))
    return [
        made_trial(
            number, act, bare=draw(st.booleans()), arm=draw(st.sampled_from([Arm.PLAIN, Arm.CPU_HALF]))
        )
        for number, act in enumerate(acts, start=1)
    ]


@given(trials())
def test_every_report_of_a_replay_is_a_claim(ran: list[Trial]) -> None:
    replay = conclude(Asked(TEST, Reference()), ran, by_signature_and_kind)
    claim = read_claim(json.loads(json.dumps(report_json(replay))), test=TEST)
    assert claim.verdict is replay.verdict
    assert claim.cause is replay.explanation.cause.kind
    assert (claim.failures, claim.trials) == (replay.bound.failures, replay.bound.trials)
