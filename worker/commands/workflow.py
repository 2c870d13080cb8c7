"""`flake-triage workflow`: workflows for GitHub Actions, to be pasted."""

import re
from typing import Annotated, Final

import typer

from worker import says
from worker.commands.in_job.own_package import package as own_package
from worker.commands.in_job.snippet import Asked, workflow
from worker.says import JsonFlag

_WORD: Final = re.compile(r"(?!-|~/)(?:[A-Za-z0-9_./*?@+=<>~\[\]{},! -]|:(?=[^ ])){1,300}")
"""What stands in a shell's line within YAML as it is: no quote, no `$`, no line end, no `: `. Nor does it
begin as an option does, or with a home that quotes would keep from being found.
"""

commands = typer.Typer(
    no_args_is_help=True, help="Print workflows for GitHub Actions.", rich_markup_mode=None
)


@commands.callback()
def _group() -> None:
    """Print workflows for GitHub Actions."""


@commands.command(
    "in-job",
    epilog="Example: flake-triage workflow in-job --results 'reports/*.xml' > .github/workflows/tests.yml",
)
def in_job(
    *,
    results: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Results files of your tests, or patterns. [default: results.xml]"),
    ] = None,
    project: Annotated[
        str,
        typer.Option(metavar="DIR", help="The folder that node ids are relative to, if a folder of its own."),
    ] = "",
    python_version: Annotated[
        str, typer.Option(metavar="VERSION", help="Python that the tests run with.")
    ] = "3.12",
    python: Annotated[
        str, typer.Option(metavar="EXE", help="The interpreter that has the tests' packages.")
    ] = "python",
    package: Annotated[
        str | None,
        typer.Option(metavar="SPEC", help="What pip installs of us. [default: what you run now]"),
    ] = None,
    budget: Annotated[
        int, typer.Option(min=30, max=18_000, metavar="SECONDS", help="Of all replays of one job.")
    ] = 300,
    as_json: JsonFlag = False,
) -> None:
    """A workflow whose failed jobs replay their red tests at once, where they failed, and keep the evidence.

    The job's result stays what it is. A passing job runs nothing of it. Paste the steps after the comment
    into a workflow of yours.
    """
    spec, doubt = (package, "") if package is not None else own_package()
    asked = Asked(python_version, tuple(results or ["results.xml"]), python, spec, budget, project)
    for option, words in {
        "--results": asked.results,
        "--project": (project,) if project else (),
        "--python-version": (python_version,),
        "--python": (python,),
        "--package": (spec,),
    }.items():
        for word in words:
            _check(option, word)
    if doubt:
        says.progress(f"flake-triage: {doubt}")
    told = workflow(asked)
    if as_json:
        says.line({"workflow": "in-job", "yaml": told})
    else:
        says.text(told.rstrip("\n"))


def _check(option: str, word: str) -> None:
    if not _WORD.fullmatch(word) or word != word.strip():
        raise typer.BadParameter(f"{option}: {word!r} holds characters that a workflow's line would not keep")
