"""Delays that an arm asks for, before store operations or before collectives and init, seeded by rank.

`FLAKE_TRIAGE_DELAYS` holds `{"store_delay_s", "skew_s", "most_delay_s", "seed"}`. Every delay is uniform
from 0 to its bound, and all delays of one process together stay under `most_delay_s`: a test with 150
collectives must not be slowed into its own time limit.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from typing import Dict, Optional

_sleep = time.sleep


class Delays:
    """The delays of one process. The same seed and rank give the same delays again."""

    def __init__(self, store_delay_s: float, skew_s: float, most_delay_s: float, seed: int) -> None:
        self.store_delay_s, self.skew_s = store_delay_s, skew_s
        self.most_delay_s = self.left_s = most_delay_s
        self.seed = seed
        self._sources: Dict[str, random.Random] = {}

    def before_collective(self, rank: Optional[int]) -> None:
        if self.skew_s > 0.0:
            self._delay("skew", self.skew_s, rank)

    def before_store(self, rank: Optional[int]) -> None:
        if self.store_delay_s > 0.0:
            self._delay("store", self.store_delay_s, rank)

    def in_child(self) -> None:
        """A forked process draws from its own sources, and has its own cap."""
        self.left_s = self.most_delay_s
        self._sources.clear()

    def _delay(self, kind: str, most_s: float, rank: Optional[int]) -> None:
        if self.left_s <= 0.0:
            return
        who = _who() if rank is None else str(rank)
        source = self._sources.get(kind + who)
        if source is None:
            told = "{}:{}:{}".format(self.seed, kind, who)
            source = self._sources[kind + who] = random.Random(told)  # noqa: S311 -- not for secrets
        delay_s = min(source.uniform(0.0, most_s), self.left_s)
        self.left_s -= delay_s
        _sleep(delay_s)


def read(text: Optional[str]) -> Optional[Delays]:
    """None where nothing is asked for, or where the text is not what we write."""
    try:
        told = json.loads(text or "null")
        asked = Delays(
            float(told.get("store_delay_s") or 0.0),
            float(told.get("skew_s") or 0.0),
            float(told.get("most_delay_s") or 0.0),
            int(told.get("seed") or 0),
        )
    except (ValueError, TypeError, AttributeError):
        return None
    is_asked = (asked.store_delay_s > 0.0 or asked.skew_s > 0.0) and asked.left_s > 0.0
    return asked if is_asked else None


def _who() -> str:
    """Before a rank is known: the environment's, else multiprocessing's name of this process."""
    told = os.environ.get("RANK")
    if told:
        return told
    multiprocessing = sys.modules.get("multiprocessing.process")
    return str(getattr(getattr(multiprocessing, "_current_process", None), "_name", "MainProcess"))
