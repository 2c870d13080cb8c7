"""Where the journal of this trial is: from the environment, or where that was cleared from a file."""

from __future__ import annotations

import os
import sys

JOURNAL = "FLAKE_TRIAGE_JOURNAL"
PROJECT = "FLAKE_TRIAGE_PROJECT"
DELAYS = "FLAKE_TRIAGE_DELAYS"
INJECT = "FLAKE_TRIAGE_INJECT"
FILE = "address.json"
PACKAGE = os.path.dirname(os.path.abspath(__file__))
_PREFIX = "FLAKE_TRIAGE_"


def read(beside: str | None = None) -> dict[str, str]:
    """What is known of the trial; empty in a process that belongs to none.

    The environment wins; `address.json` in the folder of `sitecustomize.py` counts only where the
    environment holds no journal, so that a bare trial cannot be probed by a file left lying about.
    """
    if os.environ.get(JOURNAL):
        return {name: value for name, value in os.environ.items() if name.startswith(_PREFIX)}
    return _from_file(os.path.join(beside or os.path.dirname(PACKAGE), FILE))


def _from_file(path: str) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(65536)
    except OSError:
        return {}
    import json  # noqa: PLC0415 -- only a process whose environment was cleared pays for it

    try:
        known = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(known, dict):
        return {}
    return {name: value for name, value in known.items() if isinstance(value, str)}


def prefixes() -> tuple[str, ...]:
    """Folders whose files are the interpreter's, not the project's, even inside the project's folder."""
    return tuple({os.path.join(folder, "") for folder in (sys.prefix, sys.base_prefix) if folder})
