"""`flake-triage replay`: make a test fail again under the limits of a small runner, and say why."""

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from app.domain.replay_words import Arm, ReplayVerdict
from app.domain.wording import counted
from worker import says
from worker.commands import replay_options, replay_targets
from worker.commands.in_job.guarded import guarded, step_here
from worker.commands.in_job.red_session import RedSession
from worker.commands.interpreters import interpreter_for
from worker.commands.replay_about import about
from worker.commands.replay_live import ReplayLive
from worker.commands.replay_memory import require_room
from worker.commands.replay_targets import Target
from worker.commands.telling import tell
from worker.replay.bundle import layout
from worker.replay.bundle.named import named_story
from worker.replay.bundle.story import Line, Tone, arm_lines, story
from worker.replay.bundle.write import write_bundle
from worker.replay.collection import collect
from worker.replay.engine import replay as run_replay
from worker.replay.injection import Injected, look
from worker.replay.limits import Limits
from worker.replay.probe import inject as faults
from worker.replay.report import Replay
from worker.replay.request import DEFAULT_BUDGET_S, DEFAULT_TIMEOUT_S, Request
from worker.replay.sandbox.leftovers import sweep
from worker.replay.sandbox.refused import Refused
from worker.replay.suspect import Suspect
from worker.says import JsonFlag

NAMED = "NODEID"


def replay(
    nodes: Annotated[
        list[str] | None, typer.Argument(metavar="NODEID...", help="Tests, as pytest names them.")
    ] = None,
    *,
    from_junit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Every red test of results files, within one budget: files, folders or patterns. In a step "
            "of a GitHub job also its summary, annotations and outputs, and the exit code is 0.",
        ),
    ] = None,
    failure: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="ID", help="A failure of the store, as `flake-triage verdicts --json` numbers it."
        ),
    ] = None,
    project: Annotated[
        Path,
        typer.Option(
            exists=True, file_okay=False, metavar="DIR", help="The folder that the node ids are relative to."
        ),
    ] = Path(),
    python: Annotated[
        Path | None,
        typer.Option(
            metavar="EXE",
            help="The interpreter with the project's packages. Default: that of its .venv, or python.",
        ),
    ] = None,
    plan: Annotated[
        str,
        typer.Option(
            metavar="auto", help="We choose the arms (under what each trial runs) and when to stop."
        ),
    ] = "auto",
    arm: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ARM",
            help=f"After three plain trials, only under this: {', '.join(Arm)}. Repeat it, or use commas.",
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100_000,
            metavar="N",
            help="At most so many that run the test; with --arm, of each arm.",
        ),
    ] = None,
    budget: Annotated[
        float,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="Wall time of each test's replay; with --from-junit of all together.",
        ),
    ] = DEFAULT_BUDGET_S,
    cpus: Annotated[
        float | None, typer.Option(min=0.01, max=1024, metavar="X", help="CPUs of every trial, such as 0.5.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory of every trial: 512m, 2g.")
    ] = None,
    tight_memory: Annotated[
        bool, typer.Option("--tight-memory", help="Allow --memory below 1.2 times what the test needs.")
    ] = False,
    timeout: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="Wall time of one trial.")
    ] = DEFAULT_TIMEOUT_S,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**31 - 1, metavar="N", help="Seed of the random choices; else one is drawn."
        ),
    ] = None,
    expect_signature: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Only failures of this signature count; --json prints those of the trials.",
        ),
    ] = None,
    inject: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help="Raise a fault in one rank, and see whether the test shows it: "
            "rank=1,at=PLACE,raise=RuntimeError:TEXT, where PLACE is collective:1, init or return.",
        ),
    ] = None,
    inject_all: Annotated[
        str | None, typer.Option(metavar="PATH", help="The same for every test of a file or folder.")
    ] = None,
    no_isolation: Annotated[
        bool, typer.Option("--no-isolation", help="Run it with your own rights, in sight of all your files.")
    ] = False,
    compare_limits: Annotated[
        bool,
        typer.Option("--compare-limits", help="The same number of trials under each limit, told as a table."),
    ] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="An empty or new folder for the evidence.")],
    as_json: JsonFlag = False,
) -> None:
    """Run a test again and again in fresh processes until enough is known, and say what failed where.

    Neither the test nor its project is changed: each trial has a copy of its own, without network and without
    sight of your other files. The evidence is a bundle: `flake-triage bundle` checks, shows and repeats it.
    """
    arms, nodes = replay_options.arms_of(arm or [], nodes or [])
    files, nodes = replay_options.files_of(from_junit or [], nodes)
    source = replay_options.only_one(
        {
            NAMED: bool(nodes),
            "--from-junit": bool(files),
            "--failure": failure is not None,
            "--inject-all": inject_all is not None,
        }
    )
    if plan != "auto":
        raise typer.BadParameter("--plan is auto; --arm names arms instead")
    project = project.resolve()
    limits = Limits(
        timeout_s=timeout,
        cpus=cpus,
        memory_bytes=None if memory is None else replay_options.size_bytes(memory),
    )
    fault = faults.parse("") if inject is None and inject_all is not None else None
    fault = fault if inject is None else replay_options.fault_of(inject)
    suspect = Suspect(
        test="",
        project=project,
        python=interpreter_for(project, python, isolated=not no_isolation),
        expected_signature=expect_signature,
        isolated=not no_isolation,
    )
    sweep()
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # removes sandboxes on the way
    try:
        red = replay_targets.red_tests(project, files) if files else None
        targets = [] if files else _targets(source, suspect, nodes, failure, inject_all, limits)
        folder = replay_options.empty_folder(out)
        request = Request(
            suspect=replace(suspect, left_out=(folder,) if folder.is_relative_to(project) else ()),
            out=folder,
            arms=arms,
            trials=trials,
            budget_s=budget,
            limits=limits,
            seed=seed,
            compare_limits=compare_limits,
        )
        session = Session(request, fault, as_json=as_json, is_checked=not tight_memory)
        if red is None:
            session.run(targets)
        else:
            RedSession(session, project, folder, budget, step_here(as_json=as_json)).run(red)
    except Refused as error:
        says.progress(f"flake-triage: {error}")
        raise typer.Exit(says.NOTHING_DONE) from error
    finally:
        signal.signal(signal.SIGTERM, before)
    if not session.has_run:
        raise typer.Exit(says.NOTHING_DONE)


