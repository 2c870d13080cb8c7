"""Fakes of what surrounds the engine: a runner of trials, a reader of facts, an explainer, and a clock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.domain.replay_words import Arm, CauseKind, Outcome
from worker.replay.calibration import Calibration
from worker.replay.facts import TrialFacts
from worker.replay.instruments import Instruments
from worker.replay.limits import Held, Hold, Limits, Usage
from worker.replay.observed import Naming
from worker.replay.plan.canary import NODE
from worker.replay.request import Request
from worker.replay.suspect import Original, Suspect
from worker.replay.trial import Explained, Explanation, Thrown, Trial, TrialSpec

HELD = Held("cgroup-v1", Hold.ENFORCED, Hold.ENFORCED, Hold.ENFORCED, "bubblewrap")
TEST = "test_it.py::test_it"
PEAK = 100_000_000


def cause_of(kind: CauseKind, rank: int | None = None, *, type_: str | None = None) -> Explained:
    thrown = Thrown(type_, "went wrong", None, None, ()) if type_ else None
    return Explained(kind, f"rank {rank}: {kind}", rank, exception=thrown, place="test_it.py:_work")


BROKE = cause_of(CauseKind.RANK_EXCEPTION, 1, type_="ValueError")
LATE = cause_of(CauseKind.LATE_RANK, 0)


@dataclass(frozen=True)
class Ends:
    """How one trial of the fake ends."""

    outcome: Outcome
    cause: Explained = field(default_factory=lambda: Explained(CauseKind.NONE))
    signature: str | None = None
    seconds: float = 1.0


PASSES = Ends(Outcome.PASSED)
BREAKS = Ends(Outcome.FAILED, BROKE, "sig-broke")
COMES_LATE = Ends(Outcome.FAILED, LATE, "sig-late")
SKIPS = Ends(Outcome.NO_TRIAL)


@dataclass
class FakeMachine:
    """Runs trials by a rule; its clock goes on by what each takes. Canaries pass unless they are named."""

    rule: Callable[[TrialSpec], Ends]
    bad_grounds: frozenset[Arm] = frozenset()
    canary_ends: Ends = PASSES
    held: Held = HELD
    clock_s: float = 0.0
    specs: list[TrialSpec] = field(default_factory=list)
    canaries: list[TrialSpec] = field(default_factory=list)
    explained_with: list[int] = field(default_factory=list)
    _causes: dict[Path, tuple[Explained, bool]] = field(default_factory=dict)

    def run_trial(
        self,
        spec: TrialSpec,
        suspect: Suspect,
        folder: Path,
        *,
        on_event: Callable[[Naming], None] | None = None,
    ) -> Trial:
        del on_event
        folder.mkdir(parents=True)
        if spec.test == NODE:
            assert (suspect.project / "test_canary.py").is_file()
            self.canaries.append(spec)
            ends = BREAKS if spec.arm in self.bad_grounds else self.canary_ends
        else:
            self.specs.append(spec)
            ends = self.rule(spec)
        self.clock_s += ends.seconds
        self._causes[folder] = (ends.cause, spec.bare)
        return Trial(
            spec,
            ends.outcome,
            folder,
            ends.seconds,
            self.held,
            usage=Usage(memory_peak_bytes=PEAK),
            signature=ends.signature,
        )

    def read_facts(self, folder: Path) -> TrialFacts:
        number = list(self._causes).index(folder)
        return TrialFacts(bare=self._causes[folder][1], began=number, ended=number + 1, main=1)

    def explain(self, facts: TrialFacts, passing: Sequence[TrialFacts] = ()) -> Explanation:
        self.explained_with.append(len(passing))
        folder = list(self._causes)[facts.began]
        return Explanation(self._causes[folder][0], matched={"WORLD": 3})

    def instruments(self) -> Instruments:
        return Instruments(
            run_trial=self.run_trial,
            read_facts=self.read_facts,
            explain=self.explain,
            agrees=by_signature_and_kind,
            calibrate=lambda: Calibration(1000, 0.01, 0.01, 2),
            now=lambda: self.clock_s,
        )


def by_signature_and_kind(one: Trial, other: Trial) -> bool:
    return (one.signature, one.explanation.cause.kind) == (other.signature, other.explanation.cause.kind)


def request(
    out: Path, *, original: Original | None = None, expected: str | None = None, **more: object
) -> Request:
    out.parent.joinpath("test_it.py").write_text("def test_it(): ...\n")
    suspect = Suspect(TEST, out.parent, Path("/usr/bin/python3"), original, expected)
    given: dict[str, object] = {"seed": 7, "limits": Limits(timeout_s=60), **more}
    return Request(suspect, out, **given)


def made_trial(
    number: int,
    ends: Ends,
    *,
    arm: Arm = Arm.PLAIN,
    bare: bool = True,
    opaque: bool = False,
    usage: Usage | None = None,
    held: Held = HELD,
) -> Trial:
    spec = TrialSpec(number, TEST, arm, bare, number, Limits(timeout_s=60))
    return Trial(
        spec,
        ends.outcome,
        Path(f"{number:03d}"),
        ends.seconds,
        held,
        usage=usage or Usage(),
        signature=ends.signature,
        opaque=opaque,
        explanation=Explanation(ends.cause),
    )
