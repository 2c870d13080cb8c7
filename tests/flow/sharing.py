"""Make something costly once, also where several test processes want it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worker.queue.lock import exclusive

WAIT_S = 300

Share = Callable[[str, str, Callable[[], Any]], Any]
"""(kind, name, make) -> what `make` returned, in JSON's types; of one kind, one is made at a time."""


def share_in(folder: Path) -> Share:
    def share(kind: str, name: str, make: Callable[[], Any]) -> Any:
        kept = folder / f"{kind} {name}.json"
        with exclusive(folder / f"{kind}.lock", subject=kind, wait_s=WAIT_S):
            if not kept.exists():
                kept.write_text(json.dumps(make()))
        return json.loads(kept.read_text())

    return share
