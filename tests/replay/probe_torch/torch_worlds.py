"""Runs `project/worlds.py` under the probe, and gives what each rank of each world was seen to do."""

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from probed import Ran, Tools

from worker.replay.facts import Collective, Source

SCRIPT = Path(__file__).parent / "project" / "worlds.py"


@dataclass(frozen=True, slots=True)
class World:
    """One world that has ended; `pids` and `codes` in order of rank."""

    kind: str
    pids: Sequence[int]
    codes: Sequence[int]
    ran: Ran

    def calls(self, rank: int, group: str | None = None) -> list[Collective]:
        """What the wrappers saw."""
        return self._seen(rank, group, Source.WRAPPER)

    def recorded(self, rank: int, group: str | None = None) -> list[Collective]:
        """What torch's Flight Recorder saw."""
        return self._seen(rank, group, Source.FLIGHT_RECORDER)

    def _seen(self, rank: int, group: str | None, source: Source) -> list[Collective]:
        return [
            one
            for one in self.ran.journals.collectives
            if one.pid == self.pids[rank] and one.source is source and group in {None, one.group}
        ]


@dataclass(frozen=True, slots=True)
class Worlds:
    ran: Ran
    by_kind: dict[str, World]

    def __getitem__(self, kind: str) -> World:
        return self.by_kind[kind]


def run(tools: Tools, *kinds: str) -> Worlds:
    script = shutil.copy(SCRIPT, tools.project)
    ran = tools.ran([sys.executable, "-W", "ignore", str(script), str(tools.project), *kinds])
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [one["kind"] for one in lines] == list(kinds), ran.stderr
    found = {one["kind"]: World(one["kind"], one["pids"], one["codes"], ran) for one in lines}
    return Worlds(ran, found)
