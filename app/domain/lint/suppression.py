"""Comments that suppress findings, each with the reason why it does: `# flake-triage: ignore[rule] reason`.

It covers the statement on whose lines it stands, or the one right below it where it has a line of its own.
On the line of a `def` or `class`, or above its decorators, it covers all of that body.
`ignore-file[rule] reason` on a line of its own covers the file. Without a reason it suppresses nothing.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from app.domain.lint.comments import Comment, comments_in
from app.domain.lint.finding import LintFinding, Rule

_OURS = re.compile(r"#\s*flake-triage\s*:\s*", re.IGNORECASE)
_WRITTEN = re.compile(
    r"(?P<word>[A-Za-z-]{1,40})\s*(?:\[(?P<rules>[^\]]{0,2000})\])?(?P<reason>.*)", re.DOTALL
)
_NEXT_COMMENT = re.compile(r"\s#\s*[A-Za-z]")
"""Where another tool's comment begins; `#12` in a reason is the number of an issue."""
_AROUND_REASON = " \t:;,-\N{EN DASH}\N{EM DASH}"
_EXAMPLE = "`ignore[rule] reason` and `ignore-file[rule] reason` are"


@dataclass(frozen=True, slots=True)
class Suppression:
    """One rule of one comment on `line`; it covers what is found from `first` to `last`, both included."""

    rule: Rule
    line: int
    reason: str
    first: int
    last: int

    def covers(self, finding: LintFinding) -> bool:
        return finding.rule is self.rule and self.first <= finding.line <= self.last


@dataclass(frozen=True, slots=True)
class SuppressionProblem:
    """What is wrong with a comment on `line`; `rule` is the one that it is about, where that is known."""

    line: int
    text: str
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class Suppressed:
    finding: LintFinding
    by: Suppression


@dataclass(frozen=True, slots=True)
class Sifted:
    """What is left to tell of a file, what its comments suppress, and what is wrong with the comments."""

    kept: tuple[LintFinding, ...]
    suppressed: tuple[Suppressed, ...] = ()
    problems: tuple[SuppressionProblem, ...] = ()


def sift(source: str, tree: ast.Module, findings: Iterable[LintFinding]) -> Sifted:
    """Part the findings of one file by its comments. `tree` is what `source` was parsed to."""
    found = tuple(findings)
    if not _OURS.search(source):
        return Sifted(found)
    read = tuple(_read(source, tree))
    suppressions = [one for one in read if isinstance(one, Suppression)]
    problems = [one for one in read if isinstance(one, SuppressionProblem)]
    by = {finding: _nearest(suppressions, finding) for finding in found}
    problems += [_unused(one) for one in suppressions if not any(map(one.covers, found))]
    return Sifted(
        kept=tuple(finding for finding in found if by[finding] is None),
        suppressed=tuple(Suppressed(finding, one) for finding in found if (one := by[finding]) is not None),
        problems=tuple(sorted(problems, key=lambda one: one.line)),
    )


def _nearest(suppressions: Iterable[Suppression], finding: LintFinding) -> Suppression | None:
    """The one that covers the fewest lines: its reason speaks of this finding most of all."""
    covering = [one for one in suppressions if one.covers(finding)]
    return min(covering, key=lambda one: one.last - one.first, default=None)


def _unused(one: Suppression) -> SuppressionProblem:
    return SuppressionProblem(one.line, f"there is no {one.rule} to suppress here; remove it", one.rule)


def _read(source: str, tree: ast.Module) -> Iterator[Suppression | SuppressionProblem]:
    bodies = dict(_bodies(tree))
    for comment in comments_in(source):
        ours = _OURS.search(comment.text)
        if ours is not None:
            yield from _understood(comment, comment.text[ours.end() :], bodies)


def _understood(
    comment: Comment, written: str, bodies: dict[int, tuple[int, int]]
) -> Iterator[Suppression | SuppressionProblem]:
    match = _WRITTEN.match(written)
    is_file = match is not None and match["word"] == "ignore-file"
    if match is None or not (is_file or match["word"] == "ignore"):
        yield SuppressionProblem(comment.line, f"{written[:60]!r} is not understood; {_EXAMPLE}")
        return
    if is_file and not comment.is_alone:
        yield SuppressionProblem(comment.line, "ignore-file has to stand on a line of its own")
        return
    rules, unknown = _rules(match["rules"] or "")
    yield from (SuppressionProblem(comment.line, text) for text in unknown)
    if not rules and not unknown:
        yield SuppressionProblem(comment.line, f"it names no rule; {_EXAMPLE} understood")
        return
    reason = _reason(match["reason"])
    if not reason:
        yield SuppressionProblem(comment.line, "it gives no reason, so it suppresses nothing")
        return
    everything = (1, 2**31)
    first, last = everything if is_file else bodies.get(comment.first, (comment.first, comment.last))
    yield from (Suppression(rule, comment.line, reason, first, last) for rule in rules)


def _rules(written: str) -> tuple[list[Rule], list[str]]:
    """The rules that are named, each once, and a sentence for each name that is none."""
    names = list(dict.fromkeys(name.strip() for name in written.split(",") if name.strip()))
    known = {rule.value: rule for rule in Rule}
    return [known[name] for name in names if name in known], [
        f"{name[:60]!r} is no rule{meant(name)}" for name in names if name not in known
    ]


def meant(name: str) -> str:
    """`; is NAME meant?` for a misspelt rule, or nothing."""
    close = get_close_matches(name[:60], [rule.value for rule in Rule], n=1, cutoff=0.5)
    return f"; is {close[0]} meant?" if close else ""


def _reason(written: str) -> str:
    reason = _NEXT_COMMENT.split(f" {written}", maxsplit=1)[0].strip(_AROUND_REASON)
    return reason if re.search(r"\w", reason) else ""


def _bodies(tree: ast.Module) -> Iterator[tuple[int, tuple[int, int]]]:
    """For each line on which a `def`, a `class` or a decorator begins, the lines of the whole."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            last = node.end_lineno or node.lineno
            yield from ((line, (first, last)) for line in range(first, node.lineno + 1))
