"""Which trials an injection runs, in which order, and when it ends; no process is started."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from made_trials import filled

from app.domain.injection import Grade
from app.domain.replay_words import Arm, Outcome, ReplayVerdict
from worker.replay.calibration import Calibration
from worker.replay.engine import Progress
from worker.replay.injecting import inject
from worker.replay.instruments import Instruments
from worker.replay.limits import Limits
from worker.replay.observed import Naming
from worker.replay.probe.inject import CONTROL, parse
from worker.replay.report import Replay
from worker.replay.request import Request
from worker.replay.suspect import Suspect
from worker.replay.trial import Trial, TrialSpec

KILL = "rank=1,at=init,how=kill"


@dataclass
class Machine:
    """Each trial takes `seconds`; `outcomes` are of the trials in order, the last one of all others."""

    outcomes: list[Outcome]
    ranks: int = 2
    seconds: float = 10.0
    clock_s: float = 0.0
    interrupted_at: int | None = None
    specs: list[TrialSpec] = field(default_factory=list)

    def run_trial(
        self,
        spec: TrialSpec,
        suspect: Suspect,
        folder: Path,
        *,
        on_event: Callable[[Naming], None] | None = None,
    ) -> Trial:
        del suspect, on_event
        self.specs.append(spec)
        if spec.number == self.interrupted_at:
            folder.mkdir()
            raise KeyboardInterrupt
        self.clock_s += self.seconds
        outcome = self.outcomes[min(spec.number, len(self.outcomes)) - 1]
        return filled(spec, folder, outcome, self.seconds, ranks=self.ranks)

    def instruments(self) -> Instruments:
        calibrated = Calibration(1000, 0.01, 0.01, 2)
        return Instruments(run_trial=self.run_trial, calibrate=lambda: calibrated, now=lambda: self.clock_s)

    @property
    def injected(self) -> list[str | None]:
        return [one.inject for one in self.specs]


def run(
    machine: Machine, out: Path, spec: str | None = KILL, *, is_survey: bool = False, **more: object
) -> Replay:
    suspect = Suspect("test_it.py::test_it", out.parent, Path("/usr/bin/python3"))
    given: dict[str, object] = {"seed": 7, "limits": Limits(timeout_s=60), "budget_s": float("inf"), **more}
    fault = None if spec is None else parse(spec)
    request = Request(suspect, out, **given)
    return inject(request, fault, is_survey=is_survey, instruments=machine.instruments())


PASSED, FAILED = Outcome.PASSED, Outcome.FAILED


def test_a_control_comes_first_and_every_trial_is_probed_and_runs_to_its_end(tmp_path: Path) -> None:
    machine = Machine([PASSED, FAILED])
    done = run(machine, tmp_path / "out")
    assert machine.injected == [CONTROL, KILL]
    assert {(one.bare, one.ends_early, one.limits.timeout_s) for one in machine.specs} == {
        (False, False, 60.0)
    }
    assert done.verdict is ReplayVerdict.BUDGET_EXHAUSTED  # of the control alone
    assert done.bound.trials == 1
    assert done.injected is not None
    assert done.injected.grade is Grade.E


def test_the_usual_faults_are_those_that_the_control_shows_can_be_reached(tmp_path: Path) -> None:
    machine = Machine([PASSED, FAILED])
    run(machine, tmp_path / "out", None)
    assert [parse(one or "").how for one in machine.injected[1:]] == ["raise", "exit", "kill", "hang"]
    assert {parse(one or "").at for one in machine.injected[1:]} == {"exit"}  # no init was seen


def test_a_test_without_ranks_gets_no_usual_fault_and_the_one_asked_for(tmp_path: Path) -> None:
    machine = Machine([PASSED], ranks=0)
    done = run(machine, tmp_path / "out", None)
    assert machine.injected == [CONTROL]
    assert done.injected is not None
    assert done.injected.ungraded.startswith("not distributed")
    asked = Machine([PASSED], ranks=0)
    run(asked, tmp_path / "other")
    assert asked.injected == [CONTROL, KILL]
    surveyed = Machine([PASSED], ranks=0)
    run(surveyed, tmp_path / "third", is_survey=True)
    assert surveyed.injected == [CONTROL]


@pytest.mark.parametrize(
    ("outcomes", "injected"),
    [
        ([FAILED, PASSED, FAILED], [CONTROL, CONTROL, KILL]),
        ([FAILED], [CONTROL] * 3),
        ([Outcome.NO_TRIAL], [CONTROL]),
    ],
)
def test_no_fault_is_put_in_before_a_control_has_passed(
    tmp_path: Path, outcomes: list[Outcome], injected: list[str]
) -> None:
    machine = Machine(outcomes)
    run(machine, tmp_path / "out")
    assert machine.injected == injected


def test_each_fault_is_tried_as_often_as_asked_under_the_arm_asked_for(tmp_path: Path) -> None:
    machine = Machine([PASSED, FAILED])
    run(machine, tmp_path / "out", trials=3, arms=(Arm.CPU_HALF,))
    assert machine.injected == [CONTROL, *[KILL] * 3]
    assert {(one.arm, one.limits.cpus) for one in machine.specs} == {(Arm.CPU_HALF, 0.5)}


def test_a_budget_ends_it_and_a_trial_that_it_cut_says_nothing(tmp_path: Path) -> None:
    machine = Machine([PASSED, FAILED])
    done = run(machine, tmp_path / "out", None, budget_s=25.0)
    assert len(machine.specs) == 3
    assert done.decisions[-1] == "end: the budget is used up"
    cut = run(Machine([PASSED, Outcome.TIMED_OUT]), tmp_path / "cut", budget_s=12.0)
    assert cut.trials[1].outcome is Outcome.VOID
    assert cut.injected is not None
    assert cut.injected.grade is None


def test_an_interruption_concludes_from_what_has_run(tmp_path: Path) -> None:
    done = run(Machine([PASSED, FAILED], interrupted_at=3), tmp_path / "out", None)
    assert len(done.trials) == 2
    assert not (tmp_path / "out/003").exists()
    plan = json.loads((tmp_path / "out/plan.json").read_text())
    assert plan["decisions"][-1]["why"].startswith("interrupted")
    assert len(plan["trials"]) == 2


def test_a_folder_that_holds_a_replay_is_refused(tmp_path: Path) -> None:
    run(Machine([PASSED]), tmp_path / "out")
    with pytest.raises(FileExistsError):
        run(Machine([PASSED]), tmp_path / "out")


def test_progress_is_told_before_and_after_each_trial(tmp_path: Path) -> None:
    news: list[Progress] = []
    machine = Machine([PASSED, FAILED])
    request = Request(Suspect("test_it.py", tmp_path, Path("/usr/bin/python3")), tmp_path / "out")
    inject(request, parse(KILL), on_progress=news.append, instruments=machine.instruments())
    assert [one.started.number for one in news if one.started] == [1, 2]
    assert [one.finished.spec.inject for one in news if one.finished] == [CONTROL, KILL]
