"""Runs one trial: a fresh process tree in a sandbox, watched while it runs, judged when it has ended."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from app.domain.replay_words import Outcome
from worker.replay.facts import Exit
from worker.replay.limits import Usage
from worker.replay.observed import Naming, code_of
from worker.replay.outside import last_look
from worker.replay.outside.account import Account
from worker.replay.outside.channel import SupervisorChannel
from worker.replay.outside.command import (
    lay_out_tools,
    probe_variables,
    pytest_command,
    supervisor_command,
    without_old_cache,
)
from worker.replay.outside.neighbours import burning
from worker.replay.outside.observer import Observer
from worker.replay.outside.outcomes import Ended, Judged, judge
from worker.replay.outside.output import Output
from worker.replay.outside.pauses import Pauser, below_main, running_ranks
from worker.replay.outside.tools import tools_folder
from worker.replay.regular_file import read_bounded, read_tail, size_below
from worker.replay.sandbox.open import open_sandbox
from worker.replay.sandbox.sandbox import Sandbox
from worker.replay.suspect import Suspect
from worker.replay.trial import Cleanup, Trial, TrialSpec
from worker.replay.trial_folder import (
    JOURNALS,
    JUNIT,
    OUTSIDE,
    STDERR,
    STDOUT,
    write_observed,
    write_trial,
)
from worker.replay.watching.watcher import Watcher

LOOK_EVERY_S: Final = 0.2
ANSWER_S: Final = 1.0
"""What asked processes get to write down their stacks and records before they are killed."""
KILLING_S: Final = 8.0
"""What the supervisor gets to end its tree; then the sandbox ends all of it."""
MOST_JOURNAL_BYTES: Final = 1 << 30
_RESULTS_BYTES: Final = 64 << 20
_TAIL_BYTES: Final = 64 << 10

Listener = Callable[[Naming], None]


def run_trial(spec: TrialSpec, suspect: Suspect, folder: Path, *, on_event: Listener | None = None) -> Trial:
    """Run it, and leave all that it showed in `folder`, which is made. Does not explain.

    However the suspect behaves this returns within the trial's time limit and a few seconds. Raises what
    `open_sandbox` raises where no sandbox can be had; then nothing was started.
    """
    journals = folder / JOURNALS
    journals.mkdir(parents=True)
    place = Path(tempfile.gettempdir())
    with ExitStack() as stack:
        tools = stack.enter_context(tools_folder(place))
        sandbox = stack.enter_context(
            open_sandbox(spec.limits, suspect, place, tools=tools, journal=journals)
        )
        running = _Running(spec, suspect, folder, sandbox, on_event)
        stack.callback(running.release)
        running.start(tools)
        stack.enter_context(burning(spec.perturbation.busy_neighbours, os.getpid()))
        running.follow()
        running.stop()
        usage = sandbox.usage()
        cleanup = sandbox.destroy()
        running.release()
    return _conclude(running, usage, cleanup)


class _Running:
    """A trial from its start to the end of its tree."""

    def __init__(
        self, spec: TrialSpec, suspect: Suspect, folder: Path, sandbox: Sandbox, on_event: Listener | None
    ) -> None:
        self.spec = spec
        self.folder = folder
        self.sandbox = sandbox
        self.account = Account(str(sandbox.view.project))
        self.end_reason = ""
        self.end_outcome: Outcome | None = None
        self._test = spec.test or suspect.test
        self._project = suspect.project
        self._on_event = on_event
        self._channel = SupervisorChannel()
        self._output = Output(folder / STDOUT, folder / STDERR, spec.limits.output_bytes)
        self._observer = Observer(folder / OUTSIDE)
        self._pauser = self._make_pauser()
        self._watcher = None if spec.bare else self._make_watcher()
        self._killed_at: float | None = None
        self._asked_at: float | None = None
        self._next_look = 0.0
        self._is_released = False

    def start(self, tools: Path) -> None:
        """Start the supervisor with its order: pytest, and for a probed trial the probe's variables."""
        view = self.sandbox.view
        assert view.journal is not None
        probe = None if self.spec.bare else probe_variables(self.spec, view.journal, view.project)
        lay_out_tools(tools, view.tools, probe)
        env = {"PYTHONFAULTHANDLER": "1"}
        if probe is not None:
            env |= {"PYTHONPATH": str(view.tools), **probe}
        self._channel.order(
            pytest_command(
                view.python, self._test, view.journal / JUNIT, without_old_cache(self._project, view.tmp)
            ),
            view.environment(env),
            str(view.project),
            None if self.spec.bare else str(view.journal),
            None if self.spec.inject is None else view.places,
        )
        self._observer.start()
        self.account.begin()
        out, err = self._output.ends
        process = self.sandbox.launch(
            supervisor_command(view.python, view.tools, self._channel.theirs),
            {},
            stdout=out,
            stderr=err,
            pass_fds=(self._channel.theirs,),
        )
        self._process = process
        self._observer.follow(process.pid)
        self._channel.give_away()
        self._output.start()
        if self._pauser is not None:
            self._pauser.start()

    def follow(self) -> None:
        """Until the supervisor says that all has ended, or is gone, or was given its time to end all."""
        deadline = time.monotonic() + self.spec.limits.timeout_s
        while True:
            report = self._channel.receive(LOOK_EVERY_S / 2)
            if report is None or (report and self.account.hear(report)):
                return
            now = time.monotonic()
            if self._killed_at is not None:
                if now - self._killed_at > KILLING_S:
                    return
            elif self._asked_at is not None:
                if now - self._asked_at > ANSWER_S:
                    self._kill()
            elif now >= deadline:
                seconds = self.spec.limits.timeout_s
                self._end(Outcome.TIMED_OUT, f"it ran longer than {seconds:g} s")
            elif now >= self._next_look:
                self._look()

    def stop(self) -> None:
        """End what is left, and everything of ours that followed it."""
        if self._watcher is not None and self.end_outcome is None:
            self._watcher.look(self._exits())
        self.account.pauses = self._pauser.stop() if self._pauser is not None else ()
        self.sandbox.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=KILLING_S)
        self.account.finish(self._observer, self._output)

    def release(self) -> None:
        """Idempotent."""
        if not self._is_released:
            self._is_released = True
            if self._pauser is not None:
                self._pauser.stop()
            self._observer.stop()
            self._output.finish()
            self._channel.close()

    def _look(self) -> None:
        now = time.monotonic()
        self._next_look = now + LOOK_EVERY_S
        self.account.note_usage(self.sandbox.usage())
        self._observer.tree.look_at_activity()
        if self._watcher is not None and now >= self._watcher.due and self._watcher.look(self._exits()):
            if self.spec.ends_early:
                self._end(Outcome.ENDED_EARLY, self.account.proven_reason())
        elif size_below(self.folder / JOURNALS, MOST_JOURNAL_BYTES) > MOST_JOURNAL_BYTES:
            self._end(Outcome.FAILED, f"it wrote more than {MOST_JOURNAL_BYTES >> 30} GiB beside its journal")

    def _end(self, outcome: Outcome, reason: str) -> None:
        """With a last look at the living: those of a probed trial are asked, of a bare one made to tell."""
        self.end_outcome, self.end_reason = outcome, reason
        self.account.ending(outcome)
        tree = below_main(self._observer.tree, self.account.main)
        self.account.captured = last_look.captured_so_far(tree)
        if self.spec.bare:
            self.account.killing()
            self.account.error_tails = last_look.last_words(tree)
            self._kill()
        else:
            self._channel.tell("ask")
            self._asked_at = time.monotonic()

    def _kill(self) -> None:
        self.account.killing()
        self._killed_at = time.monotonic()
        self._channel.tell("end")

    def _exits(self) -> dict[int, Exit]:
        return {
            pid: Exit(pid, left.t, code_of(left.status or 0), left.source)
            for pid, left in self._observer.tree.ended().items()
        }

    def _hear_naming(self, naming: Naming) -> None:
        self.account.name(naming)
        if self._on_event is not None:
            self._on_event(naming)

    def _make_watcher(self) -> Watcher:
        return Watcher(
            self.folder / JOURNALS,
            str(self.sandbox.view.project),
            tell=self._hear_naming,
            ask=lambda: self._channel.tell("ask"),
        )

    def _make_pauser(self) -> Pauser | None:
        if self.spec.perturbation.pause_ms is None:
            return None
        return Pauser(self.spec.perturbation, self.spec.seed, self._ranks)

    def _ranks(self) -> list[tuple[int, int]]:
        known = self._watcher.ranks if self._watcher is not None else ()
        return running_ranks(self._observer.tree, self.account.main, known)


