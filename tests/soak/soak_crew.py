"""Web and worker as two processes: killed when told, started again at once, and watched."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from app.settings import Settings

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Sample:
    """`age_s` since the process was started, `rss_mb` what it has in memory, `cpu_s` what it used so far."""

    at_s: float
    age_s: float
    rss_mb: float
    cpu_s: float


@dataclass(slots=True)
class Member:
    name: str
    command: tuple[str, ...]
    process: subprocess.Popen[bytes] | None = None
    started_s: float = 0
    kills: int = 0
    cpu_of_the_dead_s: float = 0
    samples: list[Sample] = field(default_factory=list)

    @property
    def cpu_s(self) -> float:
        return self.cpu_of_the_dead_s + (self.samples[-1].cpu_s if self.samples else 0)


class Crew:
    def __init__(self, settings: Settings, log: Path) -> None:
        self._settings, self._log = settings, log
        self.members = {
            name: Member(name, (sys.executable, "-m", "worker", name)) for name in ("web", "worker")
        }

    def start(self, name: str, *, now_s: float) -> None:
        member = self.members[name]
        with self._log.open("ab") as log:
            member.process = subprocess.Popen(
                member.command, env=self._settings.as_environment(), stdout=log, stderr=log
            )
        member.started_s = now_s

    def kill(self, name: str, *, now_s: float) -> None:
        """SIGKILL, and a new one."""
        member = self.members[name]
        assert member.process is not None
        assert member.process.poll() is None, f"{name} had ended by itself: {self.told()}"
        self.sample(name, now_s=now_s)
        member.process.kill()
        member.process.wait(timeout=10)
        member.kills += 1
        member.cpu_of_the_dead_s = member.cpu_s
        member.samples.append(Sample(now_s, 0, 0, 0))
        self.start(name, now_s=now_s)

    def sample(self, name: str, *, now_s: float) -> None:
        member = self.members[name]
        assert member.process is not None
        assert member.process.poll() is None, f"{name} ended by itself: {self.told()}"
        folder = Path("/proc") / str(member.process.pid)
        status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        times = (folder / "stat").read_text().rpartition(")")[2].split()
        rss_mb = int(status["VmRSS"].split()[0]) / 1024
        cpu_s = (int(times[11]) + int(times[12])) / _TICKS
        member.samples.append(Sample(now_s, now_s - member.started_s, rss_mb, cpu_s))

    def end(self) -> None:
        for member in self.members.values():
            if member.process is not None and member.process.poll() is None:
                member.process.terminate()
                member.process.wait(timeout=60)

    def told(self) -> str:
        return self._log.read_text(errors="replace")[-3000:]
