"""`flake-triage replay --inject` and `--inject-all`: what tests say of faults that we put into a rank."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.domain.injection import Injected
from app.domain.replay_words import ReplayVerdict
from app.domain.wording import counted
from worker import says
from worker.commands import replay_options
from worker.commands.replay_about import about
from worker.commands.replay_live import ReplayLive
from worker.commands.replay_targets import Target
from worker.commands.telling import tell
from worker.replay.bundle import layout
from worker.replay.bundle.injected import grade_word, injected_lines
from worker.replay.bundle.write import write_bundle
from worker.replay.injecting import inject
from worker.replay.probe.inject import Fault
from worker.replay.report import Replay
from worker.replay.request import Request

NO_BUDGET = math.inf
"""Unless one is given, each trial's own time limit is what bounds a test."""


@dataclass(slots=True)
class InjectionSession:
    """One command. `has_run`: at least one test was run, whatever came of it."""

    request: Request
    fault: Fault | None  # None: the usual ones
    as_json: bool
    is_survey: bool = False  # of a whole suite, most of which may have no ranks
    has_run: bool = False
    _graded: list[tuple[str, Injected]] = field(default_factory=list)

    def run(self, targets: Sequence[Target]) -> None:
        names = replay_options.folder_names([one.test for one in targets])
        for number, (target, name) in enumerate(zip(targets, names, strict=True), start=1):
            if len(targets) > 1:
                says.progress(f"test {number} of {len(targets)}")
            self._tell(self._one(target, self.request.out if len(targets) == 1 else self.request.out / name))
        if len(targets) > 1 and not self.as_json:
            self._sum_up()

    def _one(self, target: Target, out: Path) -> Replay:
        suspect = replace(self.request.suspect, test=target.test)
        with ReplayLive(target.test) as live:
            request = replace(self.request, suspect=suspect, out=out)
            done = inject(request, self.fault, is_survey=self.is_survey, on_progress=live.follow)
        self.has_run |= done.verdict is not ReplayVerdict.NO_TRIAL
        return write_bundle(done, suspect, out, about(suspect.python))

    def _tell(self, done: Replay) -> None:
        if self.as_json:
            says.line(done.as_json())
            return
        assert done.injected is not None
        self._graded.append((done.test, done.injected))
        tell(injected_lines(done.test, done.injected))
        if done.injected.answers:
            says.text(f"     The evidence is in {done.bundle}: {layout.PAGE} shows it in a browser.")

    def _sum_up(self) -> None:
        """All tests, the worst first, those without a grade last."""
        graded = [one for one in self._graded if one[1].grade is not None]
        opaque = sum(any(answer.shown.is_opaque for answer in found.answers) for _, found in graded)
        of_all = f"{counted(len(graded), 'distributed test')} of {counted(len(self._graded), 'test')}"
        says.text(f"{of_all}; {opaque} of them would hide the error of a rank:")
        for test, found in sorted(graded, key=lambda one: str(one[1].grade), reverse=True):
            says.text(f"  {grade_word(found.grade)}  {test}")
        for test, found in self._graded:
            if found.grade is None:
                says.text(f"  -  {test}: {found.ungraded}")
