"""How far a reading of files is: files, and bytes of them, since one may be large."""

from app.domain.wording import counted
from worker.progress_line import ProgressLine


class ReadingProgress(ProgressLine):
    def __init__(self) -> None:
        super().__init__("reading")
        self._files = 0
        self._bytes = 0

    def file_done(self) -> None:
        self._files += 1

    def watch(self, count: int) -> None:
        """Hear that `count` bytes more have been read."""
        self._bytes += count
        self.tell(lambda: f"read {counted(self._files, 'file')}, {self._bytes / 1e6:,.0f} MB")
