"""`flake-triage replay`: make a test fail again under the limits of a small runner, and say why."""

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from app.domain.replay_words import Arm, ReplayVerdict
from worker import says
from worker.commands import replay_options, replay_targets
from worker.commands.in_job.guarded import guarded, step_here
from worker.commands.in_job.red_session import RedSession
from worker.commands.interpreters import interpreter_for
from worker.commands.replay_about import about
from worker.commands.replay_injection import NO_BUDGET, InjectionSession
from worker.commands.replay_live import ReplayLive
from worker.commands.replay_memory import require_room
from worker.commands.replay_targets import Target
from worker.commands.telling import tell
from worker.replay.bundle import layout
from worker.replay.bundle.named import named_story
from worker.replay.bundle.story import story
from worker.replay.bundle.write import write_bundle
from worker.replay.collection import collect
from worker.replay.engine import replay as run_replay
from worker.replay.limits import Limits
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
        float | None,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="Wall time of each test's replay; with --from-junit of all together. "
            f"Default: {DEFAULT_BUDGET_S:g}; with --inject none.",
        ),
    ] = None,
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
            help="Make one rank fail, and see whether the test's own message says so: rank=1,at=AT,how=HOW, "
            "where AT is init, collective=N or exit, and HOW raise, exit, hang or kill. Default: rank 1 "
            "raises RuntimeError before its first collective; raise=ValueError:TEXT, last, raises that.",
        ),
    ] = None,
    inject_all: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Grade every distributed test of a file or folder, A to F: a raise at init and at a "
            "collective, an exit, a kill and a hang, each up to --timeout; or the one fault of --inject.",
        ),
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
    fault = None if inject is None else replay_options.fault_of(inject)
    is_injection = inject is not None or inject_all is not None
    if is_injection:
        replay_options.refuse_with_injection(arms, compare_limits=compare_limits)
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
            budget_s=budget or (NO_BUDGET if is_injection else DEFAULT_BUDGET_S),
            limits=limits,
            seed=seed,
            compare_limits=compare_limits,
        )
        session: Session | InjectionSession
        if is_injection:
            session = InjectionSession(request, fault, as_json=as_json, is_survey=inject_all is not None)
            session.run(targets if red is None else red.targets)
        elif red is None:
            session = Session(request, as_json=as_json, is_checked=not tight_memory)
            session.run(targets)
        else:
            session = Session(request, as_json=as_json, is_checked=not tight_memory)
            RedSession(session, project, folder, request.budget_s, step_here(as_json=as_json)).run(red)
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
    as_json: bool
    is_checked: bool
    has_run: bool = False

    def run(self, targets: Sequence[Target]) -> None:
        names = replay_options.folder_names([one.test for one in targets])
        for target, name in zip(targets, names, strict=True):
            out = self.request.out if len(targets) == 1 else self.request.out / name
            self.one(target, out, self.request.budget_s)

    def one(self, target: Target, out: Path, budget_s: float) -> Replay:
        """Replay one test within a budget of its own, and tell of it."""
        done = self._replay(target, out, budget_s)
        self._tell(done)
        return done

    def drop_walls(self) -> bool:
        """From now on without isolation; False where there was none."""
        suspect = self.request.suspect
        self.request = replace(self.request, suspect=replace(suspect, isolated=False))
        return suspect.isolated

    def _replay(self, target: Target, out: Path, budget_s: float) -> Replay:
        suspect = replace(self.request.suspect, test=target.test, original=target.original)
        if self.is_checked:
            require_room(suspect, self.request.limits)
        request = replace(self.request, suspect=suspect, out=out, budget_s=budget_s)
        with ReplayLive(target.test) as live:
            done = run_replay(request, on_progress=live.follow)
        self.has_run |= done.verdict is not ReplayVerdict.NO_TRIAL
        return write_bundle(done, suspect, out, about(suspect.python))

    def _tell(self, done: Replay) -> None:
        if self.as_json:
            says.line(done.as_json())
            return
        tell(story(done))
        tell(named_story(done))
        says.text(f"The evidence is in {done.bundle}; open {done.bundle}/{layout.PAGE} in a browser.")


def register(cli: typer.Typer) -> None:
    cli.command(
        epilog="Example: flake-triage replay tests/test_sync.py::test_all_ranks --budget 300 --out evidence"
    )(guarded(replay))
