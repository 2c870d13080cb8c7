"""The steps of a job's log: where each begins, and the exit code that the runner prints at its end.

A step begins with a group `Run ...`, in which the runner lists its script and shell, or an action's inputs. A
program can open a group of that name too: that one has neither. Steps that succeed, and actions, end without
an exit code.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.joblog.log_lines import LogLine

MAX_STEPS: Final = 1000
LONGEST_NAME: Final = 200

_GROUP: Final = "##[group]"
_RUN: Final = "##[group]Run "
_END: Final = "##[endgroup]"
_STEPS_END: Final = "Post job cleanup."
_OF_RUNNER: Final = re.compile(r"shell: \S|with:$|env:$")
_ACTION: Final = re.compile(
    r"(?:[\w.-]{1,100}/[\w./-]{1,200}@\S{1,200}|\.{1,2}/\S{1,300}|docker://\S{1,300})$"
)


@dataclass(frozen=True, slots=True)
class Step:
    """`exit_code` is None where the runner printed none; `name` is as the log has it."""

    name: str
    first: int
    last: int
    exit_code: int | None = None

    @property
    def has_failed(self) -> bool:
        return self.exit_code not in {None, 0}

    @property
    def words(self) -> str:
        return f"step '{self.name}' ended with exit code {self.exit_code}"


class StepStarts:
    """Takes a log's clean lines in order and keeps where steps begin; an empty name ends the last one."""

    def __init__(self) -> None:
        self.starts: list[tuple[int, str]] = []
        self._opened: LogLine | None = None
        self._is_runners = False

    def feed(self, line: LogLine) -> None:
        text = line.text
        if self._opened is not None:
            self._follow_group(text)
        if text[:3] == "##[" and text.startswith(_RUN):
            self._opened, self._is_runners = line, False
        elif text == _STEPS_END:
            self._add(line.number, "")

    def end(self) -> list[tuple[int, str]]:
        self._close(is_step=True)
        return self.starts

    def _follow_group(self, text: str) -> None:
        if text.startswith("##["):
            is_programs = text.startswith((_END, _GROUP)) and not self._is_runners and not self._is_action()
            self._close(is_step=not is_programs)
        elif _OF_RUNNER.match(text):
            self._is_runners = True

    def _is_action(self) -> bool:
        assert self._opened is not None
        return _ACTION.match(self._opened.text, len(_RUN)) is not None

    def _close(self, *, is_step: bool) -> None:
        opened, self._opened = self._opened, None
        if opened is not None and is_step:
            self._add(opened.number, opened.text[len(_GROUP) :][:LONGEST_NAME])

    def _add(self, number: int, name: str) -> None:
        if len(self.starts) < MAX_STEPS:
            self.starts.append((number, name))


def steps_of(
    starts: Sequence[tuple[int, str]], exits: Sequence[tuple[int, int]], lines: int
) -> tuple[Step, ...]:
    """Put together what begins and what ends, both as line numbers; `lines` is the number of the last line.

    Of several exit codes in a step the last one counts: its program printed the others.
    """
    steps = []
    ends = [number - 1 for number, _ in starts[1:]] + [lines]
    for (first, name), last in zip(starts, ends, strict=False):
        codes = [code for number, code in exits if first <= number <= last]
        if name:
            steps.append(Step(name, first, last, codes[-1] if codes else None))
    return tuple(steps)
