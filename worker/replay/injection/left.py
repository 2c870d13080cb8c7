"""What outlived a test: processes, the ports they hold, shared memory and files; compared with a control."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from app.domain.wording import counted
from worker.replay.observed import Observed

PROCESSES, PORTS = "processes", "ports"
_WORDS: Final = {"shm": "in shared memory", "tmp": "in the temporary folder", "project": "in the project"}
_RANDOM: Final = re.compile(r"[0-9a-f]{6,}|\d+|(?<=tmp)[a-z0-9_]{8}", re.IGNORECASE)
_MOST_NAMED: Final = 3
_LONGEST_NAME: Final = 80


def left_behind(observed: Observed, control: Observed | None) -> tuple[str, ...]:
    """One sentence for each kind of thing. What the control leaves too is the test's way, and not told."""
    usual = _things(control) if control is not None else {}
    return tuple(_sentences(_things(observed), usual))


def _sentences(found: dict[str, list[str]], usual: dict[str, list[str]]) -> Iterator[str]:
    for kind, names in found.items():
        fresh = _fresh(names, usual.get(kind, []))
        if not fresh:
            continue
        named = ", ".join(one[:_LONGEST_NAME] for one in fresh[:_MOST_NAMED])
        more = f" and {len(fresh) - _MOST_NAMED} more" if len(fresh) > _MOST_NAMED else ""
        if kind == PROCESSES:
            yield f"{counted(len(fresh), 'process')}: {named}{more}"
        elif kind == PORTS:
            yield f"{counted(len(fresh), 'listening port')}: {named}{more}"
        else:
            yield f"{counted(len(fresh), 'file')} {_WORDS.get(kind, kind)}: {named}{more}"


def _fresh(names: list[str], usual: list[str]) -> list[str]:
    """Without those of a usual shape, as many as there are; numbers and random parts may differ."""
    known = Counter(_shape(one) for one in usual)
    fresh = []
    for name in names:
        shape = _shape(name)
        if known[shape]:
            known[shape] -= 1
        else:
            fresh.append(name)
    return fresh


def _shape(name: str) -> str:
    return _RANDOM.sub("#", name)


def _things(observed: Observed) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {PROCESSES: [], PORTS: []}
    for one in observed.survivors:
        found[PROCESSES].append(" ".join(" ".join(one.argv).split()) or "a process")
        found[PORTS] += [str(port) for port in one.ports]
    for left in observed.left:
        found.setdefault(left.place, []).extend(left.names)
    return found