def _conclude(running: _Running, usage: Usage, cleanup: Cleanup) -> Trial:
    """Judge it, and write it down."""
    spec, folder, account = running.spec, running.folder, running.account
    _take_results(folder)
    status = account.main_status
    code = None if status is None else code_of(status)
    judged = _judged(running, code)
    trial = Trial(
        spec=spec,
        outcome=judged.outcome,
        folder=folder,
        seconds=account.seconds,
        held=running.sandbox.held,
        usage=usage,
        cleanup=cleanup,
        exit_code=code,
        failure_message=judged.message,
        failure_text=judged.text,
        signature=judged.signature,
        opaque=judged.opaque,
        reason=judged.reason,
    )
    write_observed(folder, account.observed())
    write_trial(trial)
    return trial


def _judged(running: _Running, code: int | None) -> Judged:
    folder = running.folder
    if running.end_outcome is not None:
        return Judged(running.end_outcome, running.end_reason)
    out, err = (read_tail(folder / name, _TAIL_BYTES).decode("utf-8", "replace") for name in (STDOUT, STDERR))
    if running.account.main is None:
        why = running.account.not_started or err.strip()[-400:] or "the supervisor did not start"
        return Judged(Outcome.NO_TRIAL, f"pytest could not be started: {why}")
    if code is None:
        return Judged(Outcome.FAILED, "the supervisor was killed, and with it the tree")
    results = read_bounded(folder / JUNIT, _RESULTS_BYTES)
    return judge(Ended(code, results, out, err), running.spec.test)


def _take_results(folder: Path) -> None:
    """Take pytest's results out of the folder that the suspect could write to, and all that is no file."""
    journals = folder / JOURNALS
    for parent, folders, names in os.walk(journals):
        for name in (*folders, *names):
            path = Path(parent, name)
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                path.unlink(missing_ok=True)
    results = journals / JUNIT
    if results.is_file():
        shutil.move(results, folder / JUNIT)
