"""The options of `lint` that need more than a type: names of rules, patterns, and what excludes what."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import typer

from app.domain.lint.finding import Rule
from app.domain.lint.suppression import meant


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


def rules_of(
    asked: Sequence[str], left_out: Sequence[str], paths: Sequence[str]
) -> tuple[set[Rule], list[Path]]:
    """The rules to tell of, and the paths: after `--rule A B` the second rule stands among the paths."""
    names = {rule.value for rule in Rule}
    more = [one for one in paths if (asked or left_out) and one in names]
    if more and asked and left_out:
        raise typer.BadParameter(f"is {more[0]} to be told or left out? Put commas between rules")
    wanted = _rules("--rule", [*asked, *(more if asked else [])]) if asked else set(Rule)
    wanted -= _rules("--ignore", [*left_out, *([] if asked else more)])
    if not wanted:
        raise typer.BadParameter("--ignore leaves no rule of those asked for")
    return wanted, [Path(one) for one in paths if one not in more]


def _rules(option: str, written: Sequence[str]) -> set[Rule]:
    return {rule_of(option, name) for name in words(written)}


def rule_of(option: str, name: str) -> Rule:
    try:
        return Rule(name)
    except ValueError:
        known = meant(name) or f"; the rules are {', '.join(Rule)}"
        raise typer.BadParameter(f"{option}: {name!r} is no rule{known}") from None


def words(written: Sequence[str]) -> list[str]:
    return [one.strip() for part in written for one in part.split(",") if one.strip()]


def format_of(written: Format | None, *, as_json: bool) -> Format:
    if as_json and written not in {None, Format.JSON}:
        raise typer.BadParameter(f"--json and --format {written} exclude each other")
    return Format.JSON if as_json else written or Format.TEXT
