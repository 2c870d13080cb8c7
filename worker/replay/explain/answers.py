"""A cause put together: its sentence, and what can be seen of its origin from outside too."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.replay_words import CauseKind
from worker.replay.explain.aftermath import aftermath
from worker.replay.explain.exceptions import Known, thrown
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import MOST_NAME, clean, place, sentence
from worker.replay.explain.waits import Kind, Wait
from worker.replay.trial import Explained, Position, Window

Fact = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a cause's module found; `explained` adds what every cause has."""

    kind: CauseKind
    parts: tuple[str, ...]
    pid: int | None = None  # the origin; None where no process is one
    also: tuple[int, ...] = ()  # further origins, which are no consequences
    known: Known | None = None
    wait: Wait | None = None
    position: Position | None = None
    window: Window | None = None
    place: str | None = None
    signal: int | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)


def explained(scene: Scene, answer: Answer) -> Explained:
    """The cause as the report has it; its consequences are told of every rank that is no origin."""
    origins = {pid for pid in (answer.pid, *answer.also) if pid is not None}
    consequences, involved = aftermath(scene, origins)
    note = scene.ranks.note([*origins, *involved])
    position = answer.position or (position_of(scene, answer.wait) if answer.wait else None)
    return Explained(
        answer.kind,
        sentence(*answer.parts, note),
        rank=scene.ranks.of(answer.pid) if answer.pid is not None else None,
        exception=thrown(answer.known) if answer.known else None,
        collective=position,
        window=answer.window,
        consequences=consequences,
        place=answer.place or (answer.known.place if answer.known else None),
        signal=answer.signal,
        facts={**_seen_from_outside(scene, answer.pid), **answer.facts},
    )


def position_of(scene: Scene, wait: Wait) -> Position | None:
    """The collective that was waited in; None for a store operation."""
    rank = scene.ranks.of(wait.pid)
    site = place(wait.site) if wait.site else None
    if wait.call is not None:
        group = clean(wait.call.group, MOST_NAME)
        reduce_op = clean(wait.call.reduce_op, MOST_NAME) if wait.call.reduce_op else None
        return Position(group, wait.ordinal, clean(wait.call.op, MOST_NAME), reduce_op, site, rank)
    if wait.kind is Kind.INIT:
        return Position("WORLD", 0, "init_process_group", None, site, rank)
    return None


def _seen_from_outside(scene: Scene, pid: int | None) -> dict[str, Fact]:
    """How the origin ended, and how all workers did: bare and probed trials know that alike."""
    codes = sorted(code for one in scene.workers if (code := scene.lives.code_of(one)))
    seen: dict[str, Fact] = {"ended_badly": ", ".join(map(str, codes))} if codes else {}
    if pid is None:
        return seen
    process = scene.lives.processes.get(pid)
    words = process.last_words if process else ()
    seen["exit_code"] = scene.lives.code_of(pid)
    if words:
        seen["last_words"] = clean(words[-1])
    return seen
