"""Lints the sources of a red test: which weaknesses hide its cause, and where a mend must stand.

In a process of its own and within bounds; any trouble with it means silence.
"""

import io
import time
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.domain.lint.finding import LintFinding, Rule
from app.domain.lint.meanings_of_reports import MEANINGS_OF_REPORTS
from app.domain.outcome import TestId
from app.domain.replay_words import CauseKind
from app.domain.weaknesses import weaknesses_of
from worker.commands.lint_reading import read_source
from worker.linting_apart import lint_apart
from worker.replay.suspect import Original
from worker.replay.trial import Explained

WITHIN_S: Final = 30.0
"""For all files of a step together: the step's time is bounded."""
MOST_CHARS: Final = 500_000
NEAR_LINES: Final = 3
_BY_RANK: Final = frozenset({CauseKind.RANK_DIVERGENCE, CauseKind.RANK_EXCEPTION})


@dataclass(frozen=True, slots=True)
class Sources:
    """`hiding` is None where nobody knows; `mend` is what lets one rank raise alone, near the origin."""

    is_opaque: bool = False
    hiding: tuple[LintFinding, ...] | None = None
    mend: LintFinding | None = None


@dataclass(slots=True)
class SourceLint:
    """Lints each file of the project at most once."""

    project: Path
    left_s: float = WITHIN_S
    _found: dict[str, tuple[LintFinding, ...] | None] = field(default_factory=dict)

    def of(self, test: str, original: Original | None, cause: Explained) -> Sources:
        is_opaque = original is not None and original.opaque
        return Sources(is_opaque, self._hiding(test) if is_opaque else None, self._mend(cause))

    def _hiding(self, test: str) -> tuple[LintFinding, ...] | None:
        file, _, name = test.partition("::")
        found = self._lint(file)
        if found is None:
            return None
        classes, _, function = name.partition("[")[0].rpartition("::")
        module = file.removesuffix(".py").replace("/", ".")
        dotted = ".".join([module, *classes.split("::")] if classes else [module])
        about = weaknesses_of(TestId(file, "", dotted, function), file, found)
        return tuple(one for one in about if one.rule in MEANINGS_OF_REPORTS)

    def _mend(self, cause: Explained) -> LintFinding | None:
        """Of the innermost frame of the origin that has one at its line, or else within a few lines."""
        if cause.kind not in _BY_RANK or cause.exception is None:
            return None
        frames = [one for one in reversed(cause.exception.frames) if one.in_project][:8]
        for near in (0, NEAR_LINES):
            for frame in frames:
                here = [
                    (abs(one.line - frame.line), one.line, one)
                    for one in self._lint(frame.file) or ()
                    if one.rule is Rule.RANK_LOCAL_RAISE_BEFORE_COLLECTIVE and one.window is not None
                    if one.line - near <= frame.line <= max(one.line, one.end_line) + near
                ]
                if here:
                    return min(here, key=lambda one: one[:2])[2]
        return None

    def _lint(self, file: str) -> tuple[LintFinding, ...] | None:
        if file not in self._found:
            began = time.monotonic()
            self._found[file] = self._try(file) if self.left_s > 0 else None
            self.left_s -= time.monotonic() - began
        return self._found[file]

    def _try(self, file: str) -> tuple[LintFinding, ...] | None:
        try:
            path = (self.project / file).resolve()
            if not path.is_relative_to(self.project.resolve()) or path.suffix != ".py":
                return None
            source = read_source(path, file)
            if len(source) > MOST_CHARS:
                return None
            with redirect_stdout(io.StringIO()):  # it logs there what breaks, where only our JSON may stand
                told = lint_apart(source, file, within_s=self.left_s)
        except Exception:  # noqa: BLE001 - a hint that cannot be had must not cost the replay that it is about
            return None
        return None if told.note else told.findings
