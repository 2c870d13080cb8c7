"""Watches a running trial's journals, and names who waits in vain: provisionally first, then with proof."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from worker.replay.facts import Collective, Exit, Source
from worker.replay.observed import HELD, Naming
from worker.replay.reading.journals import JournalReader, Journals
from worker.replay.watching.known import have_answered, naming
from worker.replay.watching.waits import Lonely, Moment, came_in_time, lonely_ranks

EVERY_S: Final = 0.2
SHARE: Final = 5
"""Looking may take one part in so many of the time: a long journal is looked at less often."""
ASKED_AFTER_S: Final = 0.7
"""All are asked where they are so long after a wait began, so that its naming has the answers."""
NAMED_AFTER_S: Final = 1.0
"""A wait without proof: shorter ones are what every test has."""
PROVEN_AFTER_S: Final = 0.3
"""A wait with proof: a peer's end mostly reaches the waiting rank by then, as a closed connection."""
ANSWERED_WITHIN_S: Final = 0.6
"""So long a naming is put off for answers: some are stopped, and within 2 s of its entry a wait is named."""
ENDED_AFTER_S: Final = 3.0
"""So long after the proof a rank that is still stuck would stay so until the test's own timeout."""
ASK_AGAIN_S: Final = 1.0
MOST_ASKED: Final = 5


class Watcher:
    """Call `look` when `due`; it tells what is new of each naming (`tell`), and has the stuck asked (`ask`).

    `ranks` are the processes (numbers inside) that had a rank at the last look.
    """

    def __init__(
        self,
        folder: Path,
        project: str,
        *,
        tell: Callable[[Naming], None],
        ask: Callable[[], None],
    ) -> None:
        self._reader = JournalReader(folder, project)
        self._tell = tell
        self._ask = ask
        self._named: dict[tuple[int, str, int], Naming] = {}
        self._proven_at: int | None = None
        self._asked: list[int] = []
        self._asked_for: dict[tuple[tuple[int, str, int], bool], int] = {}
        self.ranks: frozenset[int] = frozenset()
        self.due = time.monotonic()

    def look(self, exits: Mapping[int, Exit]) -> bool:
        """Look once. True when a proven wait has lasted so long that the trial may be ended."""
        began = time.monotonic()
        journals = self._reader.read()
        now = time.monotonic_ns()
        moment = Moment(now, journals.processes, journals.groups, journals.collectives, exits)
        lonely = lonely_ranks(moment)
        self.ranks = frozenset(one.pid for one in journals.processes if one.rank is not None)
        self._conclude(journals, lonely, moment)
        for one in lonely:
            self._consider(one, moment, journals)
        if not any(self._named[one.key].what == "proven" for one in lonely if one.key in self._named):
            self._proven_at = None
        self.due = time.monotonic() + max(EVERY_S, SHARE * (time.monotonic() - began))
        return self._proven_at is not None and now - self._proven_at >= ENDED_AFTER_S * 1e9

    def _consider(self, lonely: Lonely, moment: Moment, journals: Journals) -> None:
        """Have all asked first, and name it once they have answered, or had their time for it."""
        known = self._named.get(lonely.key)
        what = "proven" if lonely.proof else "provisional"
        if known is not None and (known.what == "proven" or not lonely.proof):
            self._tell_more(known, lonely, moment, journals)
            return
        waited_s = (moment.t - lonely.since) / 1e9
        if waited_s < (PROVEN_AFTER_S if lonely.proof else ASKED_AFTER_S):
            return
        asked_at = self._ask_for(lonely, moment.t)
        is_time = waited_s >= (PROVEN_AFTER_S if lonely.proof else NAMED_AFTER_S)
        is_over = moment.t - asked_at >= ANSWERED_WITHIN_S * 1e9
        if is_time and (is_over or have_answered(asked_at, lonely, moment, journals)):
            if lonely.proof:
                self._proven_at = moment.t if self._proven_at is None else self._proven_at
            self._named[lonely.key] = named = naming(what, lonely, moment, journals)
            self._tell(named)

    def _tell_more(self, known: Naming, lonely: Lonely, moment: Moment, journals: Journals) -> None:
        """Once more, where a missing rank raised since, or had answered late."""
        if known.what not in HELD or all(one.raised for one in known.absent):
            return
        anew = naming(known.what, lonely, moment, journals)
        if _raisers(anew) > _raisers(known):
            self._named[lonely.key] = anew
            self._tell(anew)

    def _ask_for(self, lonely: Lonely, now: int) -> int:
        """When all were asked on behalf of this wait: now, or a moment ago for another; 0: not any more."""
        key = (lonely.key, bool(lonely.proof))
        if key not in self._asked_for:
            last = self._asked[-1] if self._asked else 0
            if now - last >= ASK_AGAIN_S * 1e9:
                last = 0
                if len(self._asked) < MOST_ASKED:
                    last = now
                    self._asked.append(now)
                    self._ask()
            self._asked_for[key] = last
        return self._asked_for[key]

    def _conclude(self, journals: Journals, lonely: list[Lonely], moment: Moment) -> None:
        """Say how it ended: taken back where the collective went on after all, borne out where it failed."""
        still = {one.key for one in lonely}
        gone = [key for key, named in self._named.items() if key not in still and named.what in HELD]
        if not gone:
            return
        calls = {
            (one.pid, one.group, one.number): one
            for one in journals.collectives
            if one.source is Source.WRAPPER  # the flight recorder tells no failure from a completion
        }
        for key in gone:
            before = self._named[key]
            what = _ending(before, calls.get(key), moment)
            if what is not None:
                self._named[key] = replace(before, t=moment.t, what=what, proof="")
                self._tell(self._named[key])


def _raisers(named: Naming) -> set[int]:
    return {one.rank for one in named.absent if one.raised is not None}


def _ending(before: Naming, call: Collective | None, moment: Moment) -> str | None:
    """None where nothing is to be said: what was proven stays so when the wait fails."""
    if call is None:
        return None
    if call.error is None:  # it ended well, or its peers have come while it is still inside
        return "withdrawn" if call.t_out is not None or call.pid not in moment.exits else None
    if before.what == "proven":
        return None
    return "withdrawn" if came_in_time(call, before.missing, moment) else "borne-out"
