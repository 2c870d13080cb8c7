"""A replay on one page that any browser opens: nothing from elsewhere, no script, every text escaped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.wording import counted
from worker.replay.bundle.injected import injected_lead, injected_part
from worker.replay.bundle.lane_marks import MarkKind
from worker.replay.bundle.markup import Markup, tag, verbatim, void
from worker.replay.bundle.named import Named, named_part
from worker.replay.bundle.page_cause import cause_part
from worker.replay.bundle.page_style import STYLE
from worker.replay.bundle.page_tables import (
    arms_table,
    cleanup_table,
    collectives_table,
    facts_table,
    limits_table,
    moments_table,
    sensitivity_table,
    shades_table,
    throttled,
    trials_table,
)
from worker.replay.bundle.picture import PATTERNS, SHAPES, picture
from worker.replay.bundle.picture import STYLE as PICTURE_STYLE
from worker.replay.bundle.scene import Match, Scene
from worker.replay.report import Replay
from worker.replay.trial import Trial

NOTHING_FROM_ELSEWHERE = "default-src 'none'; style-src 'unsafe-inline'"

MARK_WORDS = {
    MarkKind.INIT: "the group begins",
    MarkKind.DESTROY: "the group ends",
    MarkKind.QUEUE: "a traceback on a queue",
    MarkKind.EXCEPTION: "exception",
    MarkKind.SIGNAL: "a signal was sent to it",
    MarkKind.CRASH: "ended by a signal",
    MarkKind.EXIT: "exit",
}
KINDS_OF_TRIALS = (
    "An arm is what a trial ran under. A probed trial has our probe in each of its processes, a bare one is "
    "seen from outside only. A void one counts for nothing: its limit failed a healthy test too, or the "
    "budget ended it."
)
BAR_WORDS = {
    Match.MATCHED: "collective that all its ranks entered",
    Match.ALONE: "entered by some ranks only",
    Match.DIFFERENT: "the ranks differ",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A trial with its picture."""

    trial: Trial
    scene: Scene
    stderr_tail: str
    named: tuple[Named, ...] = ()


def page(replay: Replay, failed: Shown | None, control: Shown | None, about: Mapping[str, str]) -> str:
    """The whole page. `control` is a trial that passed; `about` names versions and the machine, by name."""
    head = tag(
        "head",
        void("meta", charset="utf-8"),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", http_equiv="Content-Security-Policy", content=NOTHING_FROM_ELSEWHERE),
        tag("title", f"{'injected faults' if replay.injected else replay.verdict.value}: {replay.test}"),
        tag("style", verbatim(STYLE + PICTURE_STYLE)),
    )
    patterns = tag("svg", PATTERNS, class_="tl patterns", height=0, aria_hidden="true")
    body = tag("body", patterns, tag("main", *_parts(replay, failed, control, about)))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _parts(
    replay: Replay, failed: Shown | None, control: Shown | None, about: Mapping[str, str]
) -> Sequence[Markup]:
    return [
        tag("h1", replay.test),
        _lead(replay),
        *injected_part(replay.test, replay.injected),
        cause_part(replay.explanation.cause),
        *_findings(replay),
        *([_shown("What the ranks did", failed)] if failed else []),
        *([_folded("The same test where it passed", _shown("A control", control))] if control else []),
        tag("section", tag("h2", "Trials"), *_trials(replay)),
        tag(
            "section",
            tag("h2", "Under what"),
            _folded("Limits, as asked for and as held", limits_table(replay.limits)),
            _folded("Versions and the machine", facts_table("Made with", about)),
        ),
        tag("section", tag("h2", "The plan's decisions"), _decisions(replay), cleanup_table(replay.trials)),
        _how_to_check(),
    ]


def _lead(replay: Replay) -> Markup:
    if replay.injected is not None:
        return injected_lead(replay.injected)
    return tag(
        "p", tag("span", replay.verdict.value, class_="verdict"), f": {replay.sentence}", class_="lead"
    )


