"""How far an ingest is, and what it came to: attempts brought in, known before, or past their time."""

from app.domain.wording import counted
from worker import says
from worker.ingest.load import Loaded
from worker.progress_line import ProgressLine


class Progress(ProgressLine):
    """Counts what was brought in and what was not."""

    def __init__(self) -> None:
        super().__init__("reading")
        self.units = 0
        self.known = 0
        self.past = 0
        self.problems = 0
        self._results = 0

    def advance(self, loaded: Loaded) -> None:
        self.units += 1
        if loaded.status == "known":
            self.known += 1
            return
        if loaded.status == "past":
            self.past += 1
            return
        self._results += loaded.results
        self.tell(lambda: f"{counted(self._new, 'attempt')}, {self._results:,} results")

    def complain(self, problem: str) -> None:
        self.problems += 1
        says.progress(f"flake-triage: {problem}")

    @property
    def _new(self) -> int:
        return self.units - self.known - self.past

    def summarise(self, *, commits: int) -> None:
        new = counted(self._new, "attempt")
        told = [f"Brought in {new}, {self._results:,} results, {counted(commits, 'commit')}"]
        if self.known:
            verb = "was" if self.known == 1 else "were"
            told.append(f"{counted(self.known, 'attempt')} {verb} already known (--replace takes them anew)")
        if self.past:
            words = "was past its time" if self.past == 1 else "were past their time"
            told.append(f"{counted(self.past, 'attempt')} {words} and passed over")
        says.progress(f"{'; '.join([*told, counted(self.problems, 'problem')])}.")
