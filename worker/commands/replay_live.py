"""A replay as it runs, on stderr: a live table on a terminal, a line for each trial elsewhere."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from app.domain.replay_words import CauseKind
from app.logs import redact
from worker import says
from worker.replay.engine import Progress
from worker.replay.report import ArmCount
from worker.replay.trial import Explained, Trial, TrialSpec
from worker.replay.watching.words import naming_lines

SHOWN_TRIALS = 8
_STYLES = {"failed": "red", "ended-early": "red", "timed-out": "red", "passed": "green"}


class ReplayLive:
    """Follows one test's replay; `follow` is the engine's listener."""

    def __init__(self, test: str) -> None:
        self._test = redact(test)
        self._trials: list[Trial] = []
        self._running: TrialSpec | None = None
        self._named: tuple[str, ...] = ()
        self._last: Progress | None = None
        self._console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = Live(console=self._console, get_renderable=self.shown, refresh_per_second=4)
            self._live.start()
        else:
            says.progress(f"replaying {self._test} ...")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def follow(self, news: Progress) -> None:
        self._last = news
        if news.started is not None:
            self._running, self._named = news.started, ()
        if news.named is not None:
            self._named = tuple(naming_lines(news.named))
            for line in _indented(self._named):
                self._say(line)
        if news.finished is not None:
            self._trials.append(news.finished)
            self._running, self._named = None, ()
            self._say(f"  {trial_words(news.finished)} [{_clock(news)}]")

    def _say(self, words: str) -> None:
        if self._live is None:
            says.progress(words)

    def shown(self) -> Group:
        test = Text(self._test, style="bold")  # no title of the table, which is folded to the table's width
        return Group(test, self._table(), *(self._below(self._last) if self._last else ()))

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False)
        for column in ("arm", "bare", "probed", "void", "s"):
            table.add_column(column, justify="left" if column == "arm" else "right")
        for arm in self._last.arms if self._last else ():
            table.add_row(*map(Text, _arm_cells(arm)))
        return table

    def _below(self, last: Progress) -> Iterable[Text]:
        for trial in self._trials[-SHOWN_TRIALS:]:
            yield Text(redact(trial_words(trial)), style=_STYLES.get(trial.outcome.value, ""))
        if self._running is not None:
            yield Text(f"{_spec_words(self._running)}: running")
        for line in _indented(self._named):
            yield Text(redact(line), style="red")
        yield Text(redact(f"{last.decision} [{_clock(last)}]"), style="dim")


def trial_words(trial: Trial) -> str:
    """One trial on one line: arm, outcome, and the cause's sentence or the reason."""
    is_ours = trial.spec.is_injected  # what failed is no news then
    cause = Explained(CauseKind.NONE) if is_ours else trial.explanation.cause
    why = cause.sentence or trial.reason
    told = f"; {cause.kind.value}: {why}" if cause.sentence else f"; {why}" if why else ""
    return f"{_spec_words(trial.spec)}: {trial.outcome.value} in {trial.seconds:.1f} s{told}"


def _indented(lines: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield f"  {'  ' if number else ''}{line}"


def _spec_words(spec: TrialSpec) -> str:
    how = "bare" if spec.bare else "probed" if spec.inject is None else spec.inject
    return f"trial {spec.number}, {spec.arm.value}, {how}"


def _arm_cells(arm: ArmCount) -> tuple[str, ...]:
    return (
        arm.arm.value,
        f"{arm.bare_failures}/{arm.bare_trials}",
        f"{arm.probed_failures}/{arm.probed_trials}",
        str(arm.voids),
        f"{arm.seconds:.0f}",
    )


def _clock(news: Progress) -> str:
    return f"{news.elapsed_s:.0f} of {news.budget_s:.0f} s" if news.budget_s else f"{news.elapsed_s:.0f} s"
