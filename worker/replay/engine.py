"""Replay one test: trial after trial as the plan decides, each explained, until enough is known.

The engine runs and remembers; what to run next and what it all means is decided in `plan`. It writes trial
folders `001`, `002`, ... and `plan.json` under the request's `out`, and nothing else.
"""

import secrets
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from statistics import fmean

from app.domain.replay_words import Arm, Outcome
from worker.replay.canaries import Canaries
from worker.replay.explaining import Explainer
from worker.replay.instruments import Instruments
from worker.replay.observed import Naming
from worker.replay.plan.arms import Ground, limits_of, perturbation_of, seed_of
from worker.replay.plan.conclusion import Asked, conclude
from worker.replay.plan.counts import arm_counts
from worker.replay.plan.modes import Modes, find_modes, reference_of, rows_of
from worker.replay.plan.next_step import next_step
from worker.replay.plan.question import Step, Stop
from worker.replay.plan.rows import Row
from worker.replay.plan.sentences import busy_sentence
from worker.replay.plan_file import NAME, PlanFile
from worker.replay.report import ArmCount, Replay
from worker.replay.request import Request, question_of
from worker.replay.trial import Trial, TrialSpec

INTERRUPTED = "interrupted: what is known so far"


@dataclass(frozen=True, slots=True)
class Progress:
    """News of a running replay. Of `started`, `finished` and `named` the one that is new is set."""

    decision: str
    arms: tuple[ArmCount, ...]
    elapsed_s: float
    budget_s: float
    started: TrialSpec | None = None
    finished: Trial | None = None
    named: Naming | None = None


Listener = Callable[[Progress], None]


def replay(
    request: Request, *, on_progress: Listener | None = None, instruments: Instruments | None = None
) -> Replay:
    """Replay the request's suspect. Ctrl-C, or a machine that has no room for one more trial, ends the
    running trial and concludes from those before it.

    Raises what `run_trial` raises where already the first trial cannot be run, and FileExistsError where
    `out` holds a replay.
    """
    run = _Run(request, instruments or Instruments(), on_progress or (lambda _: None))
    try:
        run.until_known()
    except KeyboardInterrupt:
        run.file.note(INTERRUPTED)
    except OSError as error:
        if not run.has_trials:
            raise
        run.file.note(f"end: a trial could not be run: {error}")
    return run.conclude()


