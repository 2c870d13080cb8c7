"""What the lint says of the snippets: short files as strangers write them, weak ones and near misses a rule.

The first line of a snippet says why it is bad or good. `# <- RULE` stands where the finding is expected, and
`# clean: RULE, ...` in the docstring names other rules that the file surely heeds. The files called `held_*`
were written to be kept apart from those that rules were tuned on first; both are scored for themselves.
"""

import ast
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.domain.lint.finding import Rule
from app.domain.lint.linted import lint

SNIPPETS = Path(__file__).parent / "snippets"
MARK = re.compile(r"# <- ([a-z0-9-]{1,60})$", re.MULTILINE)
CLEAN = re.compile(r"^# clean: ([a-z0-9, -]{1,200})$", re.MULTILINE)


class Part(StrEnum):
    """Which of the snippets: those that rules may be tuned on, or those held back."""

    TUNED = "tuned"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class Snippet:
    """One file, the lines where a finding of its rule is right (none in a good one), and the lint's lines."""

    path: Path
    rule: Rule
    expected: frozenset[int]
    clean: frozenset[Rule]
    found: dict[Rule, tuple[int, ...]]

    @property
    def name(self) -> str:
        return str(self.path.relative_to(SNIPPETS))

    @property
    def part(self) -> Part:
        return Part.HELD if self.path.name.startswith("held_") else Part.TUNED

    @property
    def bad(self) -> bool:
        return self.path.parent.name == "bad"

    @property
    def hit(self) -> bool:
        return not self.expected.isdisjoint(self.found.get(self.rule, ()))

    def wrong_lines(self, rule: Rule) -> tuple[int, ...]:
        """Lines where `rule` speaks and must not: in another rule's file, only if that says it is clean."""
        if rule is self.rule:
            return tuple(line for line in self.found.get(rule, ()) if line not in self.expected)
        return self.found.get(rule, ()) if rule in self.clean else ()


@dataclass(frozen=True, slots=True)
class Score:
    """How one rule did in one part. A file counts once, whatever the number of findings in it."""

    rule: Rule
    part: Part
    hits: tuple[Snippet, ...]
    missed: tuple[Snippet, ...]
    wrong: tuple[Snippet, ...]
    silent_count: int

    @property
    def precision(self) -> float:
        """Of the files where the rule spoke, the fraction where it was right; 1 where it never spoke."""
        spoken = len(self.hits) + len(self.wrong)
        return len(self.hits) / spoken if spoken else 1.0

    @property
    def recall(self) -> float:
        return len(self.hits) / (len(self.hits) + len(self.missed))

    def errors(self) -> str:
        wrong = [f"wrong  {s.name}, lines {s.wrong_lines(self.rule)}" for s in self.wrong]
        return "\n".join([*(f"missed {s.name}, lines {sorted(s.expected)}" for s in self.missed), *wrong])


@functools.cache
def snippets() -> tuple[Snippet, ...]:
    return tuple(_read(path) for path in sorted(SNIPPETS.glob("*/*/*.py")))


def score(rule: Rule, part: Part) -> Score:
    own = [s for s in snippets() if s.part is part and s.rule is rule]
    silent = [s for s in snippets() if s.part is part and (s.rule is rule or rule in s.clean)]
    return Score(
        rule,
        part,
        hits=tuple(s for s in own if s.bad and s.hit),
        missed=tuple(s for s in own if s.bad and not s.hit),
        wrong=tuple(s for s in silent if s.wrong_lines(rule)),
        silent_count=len(silent) - sum(s.bad for s in own),
    )


def table() -> Iterator[str]:
    """One line a rule, both parts side by side.

    Bad files and how many were hit, files to be silent on and on how many it was not, precision and recall.
    """
    yield f"{'':36}{'tuned':^36}   {'held':^36}"
    columns = "{:>5}{:>5}{:>8}{:>6}{:>6}{:>6}".format("bad", "hit", "silent", "wrong", "prec", "rec")
    yield f"{'':36}{columns}   {columns}"
    for rule in Rule:
        yield f"{rule.value:36}" + "   ".join(_cells(score(rule, part)) for part in Part)


def _cells(s: Score) -> str:
    bad, hits = len(s.hits) + len(s.missed), len(s.hits)
    return f"{bad:5}{hits:5}{s.silent_count:8}{len(s.wrong):6}{s.precision:6.2f}{s.recall:6.2f}"


def _read(path: Path) -> Snippet:
    source = path.read_text()
    rule = Rule(path.parent.parent.name)
    lines = source.splitlines()
    marked = {number: m.group(1) for number, line in enumerate(lines, start=1) if (m := MARK.search(line))}
    found: dict[Rule, tuple[int, ...]] = {}
    for finding in lint(source, f"tests/test_{path.stem}.py"):
        found[finding.rule] = (*found.get(finding.rule, ()), finding.line)
    named = ", ".join(CLEAN.findall(ast.get_docstring(ast.parse(source)) or "")).split(", ")
    return Snippet(
        path,
        rule,
        expected=frozenset(number for number, name in marked.items() if Rule(name) is rule),
        clean=frozenset(Rule(name) for name in named if name),
        found=found,
    )