def _findings(replay: Replay) -> list[Markup]:
    told = [tag("li", tag("strong", one.kind.value), f": {one.text}") for one in replay.findings]
    told += [
        tag("li", tag("strong", "another failure"), f": {one.kind.value}: {one.sentence}")
        for one in replay.collateral
    ]
    return [tag("section", tag("h2", "Worth knowing beside it"), tag("ul", *told))] if told else []


def _shown(heading: str, shown: Shown) -> Markup:
    spec = shown.trial.spec
    how = "bare" if spec.bare else "probed"
    where = f"trial {spec.number}, {spec.arm.value}, {how}, {shown.trial.outcome.value}"
    stood = throttled(shown.trial)
    under = f"; throttled in {stood}" if stood else ""
    left_out = shown.scene.lanes_left_out
    more = [tag("p", f"{counted(left_out, 'more process')} not drawn.")] if left_out else []
    tail = [tag("h3", "The end of its stderr"), tag("pre", shown.stderr_tail)] if shown.stderr_tail else []
    tables = [make(shown.scene, shown.trial) for make in (collectives_table, moments_table, shades_table)]
    return tag(
        "section",
        tag("h2", heading),
        tag("p", f"{where}{under}. Time is stretched where much happens in little of it.", class_="soft"),
        picture(shown.scene, title=f"Timelines of the ranks, {where}", prefix=f"t{spec.number}"),
        *more,
        _legend(),
        *named_part(shown.named),
        _folded("The same numbers as tables", *tables),
        *tail,
    )


def _legend() -> Markup:
    bars = [(_swatch(f"tl-{match.value}"), words) for match, words in BAR_WORDS.items()]
    shades = [(_swatch("tl-paused"), "held still: paused, or throttled by the quota")]
    marks = [(_symbol(*SHAPES[kind]), words) for kind, words in MARK_WORDS.items()]
    return tag("ul", *(tag("li", sign, words) for sign, words in [*bars, *shades, *marks]), class_="legend")


def _swatch(kind: str) -> Markup:
    box = tag("rect", class_=kind, x=1, y=1, width=22, height=12)
    return tag("svg", box, class_="tl", style="width:24px", width=24, height=14, aria_hidden="true")


def _symbol(kind: str, outline: str) -> Markup:
    inner = tag("svg", tag("path", class_=kind, d=outline), x=9, y=9, overflow="visible")
    return tag("svg", inner, class_="tl", style="width:18px", width=18, height=18, aria_hidden="true")


def _trials(replay: Replay) -> list[Markup]:
    bound = replay.bound
    rate = (
        f"{counted(bound.failures, 'failure')} in {counted(bound.trials, 'trial')} that count: a rate "
        f"between {100 * bound.rate_low_95:.1f} % and {100 * bound.rate_high_95:.1f} % (95 % confidence)."
    )
    matched = [f"{group}: {count}" for group, count in replay.explanation.matched.items()]
    shared = [tag("p", f"Matched collectives: {', '.join(matched)}.")] if matched else []
    flips = [sensitivity_table(replay.sensitivity)] if replay.sensitivity else []
    all_trials = _folded(f"All {len(replay.trials)} trials", trials_table(replay.trials))
    counts = [tag("p", rate), *shared, arms_table(replay.arms), tag("p", KINDS_OF_TRIALS, class_="soft")]
    none = [tag("p", f"No trial counts: {_why_none(replay)}.")]
    return [*(counts if bound.trials else none), *flips, all_trials]


def _why_none(replay: Replay) -> str:
    return next((one.reason for one in replay.trials if one.reason), "the test did not run")


def _decisions(replay: Replay) -> Markup:
    if not replay.decisions:
        return tag("p", "The plan wrote down no decision.")
    return tag("ol", *(tag("li", one) for one in replay.decisions))


def _folded(summary: str, *inside: Markup) -> Markup:
    return tag("details", tag("summary", summary), *inside)


def _how_to_check() -> Markup:
    return tag(
        "section",
        tag("h2", "Check it yourself"),
        tag("p", "This page stands in a folder with everything it was made of. In that folder:"),
        tag("pre", "flake-triage bundle verify .\nflake-triage bundle show .\nflake-triage bundle repeat ."),
        tag("p", "Verify compares every file with its digest, and computes the verdict and the cause again."),
    )
