"""Runs one test with faults of ours in a rank: a control first, then a trial for each fault.

As the engine does, it writes trial folders `001`, `002`, ... and `plan.json` under the request's `out`, and
nothing else. Every trial is probed and runs to its own end or its time limit.
"""

import math
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace

from app.domain.replay_words import Arm, Outcome
from worker.replay.engine import INTERRUPTED, Listener, Progress
from worker.replay.explaining import Explainer
from worker.replay.injection.judged import NOT_DISTRIBUTED, judged
from worker.replay.injection.places import ground_of, usual_faults
from worker.replay.instruments import Instruments
from worker.replay.plan.arms import Ground, limits_of, perturbation_of
from worker.replay.plan.conclusion import Asked, conclude
from worker.replay.plan.counts import arm_counts
from worker.replay.plan.modes import find_modes, reference_of, rows_of
from worker.replay.plan.question import Step, Stop
from worker.replay.plan_file import NAME, PlanFile
from worker.replay.probe.inject import CONTROL, Fault
from worker.replay.report import Replay
from worker.replay.request import Request, question_of
from worker.replay.trial import Trial, TrialSpec

MOST_CONTROLS = 3
"""A test that fails now and then may do so in its control too."""
USUAL_RANK = 1
TWO = 2  # make a world


def inject(
    request: Request,
    fault: Fault | None,
    *,
    is_survey: bool = False,
    on_progress: Listener | None = None,
    instruments: Instruments | None = None,
) -> Replay:
    """Run it; `fault` None stands for the usual ones that rank 1 can reach. In a survey, and for the usual
    ones, a test without two ranks is spared.

    The request's first arm is that of every trial, its `trials` how often each fault is tried. Where no
    control passes, no fault is put in. Ctrl-C concludes from what has run. Raises what `run_trial` raises,
    and FileExistsError where `out` holds a replay.
    """
    run = _Run(request, instruments or Instruments(), on_progress or (lambda _: None))
    try:
        run.whole(fault, is_survey=is_survey)
    except KeyboardInterrupt:
        run.file.note(INTERRUPTED)
    return run.conclude()


class _Run:
    def __init__(self, request: Request, instruments: Instruments, on_progress: Listener) -> None:
        self._arm = next(iter(request.arms), Arm.PLAIN)
        self._request = request
        self._instruments = instruments
        self._on_progress = on_progress
        self._began = instruments.now()
        self._seed = secrets.randbits(31) if request.seed is None else request.seed
        self._reference = reference_of(None, None)
        self._explainer = Explainer(instruments)
        self._trials: list[Trial] = []
        self._decision = ""
        request.out.mkdir(parents=True, exist_ok=True)
        if (request.out / NAME).exists():
            raise FileExistsError(f"{request.out} holds a replay already")
        self._told: dict[str, object] = {"calibration": asdict(instruments.calibrate())}
        question = question_of(replace(request, arms=(self._arm,)), self._seed)
        self.file = PlanFile(request.out, question, {**self._told, "test": request.suspect.test})

    def whole(self, fault: Fault | None, *, is_survey: bool) -> None:
        control = self._control()
        if control is None:
            self._end("no control passed, so nothing can be said of a fault")
            return
        faults = self._faults(control, fault, is_survey=is_survey)
        times = self._request.trials or 1
        for one in faults:
            for _ in range(times):
                if self._remaining_s <= 0:
                    self._end("the budget is used up")
                    return
                self._run(one.spec, f"the fault {one.spec}")
        self._end("every fault has had its trials" if faults else NOT_DISTRIBUTED)

    def conclude(self) -> Replay:
        asked = Asked(
            test=self._request.suspect.test,
            reference=self._reference,
            seed=self._seed,
            decisions=self.file.sentences,
            policy=self._request.policy,
            told=self._told,
        )
        report = conclude(asked, self._trials, self._instruments.agrees)
        self.file.conclude(report.verdict.value, report.sentence, self._trials)
        return replace(report, injected=judged(self._trials))

    def _control(self) -> Trial | None:
        for number in range(1, MOST_CONTROLS + 1):
            trial = self._run(CONTROL, f"a control without a fault, {number} of at most {MOST_CONTROLS}")
            if trial.outcome is Outcome.PASSED:
                return trial
            if not trial.outcome.counts or self._remaining_s <= 0:
                break
        return None

    def _faults(self, control: Trial, fault: Fault | None, *, is_survey: bool) -> Sequence[Fault]:
        ground = ground_of(self._instruments.read_facts(control.folder), USUAL_RANK)
        if ground.ranks < TWO and (is_survey or fault is None):
            return []
        return [fault] if fault is not None else list(usual_faults(ground, USUAL_RANK))

    @property
    def _remaining_s(self) -> float:
        return self._request.budget_s - (self._instruments.now() - self._began)

    def _run(self, asked: str, why: str) -> Trial:
        spec = self._spec(asked)
        self._decision = why
        self.file.decide(Step(self._arm, bare=False, why=why), spec.number)
        folder = self._request.out / f"{spec.number:03d}"
        self._tell(started=spec)
        try:
            trial = self._instruments.run_trial(spec, self._request.suspect, folder)
        except (KeyboardInterrupt, OSError):
            shutil.rmtree(folder, ignore_errors=True)  # half a trial is no evidence
            raise
        trial = self._explainer.explain(self._cut_by_budget(trial))[0]
        self._trials.append(trial)
        self.file.ran(trial)
        self._tell(finished=trial)
        return trial

    def _spec(self, asked: str) -> TrialSpec:
        passed = [one.seconds for one in self._trials if one.outcome is Outcome.PASSED]
        ground = Ground(self._request.limits, next(iter(passed), None))
        policy, seed = self._request.policy, self._seed
        limits = limits_of(self._arm, ground, policy)
        return TrialSpec(
            number=len(self._trials) + 1,
            test=self._request.suspect.test,
            arm=self._arm,
            bare=False,
            seed=seed,
            limits=replace(limits, timeout_s=min(limits.timeout_s, max(1.0, self._remaining_s))),
            perturbation=perturbation_of(self._arm, ground, policy, seed=seed),
            ends_early=False,
            inject=asked,
        )

    def _cut_by_budget(self, trial: Trial) -> Trial:
        is_cut = trial.spec.limits.timeout_s < self._request.limits.timeout_s
        if trial.outcome is not Outcome.TIMED_OUT or not is_cut:
            return trial
        return replace(trial, outcome=Outcome.VOID, reason="the budget ended while it ran")

    def _end(self, why: str) -> None:
        self.file.decide(Stop(why), len(self._trials) + 1)

    def _tell(self, *, started: TrialSpec | None = None, finished: Trial | None = None) -> None:
        rows = rows_of(self._trials, find_modes(self._trials, self._reference, self._instruments.agrees))
        self._on_progress(
            Progress(
                decision=self._decision,
                arms=arm_counts(self._trials, rows),
                elapsed_s=self._instruments.now() - self._began,
                budget_s=self._request.budget_s if math.isfinite(self._request.budget_s) else 0.0,
                started=started,
                finished=finished,
            )
        )
