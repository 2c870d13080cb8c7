"""Which waits ran out in a trial with a fault that do not where the test passes: its own time limits."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from worker.replay.facts import Frame, TrialFacts
from worker.replay.probe.inject_waits import SUFFIX
from worker.replay.regular_file import read_bounded

_MOST_BYTES: Final = 1 << 20
_MOST_FILES: Final = 512
_NEARLY: Final = 0.9
_TIMEOUT_PLUGIN: Final = re.compile(r"Timeout \(?>\s?(\d{1,7}(?:\.\d{1,6})?)s")


class Wait(NamedTuple):
    """`where` is a place in the project, empty where none is known."""

    timeout_s: float
    seconds: float
    what: str
    where: str

    @property
    def words(self) -> str:
        place = f" at {self.where}" if self.where else ""
        return f"{self.what} of {self.timeout_s:g} s{place}"

    @property
    def key(self) -> tuple[str, str, float]:
        """The same for each run of the same wait: what is left of a limit differs by a hair."""
        return self.what, self.where, self.timeout_s


def longest(waits: Iterable[Wait], usual: Iterable[Wait]) -> Wait | None:
    """The longest of `waits` that `usual`, those of a trial that passed, do not have too."""
    known = {one.key for one in usual}
    fresh = [one for one in waits if one.key not in known]
    return max(fresh, key=lambda one: one.seconds, default=None)


def waits_of(journals: Path, facts: TrialFacts, said: str) -> Iterator[Wait]:
    """Of the test's own waits, of its groups' time limits, and of pytest-timeout's."""
    for file in sorted(journals.glob(f"*{SUFFIX}"))[:_MOST_FILES]:
        for line in read_bounded(file, _MOST_BYTES).decode("ascii", "replace").splitlines():
            wait = _read(line)
            if wait is not None:
                yield wait
    yield from _of_groups(facts)
    found = _TIMEOUT_PLUGIN.search(said)
    if found:
        yield Wait(float(found[1]), float(found[1]), "the test's own time limit", "")


def _read(line: str) -> Wait | None:
    try:
        told = json.loads(line)
        file, number, function, source, _ = told["site"]
        where = f"{file}:{int(number)} in {function}"
        where += f": {source[:120]}" if isinstance(source, str) and source else ""
        return Wait(
            float(f"{float(told['timeout_s']):.3g}"), float(told["seconds"]), "a time limit", where[:400]
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _of_groups(facts: TrialFacts) -> Iterator[Wait]:
    limits = {(one.pid, one.name): one.timeout_s for one in facts.groups}
    for call in facts.collectives:
        limit = limits.get((call.pid, call.group))
        if limit and call.error is not None and call.t_out is not None:
            yield from _ran_out(call.t_in, call.t_out, limit, call.site)
    for init in facts.inits:
        if init.timeout_s and init.error is not None and init.t_out is not None:
            yield from _ran_out(init.t_in, init.t_out, init.timeout_s, init.site)


def _ran_out(t_in: int, t_out: int, limit: float, site: Frame | None) -> Iterator[Wait]:
    seconds = (t_out - t_in) / 1e9
    if seconds >= limit * _NEARLY:
        where = f"{site.file}:{site.line} in {site.function}" if site else ""
        yield Wait(limit, seconds, "the process group's time limit", where)