class _Run:
    def __init__(self, request: Request, instruments: Instruments, on_progress: Listener) -> None:
        self._request = request
        self._instruments = instruments
        self._on_progress = on_progress
        self._began = instruments.now()
        self._seed = secrets.randbits(31) if request.seed is None else request.seed
        self._question = question_of(request, self._seed)
        self._reference = reference_of(request.suspect.original, request.suspect.expected_signature)
        self._explainer = Explainer(instruments)
        self._canaries = Canaries(request, instruments)
        self._trials: list[Trial] = []
        self._decision = self._question.ladder.why
        request.out.mkdir(parents=True, exist_ok=True)
        if (request.out / NAME).exists():
            raise FileExistsError(f"{request.out} holds a replay already")
        self._calibration = instruments.calibrate()
        self._told: dict[str, object] = {"calibration": asdict(self._calibration)}
        self.file = PlanFile(request.out, self._question, {**self._told, "test": request.suspect.test})
        self.file.note(self._decision)
        if self._calibration.is_busy:
            self.file.note(busy_sentence(self._calibration.load, self._calibration.cpus))

    def until_known(self) -> None:
        while True:
            said = next_step(
                self._question, self._rows(), closed=self._closed(), remaining_s=self._remaining_s
            )
            self._decision = said.why
            self.file.decide(said, len(self._trials) + 1)
            if isinstance(said, Stop):
                return
            self._run(said)
            if Arm.PLAIN in self._canaries.void:
                self.file.note(
                    "end: a healthy test fails here even without a limit, so nothing can be believed"
                )
                return

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
        return report

    @property
    def has_trials(self) -> bool:
        return bool(self._trials)

    @property
    def _remaining_s(self) -> float:
        return self._request.budget_s - (self._instruments.now() - self._began)

    def _rows(self) -> list[Row]:
        return rows_of(self._trials, self._modes())

    def _modes(self) -> Modes:
        return find_modes(self._trials, self._reference, self._instruments.agrees)

    def _closed(self) -> frozenset[Arm]:
        ground = self._ground()
        no_memory = ground.peak_bytes is None and ground.asked.memory_bytes is None
        return frozenset(self._canaries.void) | ({Arm.MEMORY} if no_memory else set())

    def _run(self, step: Step) -> None:
        spec = self._spec(step)
        folder = self._request.out / f"{spec.number:03d}"
        self._tell(started=spec)
        try:
            trial = self._instruments.run_trial(
                spec, self._request.suspect, folder, on_event=lambda naming: self._tell(named=naming)
            )
        except (KeyboardInterrupt, OSError):
            shutil.rmtree(folder, ignore_errors=True)  # half a trial is no evidence
            raise
        self._take(self._cut_by_budget(trial))

    def _take(self, trial: Trial) -> None:
        trial, is_background = self._explainer.explain(trial)
        self._trials.append(trial)
        self.file.ran(trial)
        if is_background:
            self._trials = [
                self._explainer.explain(one)[0] if one.outcome.is_failure else one for one in self._trials
            ]
        if self._canaries.is_wanted(trial.spec.arm, self._trials):
            self.file.note(self._canaries.run(trial.spec))
            self._trials = [self._canaries.voided(one) for one in self._trials]
        self._tell(finished=self._trials[-1])

    def _spec(self, step: Step) -> TrialSpec:
        number = len(self._trials) + 1
        mine = [trial for trial in self._trials if trial.spec.arm is step.arm]
        failed = [trial.spec.seed for trial in self._modes().failures if trial.spec.arm is step.arm]
        seed = seed_of(self._seed, number, earlier=[one.spec.seed for one in mine], failed=failed)
        ground, policy = self._ground(), self._request.policy
        limits = limits_of(step.arm, ground, policy)
        return TrialSpec(
            number=number,
            test=self._request.suspect.test,
            arm=step.arm,
            bare=step.bare,
            seed=seed,
            limits=replace(limits, timeout_s=min(limits.timeout_s, max(1.0, self._remaining_s))),
            perturbation=perturbation_of(step.arm, ground, policy, seed=seed),
            ends_early=self._may_end_early(step),
        )

    def _may_end_early(self, step: Step) -> bool:
        """Not before one probed failure has run to its own end, where there is something to compare it with:
        bare failures, or a signature. What was ended early has a cause and no signature.
        """
        failed = [trial for trial in self._trials if trial.outcome.is_failure]
        to_compare = self._reference.signature is not None or any(trial.spec.bare for trial in failed)
        is_linked = any(not one.spec.bare and one.outcome is Outcome.FAILED for one in failed)
        longest = max((trial.seconds for trial in failed), default=0.0)
        has_time = self._remaining_s > 2 * longest
        return self._request.ends_early and not step.bare and (is_linked or not (to_compare and has_time))

    def _cut_by_budget(self, trial: Trial) -> Trial:
        """A trial that ran into the budget's end and not into its own time limit says nothing."""
        is_cut = trial.spec.limits.timeout_s < self._request.limits.timeout_s
        if trial.outcome is not Outcome.TIMED_OUT or not is_cut:
            return trial
        return replace(trial, outcome=Outcome.VOID, reason="the budget ended while it ran")

    def _ground(self) -> Ground:
        """What plain trials have shown: how long one takes that passes, and how much memory any needs."""
        plain = [trial for trial in self._trials if trial.spec.arm is Arm.PLAIN and trial.outcome.counts]
        seconds = [trial.seconds for trial in plain if trial.outcome is Outcome.PASSED]
        peaks = [trial.usage.memory_peak_bytes for trial in plain if trial.usage.memory_peak_bytes]
        return Ground(self._request.limits, fmean(seconds) if seconds else None, max(peaks, default=None))

    def _tell(
        self,
        *,
        started: TrialSpec | None = None,
        finished: Trial | None = None,
        named: Naming | None = None,
    ) -> None:
        self._on_progress(
            Progress(
                decision=self._decision,
                arms=arm_counts(self._trials, self._rows()),
                elapsed_s=self._instruments.now() - self._began,
                budget_s=self._request.budget_s,
                started=started,
                finished=finished,
                named=named,
            )
        )
