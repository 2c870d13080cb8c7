"""The red tests of results files, replayed in turn within one budget; in a job also told to it as it goes."""

import shutil
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol

import typer

from app.domain.errors import Gone, TriageError
from app.domain.wording import counted
from worker import says
from worker.commands import replay_options
from worker.commands.in_job.annotations import annotations
from worker.commands.in_job.outputs import outputs
from worker.commands.in_job.source_lint import SourceLint
from worker.commands.in_job.step import Step
from worker.commands.in_job.summary import LIMIT_BYTES, summary
from worker.commands.in_job.told import JobReport, replayed
from worker.commands.in_job.turns import in_order, turns
from worker.commands.replay_targets import RedTests, Target
from worker.replay.engine import INTERRUPTED
from worker.replay.report import Replay
from worker.replay.sandbox.open import WAY_OUT
from worker.replay.sandbox.refused import Refused

SUMMARY: Final = "summary.md"
MOST_TOLD: Final = 20
NONE_RED: Final = "No test is red in the results: the job failed otherwise."
WITHOUT_WALLS: Final = (
    "No sandbox could be put up on this runner, so the trials ran with the job's own rights, with which this "
    "code had just run. {why}"
)


class Replays(Protocol):
    """Replays one test and tells of it."""

    def one(self, target: Target, out: Path, budget_s: float) -> Replay: ...
    def drop_walls(self) -> bool:
        """From now on without isolation; False where there was none."""
        ...


@dataclass(slots=True)
class RedSession:
    """`began` is when the budget began to run, in seconds of the monotonic clock."""

    replays: Replays
    project: Path
    out: Path
    budget_s: float
    step: Step | None
    began: float = field(default_factory=time.monotonic)
    report: JobReport = field(init=False)
    _left: dict[str, str] = field(init=False)
    _lint: SourceLint = field(init=False)

    def __post_init__(self) -> None:
        self.report = JobReport(self.budget_s)
        self._left = {}
        self._lint = SourceLint(self.project)

    def run(self, red: RedTests) -> None:
        """Gone where no test is red, outside of a job; in a job that is told, and no more."""
        _tell_left("not read", red.unread)
        if not red.targets and not red.left and self.step is None:
            raise Gone("--from-junit", "no test is red there, so there is nothing to replay")
        notes = () if red.targets or red.left else (NONE_RED,)
        self._left = dict(red.left)  # grows, and is the report's own: there may be very many
        self.report = replace(
            self.report,
            red=len(red.targets) + len(red.left),
            unread=red.unread,
            not_tried=self._left,
            notes=notes,
            project=self.step.place_of(self.project) if self.step else "",
            artifact=self.step.known.artifact if self.step else "",
        )
        try:
            self._begin()
            self._in_turn(in_order(self.project, red.targets))
            self.report = replace(self.report, is_ended=True)
        finally:
            self._end()

    def _begin(self) -> None:
        if self.step is not None:
            self.step.tell_outputs({"bundle": str(self.out)})  # what is there is kept, however we end
            self.step.tell_summary(self._summary())

    def _in_turn(self, targets: Sequence[Target]) -> None:
        names = replay_options.folder_names([one.test for one in targets])
        alone = len(targets) == 1 and self.step is None
        waiting = dict(zip([one.test for one in targets], names, strict=True))
        why = ""
        for turn in turns(targets, self.budget_s, lambda: time.monotonic() - self.began):
            test = turn.target.test
            if why or turn.why_not:
                self._left[test] = why or turn.why_not
                continue
            out = self.out if alone else self.out / waiting[test]
            if self.step is None:
                done: Replay | None = self.replays.one(turn.target, out, turn.share_s)
            else:
                done = self._careful(turn.target, out, turn.share_s)
                self.step.tell_summary(self._summary())
            if done is not None and INTERRUPTED in done.decisions:
                why = "the replay was interrupted before its turn"

    def _careful(self, target: Target, out: Path, share_s: float) -> Replay | None:
        """None where it could not be replayed, which is told: one test's trouble is not the others'."""
        try:
            done = self._with_walls_or_without(target, out, share_s)
            told = replayed(done)
        except (TriageError, Refused, OSError, typer.BadParameter) as error:
            self._left[target.test] = f"it could not be replayed: {error}"
        except Exception as error:  # noqa: BLE001 - a bug of ours must not cost the other tests their turn
            says.progress(traceback.format_exc())
            self._left[target.test] = f"flake-triage broke on it: {type(error).__name__}: {error}"
        else:
            before = self.report.replayed
            self.report = replace(self.report, replayed=(*before, told))  # also if a signal ends the lint
            if INTERRUPTED not in done.decisions:
                sources = self._lint.of(target.test, target.original, done.explanation.cause)
                self.report = replace(self.report, replayed=(*before, replace(told, sources=sources)))
            return done
        return None

    def _with_walls_or_without(self, target: Target, out: Path, share_s: float) -> Replay:
        began = time.monotonic()
        try:
            return self.replays.one(target, out, share_s)
        except Refused as error:
            if not self.replays.drop_walls():
                raise
            note = WITHOUT_WALLS.format(why=str(error).removesuffix(WAY_OUT).rstrip())
        says.progress(f"flake-triage: {note}")
        self.report = replace(self.report, notes=(*self.report.notes, note))
        shutil.rmtree(out, ignore_errors=True)
        return self.replays.one(target, out, max(1.0, share_s - (time.monotonic() - began)))

    def _summary(self) -> str:
        room = self.step.summary_room if self.step else 0
        return summary(self.report, limit_bytes=room or LIMIT_BYTES)

    def _end(self) -> None:
        _tell_left("not tried", self.report.not_tried)
        if self.step is None:
            return
        told = self._summary()
        file = self.out / SUMMARY
        try:
            file.write_text(told, encoding="utf-8")
        except OSError as error:
            says.progress(f"flake-triage: {file}: {error.strerror}")
        self.step.tell_summary(told)
        self.step.annotate(annotations(self.report))
        self.step.tell_outputs(outputs(self.report, self.out, file))


def _tell_left(how: str, left: Mapping[str, str]) -> None:
    for name, why in list(left.items())[:MOST_TOLD]:
        says.progress(f"{how}: {name}: {why}")
    if len(left) > MOST_TOLD:
        says.progress(f"{how}: {counted(len(left) - MOST_TOLD, 'other')}")
