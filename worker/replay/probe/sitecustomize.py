"""The first way in: Python imports this at start. Starts the probe, then the `sitecustomize` that we hide."""

import os
import sys


def _begin() -> None:
    try:
        from flake_triage_probe.install import begin  # type: ignore[import-not-found]  # noqa: PLC0415 -- beside this file once laid out
    except Exception:  # noqa: BLE001 -- the suspect runs without us
        return
    begin()


def _chain() -> None:
    """Imports the other one in our stead; what it raises is reported by `site`, as without us."""
    here = os.path.dirname(os.path.abspath(__file__))
    ours = sys.modules.pop(__name__, None)
    others = [one for one in sys.path if os.path.abspath(one) != here]
    before, sys.path[:] = list(sys.path), others
    try:
        __import__("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        added = [one for one in sys.path if one not in others]
        gone = [one for one in others if one not in sys.path]
        sys.path[:] = [one for one in before if one not in gone] + added
        if ours is not None:
            sys.modules.setdefault(__name__, ours)


_begin()
if __name__ == "sitecustomize":
    _chain()
