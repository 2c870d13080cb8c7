"""A fault reaches its rank at each place, in each way, whoever started the rank: minutes, so to accept."""

import sys
from pathlib import Path

import pytest
from replayed import INCIDENTS

from app.domain.replay_words import Arm, Outcome
from worker.replay.limits import Limits
from worker.replay.probe.inject import EXIT_CODE, MARK
from worker.replay.suspect import Suspect
from worker.replay.trial import TrialSpec
from worker.replay.trial_folder import JOURNALS, read_facts
from worker.replay.trials import run_trial

FILE = "test_ranks_started.py"
STARTED = {
    "fork": f"{FILE}::test_processes_meet[fork]",
    "spawn": f"{FILE}::test_processes_meet[spawn]",
    "forkserver": f"{FILE}::test_processes_meet[forkserver]",
    "torch-spawn": f"{FILE}::test_spawned_ranks_meet",
    "subprocess": f"{FILE}::test_programs_meet",
    "torchrun": f"{FILE}::test_elastic_ranks_meet",
}
CODES = {"raise": {1}, "exit": {EXIT_CODE}, "kill": {-9}, "hang": {-9, -15}}
"""With which rank 1 ends; one that hangs is ended by the test, which must be able to."""
TIMEOUT_S = 100.0


@pytest.mark.accept
@pytest.mark.parametrize("how", CODES)
@pytest.mark.parametrize("at", ["init", "collective=2", "exit"])
@pytest.mark.parametrize("started", STARTED)
def test_a_fault_reaches_rank_1(started: str, at: str, how: str, tmp_path: Path) -> None:
    test = STARTED[started]
    spec = TrialSpec(
        number=1,
        test=test,
        arm=Arm.PLAIN,
        bare=False,
        seed=1,
        limits=Limits(timeout_s=TIMEOUT_S),
        ends_early=False,
        inject=f"rank=1,at={at},how={how}",
    )
    trial = run_trial(spec, Suspect(test, INCIDENTS, Path(sys.executable)), tmp_path / "trial")
    (mark,) = (trial.folder / JOURNALS).glob(f"*{MARK}")
    facts = read_facts(trial.folder)
    assert next(one.rank for one in facts.processes if one.pid == int(mark.stem)) == 1
    if (started, at, how) == ("torch-spawn", "exit", "hang"):  # it waits for ever, as people's tests do
        assert trial.outcome is Outcome.TIMED_OUT
        return
    assert trial.outcome is Outcome.FAILED, trial.reason
    assert next(one.code for one in facts.exits if one.pid == int(mark.stem)) in CODES[how]
