"""One run of the lint over files: what it tells of each, and what it comes to."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from app.domain.errors import Rejected
from app.domain.lint.finding import Rule
from app.domain.lint.linted import examine
from app.domain.lint.sarif import Linted, Unread, sarif
from app.domain.lint.suppression import Sifted
from app.domain.wording import counted
from worker import says
from worker.commands.file_names import shown, spelled
from worker.commands.lint_files import Gathered
from worker.commands.lint_options import Format
from worker.commands.lint_progress import LintProgress
from worker.commands.lint_reading import read_source
from worker.commands.lint_story import file_story
from worker.commands.telling import tell

_AGAIN = "After mending run it again: behind several findings of one test there may be another."


@dataclass(slots=True)
class Session:
    """Findings are told as they come; with `keeps`, files that have any are kept for the end too."""

    rules: set[Rule]
    kind: Format
    keeps: bool
    linted: list[Linted] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    read_count: int = 0
    weak_count: int = 0
    found_count: int = 0
    suppressed_count: int = 0
    problem_count: int = 0
    has_several_of_a_test: bool = False

    def run(self, gathered: Gathered) -> None:
        for one in gathered.unread:
            self._tell_unread(one)
        with LintProgress(len(gathered.files)) as progress:
            for path in gathered.files:
                self._lint(path)
                progress.step()
        says.progress(self._summary())
        if self.has_several_of_a_test and self.kind is Format.TEXT:
            says.progress(_AGAIN)

    def _lint(self, path: Path) -> None:
        name = shown(path)
        try:
            source = read_source(path, name)
            found = self._wanted(examine(source, name))
        except Rejected as error:
            self._tell_unread(Unread(name, error.reason))
            return
        self.read_count += 1
        self.weak_count += bool(found.kept)
        self.found_count += len(found.kept)
        self.suppressed_count += len(found.suppressed)
        self.problem_count += len(found.problems)
        tests = [one.test for one in found.kept if one.test is not None]
        self.has_several_of_a_test |= len(set(tests)) < len(tests)
        if self.keeps and (found.kept or found.suppressed or found.problems):
            self.linted.append(Linted(name, source, found))
        self._tell(name, found)

    def _wanted(self, found: Sifted) -> Sifted:
        return replace(
            found,
            kept=tuple(one for one in found.kept if one.rule in self.rules),
            suppressed=tuple(one for one in found.suppressed if one.finding.rule in self.rules),
            problems=tuple(one for one in found.problems if one.rule is None or one.rule in self.rules),
        )

    def _tell(self, name: str, found: Sifted) -> None:
        if self.kind is Format.JSON:
            for one in found.kept:
                says.line(one.as_json())
        elif self.kind is Format.TEXT and found.kept:
            tell(file_story(name, found.kept))
        for problem in found.problems:
            says.progress(f"{spelled(name)}:{problem.line}: suppression: {problem.text}")

    def _tell_unread(self, one: Unread) -> None:
        self.unread.append(one)
        says.progress(f"{spelled(one.path)}: {one.reason}")

    def _summary(self) -> str:
        return "; ".join(self._parts())

    def _parts(self) -> Iterator[str]:
        files = counted(self.read_count, "file")
        if not self.read_count:
            yield "no Python file was read"
        elif self.found_count:
            of = f"{self.weak_count} of " if self.weak_count < self.read_count else ""
            yield f"{counted(self.found_count, 'finding')} in {of}{files}"
        else:
            yield f"nothing found in {files}"
        if self.suppressed_count:
            yield f"{self.suppressed_count} suppressed"
        if self.problem_count:
            yield counted(self.problem_count, "suppression to mend", "suppressions to mend")
        if self.unread:
            yield f"{len(self.unread)} could not be read"

    def as_sarif(self, *, shows_suppressed: bool) -> dict[str, object]:
        return sarif(
            self.linted,
            version=version("flake-triage"),
            unread=self.unread,
            shows_suppressed=shows_suppressed,
        )

    @property
    def exit_code(self) -> int:
        """What could not be read is no good news, even where the rest is clean."""
        if not self.read_count:
            return says.NOTHING_DONE
        is_bad = self.found_count or self.problem_count or self.unread
        return says.CHECKED_BAD if is_bad else 0
