"""`flake-triage lint`: find what makes the failure of a test impossible to diagnose, before it fails."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.domain.lint.finding import Rule
from app.domain.lint.meanings import MEANINGS
from worker import says
from worker.commands import lint_options
from worker.commands.file_names import spelled
from worker.commands.lint_files import MOST_FILES, gather
from worker.commands.lint_options import Format
from worker.commands.lint_session import Session
from worker.commands.lint_story import rule_story
from worker.commands.telling import tell
from worker.says import JsonFlag


def lint(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH...", help="Files and folders. Default: the current folder."),
    ] = None,
    *,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            "--rule", "--select", metavar="RULE", help="Tell of this rule only. Repeat it, or use commas."
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Do not tell of this rule. Repeat it, or use commas."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="Files and folders to leave out, such as 'vendor' or 'tests/old_*'."
        ),
    ] = None,
    output_format: Annotated[
        Format | None, typer.Option("--format", "--output-format", help="What stdout shows. Default: text.")
    ] = None,
    sarif_file: Annotated[
        Path | None,
        typer.Option(
            "--sarif", metavar="FILE", dir_okay=False, help="Write SARIF for code scanning here as well."
        ),
    ] = None,
    show_suppressed: Annotated[
        bool, typer.Option("--show-suppressed", help="Have suppressed findings in SARIF, marked as such.")
    ] = False,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit 0 whatever was found, for a step that only reports.")
    ] = False,
    explain: Annotated[
        str | None, typer.Option(metavar="RULE", help="Say what a rule means, with an example, and end.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Find what makes the failure of a distributed test impossible to diagnose, and how to mend it.

    Reads Python and never runs it. Folders are looked through without hidden ones, virtual environments,
    build folders, links, and what git ignores. A comment `# flake-triage: ignore[RULE] reason` suppresses a
    finding on its line, or all of that rule in a function where it stands on the line of the def. Exit 0:
    nothing was found; 1: findings, files that could not be read, comments that suppress nothing; 3: nothing
    could be read.
    """
    if explain is not None:
        _explain(lint_options.rule_of("--explain", explain), as_json=as_json)
        return
    rules, named = lint_options.rules_of(rule or [], ignore or [], paths or [])
    kind = lint_options.format_of(output_format, as_json=as_json)
    _check(named, sarif_file)
    gathered = gather(named or [Path()], exclude=lint_options.words(exclude or []))
    if gathered.is_cut:
        raise typer.BadParameter(f"there are more than {MOST_FILES:,} Python files; name smaller folders")
    session = Session(rules, kind, keeps=kind is Format.SARIF or sarif_file is not None)
    session.run(gathered)
    if session.keeps:
        told = json.dumps(session.as_sarif(shows_suppressed=show_suppressed), indent=1)
        if sarif_file is not None:
            sarif_file.write_text(told + "\n", encoding="ascii")
        if kind is Format.SARIF:
            sys.stdout.write(told + "\n")
    code = session.exit_code
    raise typer.Exit(0 if exit_zero and code == says.CHECKED_BAD else code)


def _check(named: Sequence[Path], sarif_file: Path | None) -> None:
    for path in named:
        if not path.exists():
            raise typer.BadParameter(f"{spelled(str(path))} does not exist")
    if sarif_file is not None and not sarif_file.absolute().parent.is_dir():
        raise typer.BadParameter(f"--sarif: {sarif_file.parent} is no folder")


def _explain(rule: Rule, *, as_json: bool) -> None:
    if not as_json:
        tell(rule_story(rule))
        return
    meaning = MEANINGS[rule]
    told = {name: getattr(meaning, name) for name in ("short", "why", "mend", "bad", "mended")}
    says.line({"rule": rule.value, **told})


def register(cli: typer.Typer) -> None:
    cli.command(epilog="Example: flake-triage lint tests --sarif lint.sarif")(lint)
