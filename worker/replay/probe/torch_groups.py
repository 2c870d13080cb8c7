"""Process groups as every member names them, and how many collectives this process has entered on each.

A group is `WORLD`, or torch's own name with its description and ranks, `2:mesh_dp[0,1]`, equal on all
members. A world that is initialised again numbers anew, so its names bear its count: `WORLD~2`.
"""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Dict, Optional, Tuple

from . import journal

WORLD = "WORLD"
MOST_RANKS_NAMED = 16
MOST_GROUPS_COUNTED = 256
_NO_DESCRIPTION = {"", "undefined", "default_pg"}


class Known:
    """A group that this process has met. It holds no process group alive."""

    __slots__ = ("count", "label", "number", "peers", "ranks", "torch_name")

    def __init__(self, number: int, torch_name: str, label: str, ranks: Tuple[int, ...]) -> None:
        self.number = number  # of its line in the journal
        self.torch_name = torch_name
        self.label = label
        self.ranks = ranks  # global ranks, in the order of the group
        self.count = 0  # collectives entered
        self.peers: Dict[Tuple[str, int], int] = {}  # point-to-point calls, by direction and peer

    @property
    def is_world(self) -> bool:
        return self is _groups.world

    def next_to(self, direction: str, peer: int) -> int:
        """Point-to-point calls are numbered apart from collectives, for each direction and peer."""
        number = self.peers[direction, peer] = self.peers.get((direction, peer), 0) + 1
        return number


class _Groups:
    def __init__(self) -> None:
        self.c10d: Optional[ModuleType] = None
        self.by_id: Dict[int, Known] = {}
        self.world: Optional[Known] = None
        self.met: Dict[str, Known] = {}  # by label, those too that are gone
        self.named: Dict[str, str] = {}  # of this life: torch's name -> ours
        self.numbers = itertools.count(1)
        self.lives = 0  # worlds that this process has initialised
        self.rank: Optional[int] = None


_groups = _Groups()


def begin(c10d: ModuleType) -> None:
    _groups.c10d = c10d


def forget() -> None:
    """In a fork child: its journal has declared nothing yet, and its collectives are its own."""
    c10d, lives, rank = _groups.c10d, _groups.lives, _groups.rank
    _groups.__init__()  # type: ignore[misc]  # all of it anew, in place
    _groups.c10d, _groups.lives, _groups.rank = c10d, lives, rank


def expect(rank: Optional[int]) -> str:
    """A world is being initialised; what it will be called. An attempt that fails begins none."""
    if not is_alive():
        _groups.rank = rank
    return _numbered(WORLD, _groups.lives + 1)


def new_life() -> None:
    """A world began: what was known of an earlier one is over."""
    dissolve()
    _groups.named.clear()
    _groups.lives += 1


def dissolve() -> None:
    """The world is gone, and all its groups with it; ids and names of torch's are free to be used again."""
    _groups.by_id.clear()
    _groups.world = None


def let_go(group: object) -> None:
    _groups.by_id.pop(id(group), None)


def learn_rank() -> int:
    """From the world itself, whatever init was told."""
    rank = _groups.rank = int(_groups.c10d.get_rank()) if _groups.c10d is not None else 0
    return rank


def is_alive() -> bool:
    """Whether a world is initialised, as torch sees it."""
    return getattr(getattr(_groups.c10d, "_world", None), "default_pg", None) is not None


def rank() -> Optional[int]:
    return _groups.rank


def life() -> int:
    return _groups.lives


def counters() -> Dict[str, int]:
    """Collectives entered so far, by the group's name; groups that are gone keep their count."""
    return {label: known.count for label, known in list(_groups.met.items())}


def by_torch_name() -> Dict[str, str]:
    """Names of this world's groups, those too that only torch itself has used, and those that are gone."""
    world = getattr(_groups.c10d, "_world", None)
    for pg in list(getattr(world, "pg_map", ()) or ()):
        known(pg)
    return dict(_groups.named)


def known(group: object) -> Optional[Known]:
    """What is known of the group that a call was given, None standing for the default one.

    None for a rank outside of the group, and before there is any: such a call enters no collective.
    """
    if group is None:
        if _groups.world is not None:
            return _groups.world
    else:
        met = _groups.by_id.get(id(group))
        if met is not None:
            return met
    return _meet(group)


def _meet(group: object) -> Optional[Known]:
    c10d = _groups.c10d
    world = getattr(getattr(c10d, "_world", None), "default_pg", None)
    pg = world if group is None else group
    if c10d is None or pg is None or not isinstance(pg, c10d.ProcessGroup):
        return None
    met = _groups.by_id.get(id(pg))
    if met is None:
        ranks = tuple(int(one) for one in c10d.get_process_group_ranks(pg))
        torch_name = _torch_name(c10d, pg)
        label = WORLD if pg is world else _label(torch_name, getattr(pg, "group_desc", ""), ranks)
        label = _numbered(label, _groups.lives)
        met = _groups.by_id[id(pg)] = Known(next(_groups.numbers), torch_name, label, ranks)
        _groups.named[torch_name] = label
        if len(_groups.met) < MOST_GROUPS_COUNTED:
            _groups.met[label] = met
        journal.note("group", id=met.number, group=label, ranks=ranks, timeout_s=_timeout_s(pg))
    if pg is world:
        _groups.world = met
    return met


def _torch_name(c10d: ModuleType, pg: object) -> str:
    try:
        return str(pg.group_name)  # type: ignore[attr-defined]  # torch's, from 2.1 on
    except (AttributeError, RuntimeError):
        return str(c10d._world.pg_names.get(pg, ""))  # noqa: SLF001 -- there is no public way


def _label(torch_name: str, description: object, ranks: Tuple[int, ...]) -> str:
    told = "" if description in _NO_DESCRIPTION else ":{}".format(description)
    named = ",".join(str(one) for one in ranks[:MOST_RANKS_NAMED])
    more = ",..." if len(ranks) > MOST_RANKS_NAMED else ""
    return "{}{}[{}{}]".format(torch_name, told, named, more)[:200]


def _numbered(label: str, life: int) -> str:
    return label if life <= 1 else "{}~{}".format(label, life)


def _timeout_s(pg: object) -> Optional[float]:
    """As the backend has it, where it tells."""
    for device in getattr(pg, "_device_types", ()):
        try:
            options = pg._get_backend(device).options  # type: ignore[attr-defined]  # noqa: SLF001 -- private, and so in a try
            return float(options._timeout.total_seconds())  # noqa: SLF001 -- the same
        except Exception:  # noqa: BLE001, S112 -- any version may have it elsewhere, or nowhere
            continue
    return None
