"""Reports of ranks that never reached a reader: put on a queue and not taken, or taken and not shown."""

from collections import defaultdict
from collections.abc import Iterator

from worker.replay.explain.consequences import lost_by_words
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import clean, place
from worker.replay.facts import QueueItem


def unread(scene: Scene) -> Iterator[str]:
    """Tracebacks that nobody took off their queue before the trial's end, in order of time."""
    for _, (puts, takes) in sorted(_by_channel(scene).items()):
        for item in _not_taken(puts, takes):
            if item.holds_traceback:
                read = _read_instead(scene, takes)
                yield (
                    f"{_whose(scene, item)} traceback was put on a queue and never read ({clean(item.text)});"
                    f" {len(takes)} of {len(puts)} items were read{read}"
                )


def unshown(scene: Scene) -> Iterator[str]:
    """Tracebacks that were taken while the failing assertion shows nothing of them. Consequences left out."""
    phase = scene.failed_phase()
    shown = phase.crash if phase else ""
    shown += "".join(one.raised.message for one in scene.exceptions if one.pid == scene.facts.main)
    for _, (puts, takes) in sorted(_by_channel(scene).items()):
        for item in takes:
            is_origin = lost_by_words("", item.text) is None
            if item.holds_traceback and is_origin and phase is not None and not _is_shown(item, shown):
                site = f" at {place(item.site)}" if item.site else ""
                owner = _whose(scene, _origin(item, puts))
                yield (
                    f"{owner} traceback was read{site} and the failing assertion does not show it"
                    f" ({clean(item.text)})"
                )


def _by_channel(scene: Scene) -> dict[str, tuple[list[QueueItem], list[QueueItem]]]:
    channels: dict[str, tuple[list[QueueItem], list[QueueItem]]] = defaultdict(lambda: ([], []))
    for item in sorted(scene.facts.items, key=lambda one: (one.t, one.pid, repr(one))):
        channels[item.channel][0 if item.is_put else 1].append(item)
    return channels


def _not_taken(puts: list[QueueItem], takes: list[QueueItem]) -> list[QueueItem]:
    """By content where both sides have a digest; the others by number, in the order of the queue."""
    digests = [one.digest for one in takes if one.digest is not None]
    unnamed = len(takes) - len(digests)
    left: list[QueueItem] = []
    for put in puts:
        if put.digest is not None and put.digest in digests:
            digests.remove(put.digest)
        elif unnamed > 0:
            unnamed -= 1
        elif put.digest is None and digests:
            digests.pop()
        else:
            left.append(put)
    return left


def _read_instead(scene: Scene, takes: list[QueueItem]) -> str:
    ranks = sorted(
        {one.rank for one in takes if one.rank is not None and one.rank in set(scene.ranks.by_pid.values())}
    )
    return f": of rank {', '.join(str(rank) for rank in ranks)}" if ranks else ""


def _origin(taken: QueueItem, puts: list[QueueItem]) -> QueueItem:
    same = (one for one in puts if one.digest is not None and one.digest == taken.digest)
    return next(same, taken)


def _whose(scene: Scene, item: QueueItem) -> str:
    rank = scene.ranks.of(item.pid) if item.is_put else None
    if rank is None and item.rank in set(scene.ranks.by_pid.values()):
        rank = item.rank
    return f"rank {rank}'s" if rank is not None else "a worker's"


def _is_shown(item: QueueItem, shown: str) -> bool:
    words = item.text.strip()
    return bool(words) and words[:80] in shown
