"""Why it failed, as a part of a bundle's page: the sentence, the exception with all behind it, the window."""

from collections.abc import Iterator, Sequence

from app.domain.replay_words import CauseKind
from worker.replay.bundle.markup import Markup, joined, tag
from worker.replay.facts import Frame, Linked
from worker.replay.trial import Explained, Position, Thrown, Window

MOST_LINKED = 12
"""Exceptions behind one: a chain can be as long as its writer likes."""


def cause_part(cause: Explained) -> Markup:
    if cause.kind is CauseKind.NONE:
        return tag(
            "section", tag("h2", "Why"), tag("p", "No trial showed the failure, so there is none to explain.")
        )
    return tag(
        "section",
        tag("h2", "Why"),
        tag(
            "p",
            tag("strong", cause.kind.value),
            f": {cause.sentence}" if cause.sentence else "",
            class_="lead",
        ),
        *([_position(cause.collective)] if cause.collective else []),
        *([_thrown(cause.exception)] if cause.exception else []),
        *([_window(cause.window)] if cause.window else []),
        *([_consequences(cause.consequences)] if cause.consequences else []),
    )


def _position(position: Position) -> Markup:
    op = f"{position.op}({position.reduce_op})" if position.reduce_op else position.op
    site = f", called at {position.call_site}" if position.call_site else ""
    rank = f"rank {position.rank}: " if position.rank is not None else ""
    return tag("p", f"Collective: {rank}{op}, number {position.number} on {position.group}{site}")


def _thrown(thrown: Thrown) -> Markup:
    behind = _behind(thrown.cause, thrown.context, MOST_LINKED)
    return joined(tag("h3", "The exception"), _raised(thrown.type, thrown.message, thrown.frames), *behind)


def _behind(cause: Linked | None, context: Linked | None, room: int) -> Iterator[Markup]:
    """The chain as Python tells it: an explicit cause hides the context."""
    for link, how in ((cause, "Its cause:"), (context, "While this was being handled:")):
        if link is None:
            continue
        if room == 0:
            yield tag("p", "More stands behind it; the journals have it.")
            return
        yield tag("h4", how)
        yield _raised(link.type, link.message, link.frames)
        yield from _behind(link.cause, link.context, room - 1)
        return


def _raised(kind: str, message: str, frames: Sequence[Frame]) -> Markup:
    stack = [tag("ol", *(_frame(one) for one in frames), class_="frames")] if frames else []
    return joined(tag("pre", f"{kind}: {message}" if message else kind), *stack)


def _frame(frame: Frame) -> Markup:
    source = [tag("code", frame.source)] if frame.source else []
    where = f"{frame.file}:{frame.line} in {frame.function}"
    return tag("li", tag("span", where), *source, class_="own" if frame.in_project else None)


def _window(window: Window) -> Markup:
    bounds = [
        tag("li", f"{which} {where}")
        for which, where in (("after", window.after), ("before", window.before))
        if where
    ]
    stacks = [
        joined(tag("h4", f"Rank {rank} at that moment"), tag("ol", *map(_frame, frames), class_="frames"))
        for rank, frames in sorted(window.frames_by_rank.items())
        if frames
    ]
    return joined(tag("h3", "Where a mend must stand"), tag("ul", *bounds), *stacks)


def _consequences(consequences: Sequence[str]) -> Markup:
    return joined(
        tag("h3", "What followed on the other ranks"), tag("ul", *(tag("li", one) for one in consequences))
    )
