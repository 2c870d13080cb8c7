"""`flake-triage bundle`: check, read and repeat the evidence of a replay."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from app.domain.errors import Gone, Rejected
from app.domain.wording import counted
from worker import says
from worker.commands.interpreters import interpreter_for
from worker.commands.telling import tell
from worker.replay.bundle import layout
from worker.replay.bundle.injected import injected_lines
from worker.replay.bundle.manifest import differences, read_manifest
from worker.replay.bundle.named import named_story
from worker.replay.bundle.rejudge import rejudge
from worker.replay.bundle.repeat import Repeated, repeat
from worker.replay.bundle.story import Line, Tone, story
from worker.replay.bundle.verify import Checked, verify
from worker.replay.sandbox.refused import Refused
from worker.says import JsonFlag

commands = typer.Typer(
    no_args_is_help=True,
    help="Check, read and repeat what a replay left as evidence.",
    epilog="Example: flake-triage bundle show evidence",
)
Folder = Annotated[
    Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, help="What `replay --out` wrote.")
]


@commands.callback()
def _group() -> None:
    """Check, read and repeat what a replay left as evidence."""


@commands.command("verify", epilog="Example: flake-triage bundle verify evidence")
def verify_bundle(folder: Folder, *, as_json: JsonFlag = False) -> None:
    """Compare every file with its digest, and compute verdict and cause again from the journals.

    Exit 1 where anything differs, with one line for each difference.
    """
    checked = list(_each(folder, as_json=as_json))
    if not all(checked):
        raise typer.Exit(says.CHECKED_BAD)


def _each(folder: Path, *, as_json: bool) -> Iterator[bool]:
    for bundle in _bundles(folder):
        try:
            found = verify(bundle)
        except Rejected as error:
            found = Checked(bundle, "", 0, (error.reason,), 1, None, None)
        if as_json:
            says.line(found.as_json())
        else:
            tell(_checked(found))
        yield found.is_good


def _checked(found: Checked) -> Iterator[Line]:
    if found.is_good:
        yield Line(f"{found.bundle}: {found.files} files are as they were sealed.", Tone.HEAD)
        yield Line(f"Computed again from the journals: {found.verdict}, cause {found.cause}. The same.")
        if found.reworded:
            told = counted(found.reworded, "sentence")
            yield Line(f"Another build judged it: {told} would be worded otherwise today.")
        return
    yield Line(f"{found.bundle}: not what it says it is.", Tone.BAD)
    yield from (Line(f"  {one}") for one in found.differences)
    if found.count > len(found.differences):
        yield Line(f"  and {found.count - len(found.differences):,} more")


@commands.command("show", epilog="Example: flake-triage bundle show evidence")
def show_bundle(folder: Folder, *, as_json: JsonFlag = False) -> None:
    """Tell what a bundle shows, as its journals have it: verdict, cause, exception, arms, limits."""
    for bundle in _bundles(folder):
        changed = sum(1 for _ in differences(bundle, read_manifest(bundle)))
        if changed:
            told = f"{counted(changed, 'file')} of it {'is' if changed == 1 else 'are'} not as sealed"
            says.progress(f"{bundle}: {told}; `flake-triage bundle verify` names each")
        replay = rejudge(bundle)
        if as_json:
            says.line({**replay.as_json(), "bundle": str(bundle)})
            continue
        if replay.injected is not None:
            tell(injected_lines(replay.test, replay.injected))
        else:
            tell(story(replay))
            tell(named_story(replay))
        says.text(f"The page with the ranks' timelines: {bundle / layout.PAGE}")


@commands.command("repeat", epilog="Example: flake-triage bundle repeat evidence --trial 4")
def repeat_bundle(
    folder: Folder,
    *,
    trial: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Which one; else the failure shown.")
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            metavar="DIR",
            help="Where to run it; else where it ran, or its sources.",
        ),
    ] = None,
    python: Annotated[
        Path | None, typer.Option(metavar="EXE", help="The interpreter to run it with.")
    ] = None,
    no_isolation: Annotated[
        bool, typer.Option("--no-isolation", help="Run it with your own rights, in sight of all your files.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Run a trial again with the same limits and seed, and say whether it came to the same."""
    bundles = _bundles(folder)
    if len(bundles) > 1:
        raise typer.BadParameter(f"{folder} holds {len(bundles)} bundles; name one of them")
    interpreter = None
    if python is not None:
        interpreter = interpreter_for(project or folder, python, isolated=not no_isolation)
    says.progress("running the trial again, which may take as long as it did ...")
    with tempfile.TemporaryDirectory(prefix="flake-triage-repeat-") as scratch:
        try:
            found = repeat(
                bundles[0],
                Path(scratch),
                number=trial,
                project=project,
                python=interpreter,
                isolated=not no_isolation,
            )
        except Refused as error:
            says.progress(f"flake-triage: {error}")
            raise typer.Exit(says.NOTHING_DONE) from error
    if as_json:
        says.line(found.as_json())
    else:
        tell(_repeated(found))
    if not found.now.outcome.counts:
        raise typer.Exit(says.NOTHING_DONE)


def _repeated(found: Repeated) -> Iterator[Line]:
    spec = found.then.spec
    how = "bare" if spec.bare else "probed"
    yield Line(
        f"Trial {spec.number} of {spec.test} again: {spec.arm.value}, {how}, seed {spec.seed}", Tone.HEAD
    )
    for when, one in (("then", found.then), ("now", found.now)):
        cause = one.explanation.cause
        sentence = f": {cause.sentence}" if cause.sentence else ""
        why = f" ({one.reason})" if one.reason else ""
        yield Line(f"  {when:<5}{one.outcome.value}{why}, cause {cause.kind.value}{sentence}")
    yield Line("It agreed." if found.has_agreed else "It did not agree this time.", Tone.HEAD)
    if found.changed:
        yield Line(f"Changed in {found.project} since: {', '.join(found.changed[:20])}")


def _bundles(folder: Path) -> list[Path]:
    found = layout.bundles_in(folder)
    if not found:
        raise Gone(
            str(folder), "there is no bundle in it; it should be what `flake-triage replay --out` wrote"
        )
    return found