def _targets(
    source: str,
    suspect: Suspect,
    nodes: Sequence[str],
    failure: int | None,
    path: str | None,
    limits: Limits,
) -> list[Target]:
    if source == "--failure":
        assert failure is not None
        return [replay_targets.from_store(suspect.project, failure)]
    if source == NAMED:
        return replay_targets.named(suspect.project, nodes)
    assert path is not None
    inside = replay_targets.named(suspect.project, [path])[0].test
    says.progress(f"collecting the tests of {inside} ...")
    return [Target(one) for one in collect(replace(suspect, test=inside), inside, limits=limits)]


@dataclass(slots=True)
class Session:
    """The replays of one command. `has_run`: at least one test was run, whatever came of it."""

    request: Request
    fault: faults.Fault | None
    as_json: bool
    is_checked: bool
    has_run: bool = False

    def run(self, targets: Sequence[Target]) -> None:
        names = replay_options.folder_names([one.test for one in targets])
        found = []
        for target, name in zip(targets, names, strict=True):
            out = self.request.out if len(targets) == 1 else self.request.out / name
            done, injected = self._told(target, out, self.request.budget_s)
            found.append((done.test, injected))
        if self.fault is not None and len(found) > 1 and not self.as_json:
            _sum_up(found)

    def one(self, target: Target, out: Path, budget_s: float) -> Replay:
        """Replay one test within a budget of its own, and tell of it."""
        return self._told(target, out, budget_s)[0]

    def drop_walls(self) -> bool:
        """From now on without isolation; False where there was none."""
        suspect = self.request.suspect
        self.request = replace(self.request, suspect=replace(suspect, isolated=False))
        return suspect.isolated

    def _told(self, target: Target, out: Path, budget_s: float) -> tuple[Replay, Injected | None]:
        done = self._replay(target, out, budget_s)
        injected = look(self.fault, done.trials[0]) if self.fault and done.trials else None
        self._tell(done, injected)
        return done, injected

    def _replay(self, target: Target, out: Path, budget_s: float) -> Replay:
        suspect = replace(self.request.suspect, test=target.test, original=target.original)
        if self.is_checked:
            require_room(suspect, self.request.limits)
        request = replace(self.request, suspect=suspect, out=out, budget_s=budget_s)
        if self.fault is not None:
            request = replace(
                request, inject=self.fault.spec, arms=request.arms or (Arm.PLAIN,), trials=request.trials or 1
            )
        with ReplayLive(target.test) as live:
            done = run_replay(request, on_progress=live.follow)
        self.has_run |= done.verdict is not ReplayVerdict.NO_TRIAL
        return write_bundle(done, suspect, out, about(suspect.python))

    def _tell(self, done: Replay, injected: Injected | None) -> None:
        if self.as_json:
            told = {} if injected is None else {"injected": injected.as_json()}
            says.line(done.as_json() | told)
            return
        if self.request.compare_limits and injected is not None:  # else the story has the table
            tell([Line(done.test, Tone.HEAD), *arm_lines(done)])
        if injected is None:
            tell(story(done))
            tell(named_story(done))
        else:
            # The verdict would be on our own fault; what counts is whether the test told of it.
            tell([Line(done.test, Tone.HEAD), Line(f"{injected.fault.spec}: {injected.sentence}")])
            tell(Line(f"  {one.kind.value}: {one.text}") for one in done.findings)
        says.text(f"The evidence is in {done.bundle}; open {done.bundle}/{layout.PAGE} in a browser.")


def _sum_up(found: Sequence[tuple[str, Injected | None]]) -> None:
    """Which tests would show a rank's error, and which would hide it."""
    opaque = [test for test, injected in found if injected is not None and injected.shown.is_opaque]
    says.text(f"{counted(len(opaque), 'test')} of {len(found)} would hide the error of a rank:")
    for test, injected in found:
        says.text(f"  {test}: {injected.sentence if injected else 'it was not run'}")


def register(cli: typer.Typer) -> None:
    cli.command(
        epilog="Example: flake-triage replay tests/test_sync.py::test_all_ranks --budget 300 --out evidence"
    )(guarded(replay))
