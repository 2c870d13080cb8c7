"""Everything that the engine learns of a trial while it runs, collected into one record at its end."""

import time
from collections.abc import Mapping
from typing import Final

from app.domain.replay_words import Outcome
from worker.replay.facts import Pause, Survivor, Throttling
from worker.replay.limits import Usage
from worker.replay.observed import Left, Naming, Observed, Waited
from worker.replay.outside.observer import Observer
from worker.replay.outside.output import Output

MOST_WAITS: Final = 5000
MOST_SURVIVORS: Final = 64
MOST_PLACES: Final = 8
MOST_LOOKS: Final = 10_000
_MOST_ARGUMENTS: Final = 64
_TEXT_CHARS: Final = 400


class Account:
    """Written by the engine's loop only. Reports from inside are taken for what they could be, no more."""

    def __init__(self, project: str) -> None:
        self.project = project
        self.main: int | None = None
        self.supervisor: int | None = None
        self.not_started = ""
        self.pauses: tuple[Pause, ...] = ()
        self.captured = ""
        self.error_tails: Mapping[int, str] = {}
        self._began = time.monotonic_ns()
        self._ended: int | None = None
        self._killed_from: int | None = None
        self._ended_early_at: int | None = None
        self._timed_out = False
        self._waits: list[Waited] = []
        self.survivors: list[Survivor] = []
        self.left: list[Left] = []
        self._namings: list[Naming] = []
        self.throttling: list[Throttling] = []
        self._last_usage: tuple[int, int] | None = None
        self._seen: dict[str, int | str] = {}

    def begin(self) -> None:
        self._began = time.monotonic_ns()

    @property
    def seconds(self) -> float:
        return ((self._ended or time.monotonic_ns()) - self._began) / 1e9

    @property
    def main_status(self) -> int | None:
        """The wait status of pytest's own process; None while it runs, and where it was lost."""
        return next((one.status for one in self._waits if one.pid == self.main), None)

    def hear(self, report: Mapping[str, object]) -> bool:
        """Take one report of the supervisor; True when it was its last."""
        match report:
            case {"said": "began", "pid": int(pid), "supervisor": int(supervisor)}:
                if self.main is None:
                    self.main, self.supervisor = pid, supervisor
            case {"said": "exit", "pid": int(pid), "status": int(status), "t": int(t)}:
                if len(self._waits) < MOST_WAITS or pid == self.main:
                    self._waits.append(Waited(pid, t, status & 0xFFFF))
            case {"said": "survivor" | "left"}:
                self._hear_of_remains(report)
            case {"said": "killing"}:
                self.killing()
            case {"said": "not-started", "why": str(why)}:
                self.not_started = why[:_TEXT_CHARS]
                return True
            case {"said": "ended"}:
                return True
        return False

    def _hear_of_remains(self, report: Mapping[str, object]) -> None:
        match report:
            case {"pid": int(pid), "argv": list(argv), "state": str(state), "ports": list(ports)}:
                self._add_survivor(pid, argv, state, ports)
            case {"place": str(place), "names": list(names)}:
                if len(self.left) < MOST_PLACES:
                    self.left.append(Left(place[:_TEXT_CHARS], _words(names)))

    def killing(self) -> None:
        """From now on processes die by our hand."""
        self._killed_from = self._killed_from or time.monotonic_ns()

    def ending(self, outcome: Outcome) -> None:
        self._timed_out = outcome is Outcome.TIMED_OUT
        if outcome is Outcome.ENDED_EARLY:
            self._ended_early_at = time.monotonic_ns()

    def name(self, naming: Naming) -> None:
        self._namings.append(naming)

    def proven_reason(self) -> str:
        """The sentence of the first proven wait that still stands."""
        last = {(one.pid, one.group, one.number): one for one in self._namings}
        proven = [one for one in last.values() if one.what == "proven"]
        if not proven:
            return ""
        first = proven[0]
        who = f"rank {first.rank} waited in {first.group} #{first.number} {first.op}"
        return f"{who} for rank {', '.join(map(str, first.missing))}: {first.proof}"

    def note_usage(self, usage: Usage) -> None:
        """One look at the quota's counter; the time that the tree was held still since the last one."""
        if usage.throttled_ns is None or len(self.throttling) >= MOST_LOOKS:
            return
        now = time.monotonic_ns()
        if self._last_usage is not None and usage.throttled_ns > self._last_usage[1]:
            since, before = self._last_usage
            self.throttling.append(Throttling(since, now, usage.throttled_ns - before))
        self._last_usage = (now, usage.throttled_ns)

    def finish(self, observer: Observer, output: Output) -> None:
        self._ended = time.monotonic_ns()
        self._observer, self._output = observer, output

    def observed(self) -> Observed:
        tails = {pid: text for pid, text in self.error_tails.items() if text.strip()}
        if self.captured.strip():
            tails = {0: self.captured, **tails}
        return Observed(
            began=self._began,
            ended=self._ended or time.monotonic_ns(),
            main=self.main,
            supervisor=self.supervisor,
            project=self.project,
            waits=tuple(self._waits),
            survivors=tuple(self.survivors),
            left=tuple(self.left),
            pauses=self.pauses,
            throttling=tuple(self.throttling),
            namings=tuple(self._namings),
            killed_from=self._killed_from,
            timed_out=self._timed_out,
            ended_early_at=self._ended_early_at,
            source=self._observer.source,
            lost_events=self._observer.lost,
            unnamed=self._observer.tree.unnamed,
            dropped_output_bytes=self._output.dropped,
            error_tails=tails,
        )

    def _add_survivor(self, pid: int, argv: list[object], state: str, ports: list[object]) -> None:
        if len(self.survivors) < MOST_SURVIVORS:
            words = _words(argv)
            heard = tuple(one for one in ports[:_MOST_ARGUMENTS] if isinstance(one, int))
            self.survivors.append(Survivor(pid, words, state[:8], heard))


def _words(told: list[object]) -> tuple[str, ...]:
    return tuple(str(one)[:_TEXT_CHARS] for one in told[:_MOST_ARGUMENTS])
