"""Watches a running trial's journals, and names who waits in vain: provisionally first, then with proof."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from worker.replay.facts import Collective, Exit, Source
from worker.replay.observed import Naming
from worker.replay.reading.journals import JournalReader, Journals
from worker.replay.watching.waits import Lonely, Moment, lonely_ranks

EVERY_S: Final = 0.2
SHARE: Final = 5
"""Looking may take one part in so many of the time: a long journal is looked at less often."""
NAMED_AFTER_S: Final = 1.0
"""A wait without proof: shorter ones are what every test has."""
PROVEN_AFTER_S: Final = 0.3
"""A wait with proof: a peer's end mostly reaches the waiting rank by then, as a closed connection."""
ENDED_AFTER_S: Final = 3.0
"""So long after the proof a rank that is still stuck would stay so until the test's own timeout."""
ASK_AGAIN_S: Final = 1.0
MOST_ASKED: Final = 3


class Watcher:
    """Call `look` when `due`; it tells each naming once (`tell`), and has the stuck asked (`ask`).

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
        self._asked: list[float] = []
        self.ranks: frozenset[int] = frozenset()
        self.due = time.monotonic()

    def look(self, exits: Mapping[int, Exit]) -> bool:
        """Look once. True when a proven wait has lasted so long that the trial may be ended."""
        began = time.monotonic()
        journals = self._reader.read()
        now = time.monotonic_ns()
        lonely = lonely_ranks(Moment(now, journals.processes, journals.groups, journals.collectives, exits))
        self.ranks = frozenset(one.pid for one in journals.processes if one.rank is not None)
        self._withdraw(journals, lonely, exits, now)
        for one in lonely:
            self._consider(one, now)
        if not any(self._named[one.key].what == "proven" for one in lonely if one.key in self._named):
            self._proven_at = None
        self.due = time.monotonic() + max(EVERY_S, SHARE * (time.monotonic() - began))
        return self._proven_at is not None and now - self._proven_at >= ENDED_AFTER_S * 1e9

    def _consider(self, lonely: Lonely, now: int) -> None:
        known = self._named.get(lonely.key)
        since = lonely.at.t_in if lonely.at.waiting_since is None else lonely.at.waiting_since
        waited_s = (now - since) / 1e9
        if lonely.proof and waited_s >= PROVEN_AFTER_S and (known is None or known.what != "proven"):
            self._proven_at = now if self._proven_at is None else self._proven_at
            self._name("proven", lonely, now)
        elif known is None and not lonely.proof and waited_s >= NAMED_AFTER_S:
            self._name("provisional", lonely, now)

    def _name(self, what: str, lonely: Lonely, now: int) -> None:
        at = lonely.at
        since = at.t_in if at.waiting_since is None else at.waiting_since
        naming = Naming(
            now,
            what,
            lonely.pid,
            lonely.rank,
            at.group,
            at.number,
            at.op,
            since,
            lonely.missing,
            lonely.proof,
        )
        self._named[lonely.key] = naming
        self._tell(naming)
        moment = time.monotonic()
        if len(self._asked) < MOST_ASKED and all(moment - asked >= ASK_AGAIN_S for asked in self._asked):
            self._asked.append(moment)
            self._ask()

    def _withdraw(
        self, journals: Journals, lonely: list[Lonely], exits: Mapping[int, Exit], now: int
    ) -> None:
        """Take back what was named of a collective that went on without an error after all."""
        still = {one.key for one in lonely}
        gone = [key for key, naming in self._named.items() if key not in still and naming.what != "withdrawn"]
        if not gone:
            return
        calls = {
            (one.pid, one.group, one.number): one
            for one in journals.collectives
            if one.source is Source.WRAPPER  # the flight recorder tells no failure from a completion
        }
        for key in gone:
            if _went_on(calls.get(key), is_alive=key[0] not in exits):
                before = self._named[key]
                taken_back = Naming(
                    now,
                    "withdrawn",
                    before.pid,
                    before.rank,
                    before.group,
                    before.number,
                    before.op,
                    before.since,
                    before.missing,
                )
                self._named[key] = taken_back
                self._tell(taken_back)


def _went_on(call: Collective | None, *, is_alive: bool) -> bool:
    """It ended well, or its peers have come while it is still inside; where it failed, the naming stands."""
    return call is not None and call.error is None and (is_alive or call.t_out is not None)
