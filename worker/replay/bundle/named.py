"""Who was named as waiting in vain while a trial still ran: for the page, and for the story in a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worker.replay.bundle import layout
from worker.replay.bundle.markup import Markup, tag
from worker.replay.bundle.story import Line, Tone
from worker.replay.explain.sentences import seconds
from worker.replay.report import Replay
from worker.replay.trial import Trial
from worker.replay.trial_folder import read_observed
from worker.replay.watching.words import naming_lines

MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Named:
    """One naming in words, and how long after its wait began."""

    after_ns: int
    words: str
    details: tuple[str, ...]


def named_in(trial: Trial) -> tuple[Named, ...]:
    """As the engine wrote it down then. NotThatShape where its record is damaged."""
    found = []
    for naming in read_observed(trial.folder).namings[:MOST_NAMED]:
        words, *details = naming_lines(naming)
        found.append(Named(naming.t - naming.since, words, tuple(details)))
    return tuple(found)


def named_story(replay: Replay) -> Iterator[Line]:
    """Of the trial that the story is told of; nothing where nobody was named."""
    trial = layout.evidence(replay.trials, replay.explanation.cause)
    named = named_in(trial) if trial is not None else ()
    if trial is not None and named:
        yield Line(f"Named while trial {trial.spec.number} ran", Tone.HEAD)
    for one in named:
        yield Line(f"  {seconds(one.after_ns)} after the wait began: {one.words}")
        yield from (Line(f"    {detail}", Tone.SOFT) for detail in one.details)


def named_part(named: Sequence[Named]) -> list[Markup]:
    if not named:
        return []
    told = [
        tag(
            "li",
            tag("strong", seconds(one.after_ns)),
            f" after the wait began: {one.words}",
            *([tag("ul", *(tag("li", detail.strip()) for detail in one.details))] if one.details else []),
        )
        for one in named
    ]
    return [tag("h3", "Named while it ran"), tag("ul", *told)]
