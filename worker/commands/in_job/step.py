"""The files that GitHub gives a step. What cannot be written is said, and never ends the command."""

import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.domain.step_outputs import as_file
from app.domain.workflow_command import Annotation, shown, written
from app.settings import StepOfJob
from worker import says
from worker.commands.in_job.summary import LIMIT_BYTES

_LEAST_ROOM: Final = 4 * 1024


@dataclass(slots=True)
class Step:
    """The step that this command runs in. `as_json`: stdout holds JSON alone."""

    known: StepOfJob
    as_json: bool = False
    _before: int | None = None

    @property
    def summary_room(self) -> int:
        """Bytes that are left for us in the step's summary; none where there is no such file."""
        before = self._summary_before()
        return 0 if before is None else max(0, LIMIT_BYTES - before)

    def tell_summary(self, markdown: str) -> None:
        """Write ours after what stood there; again and again, the last one counts."""
        before = self._summary_before()
        if before is None:
            return
        if len(markdown.encode()) > self.summary_room or self.summary_room < _LEAST_ROOM:
            says.progress("flake-triage: the step's summary has no room left; nothing is added to it")
            self.known = self.known.model_copy(update={"step_summary": ""})
            self._before = None
            return
        try:
            with Path(self.known.step_summary).open("r+b") as file:
                file.seek(before)
                file.truncate()
                file.write(markdown.encode())
        except OSError as error:
            says.progress(f"flake-triage: the step's summary cannot be written: {error.strerror}")

    def tell_outputs(self, outputs: Mapping[str, str]) -> None:
        try:
            if not Path(self.known.output).is_file():
                return
            with Path(self.known.output).open("a", encoding="utf-8", errors="replace") as file:
                file.write(as_file(outputs, f"end-{secrets.token_hex(16)}"))
        except OSError as error:
            says.progress(f"flake-triage: the step's outputs cannot be written: {error.strerror}")

    def annotate(self, found: Iterable[Annotation]) -> None:
        for one in shown(found):
            says.command(written(one), aside=self.as_json)

    def place_of(self, project: Path) -> str:
        """The project's folder within the repository, as annotations name files."""
        root = next((one for one in (project, *project.parents) if (one / ".git").exists()), None)
        workspace = Path(self.known.workspace).resolve() if self.known.workspace else None
        for folder in (root, workspace):
            if folder is not None and project.is_relative_to(folder):
                told = project.relative_to(folder).as_posix()
                return "" if told == "." else told
        return ""

    def _summary_before(self) -> int | None:
        if self._before is None and self.known.step_summary:
            with suppress(OSError):
                path = Path(self.known.step_summary)
                self._before = path.stat().st_size if path.is_file() else None
        return self._before
