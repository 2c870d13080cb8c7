"""The ranks' timelines as one SVG picture, as wide as the place it stands in.

Its x coordinates are percents and its text has a size of its own, so it is as readable at 320 pixels as on a
wall; nothing in it is told by colour alone, and a table beside it has the same numbers.
"""

from collections.abc import Iterator, Sequence

from worker.replay.bundle.lane_marks import Mark, MarkKind
from worker.replay.bundle.markup import Markup, tag, verbatim
from worker.replay.bundle.scene import Bar, Lane, Link, Match, Scene
from worker.replay.bundle.time_scale import TimeScale
from worker.replay.facts import Source

TOP = 24
LABEL = 16
BAND = 24
THIN = 10
WORDS = 15
MOST_WORDS = 1  # of a lane: the first collective that did not match is told by name
GAP = 14
AXIS = 30
TICKS = 5
FEWEST_DIGITS, MOST_DIGITS = 3, 7
LONGEST_LABEL = 38
ROOM_FOR_WORDS = 50.0  # percent; words that begin further right are written towards the left

STYLE = """
.tl { --tl-ink:#1c1f23; --tl-soft:#5a6069; --tl-line:#cfcbc3; --tl-lane:#f3f1ed; --tl-good:#1d7a46;
  --tl-bad:#b3261e; --tl-shade:#8f5b00; display:block; width:100%; overflow:visible; color:var(--tl-ink);
  font:12px system-ui,sans-serif; }
@media (prefers-color-scheme: dark) { .tl { --tl-ink:#e7e5e0; --tl-soft:#a3a8b0; --tl-line:#444b55;
  --tl-lane:#22262c; --tl-good:#6fd097; --tl-bad:#ff8a80; --tl-shade:#f0bf62; } }
.tl text { fill:var(--tl-ink); }
.tl .tl-soft { fill:var(--tl-soft); }
.tl .tl-lane { fill:var(--tl-lane); }
.tl .tl-axis { stroke:var(--tl-line); }
.tl .tl-link { stroke:var(--tl-soft); stroke-opacity:.55; }
.tl .tl-link-different { stroke:var(--tl-bad); stroke-width:2; stroke-dasharray:5 3; }
.tl .tl-matched { fill:var(--tl-good); stroke:var(--tl-good); }
.tl .tl-unknown { fill:var(--tl-soft); stroke:var(--tl-soft); }
.tl .tl-alone { fill:url(#tl-stripes); stroke:var(--tl-bad); stroke-width:2; }
.tl .tl-different { fill:url(#tl-dashes); stroke:var(--tl-bad); stroke-width:2; stroke-dasharray:5 3; }
.tl .tl-stripe { stroke:var(--tl-bad); stroke-width:2; }
.tl .tl-paused, .tl .tl-throttled { fill:url(#tl-dots); stroke:none; }
.tl .tl-dot { fill:var(--tl-shade); }
.tl .tl-split { stroke:var(--tl-bad); stroke-width:2; stroke-dasharray:6 4; }
.tl .tl-bad { fill:var(--tl-bad); stroke:var(--tl-lane); }
.tl text.tl-bad { stroke:var(--tl-lane); stroke-width:4; paint-order:stroke; font-weight:600; }
.tl .tl-mark { fill:var(--tl-lane); stroke:var(--tl-ink); stroke-width:1.5; }
"""

SHAPES = {
    MarkKind.INIT: ("tl-mark", "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"),
    MarkKind.DESTROY: ("tl-mark", "M-4 -4h8v8h-8z"),
    MarkKind.QUEUE: ("tl-mark", "M-6 -4h12v8h-12zM-6 -4l6 5l6 -5"),
    MarkKind.EXCEPTION: ("tl-bad", "M0 -8l8 14h-16z"),
    MarkKind.SIGNAL: ("tl-bad", "M0 -8l7 8l-7 8l-7 -8z"),
    MarkKind.CRASH: ("tl-bad", "M-7 -4l3 -3l4 4l4 -4l3 3l-4 4l4 4l-3 3l-4 -4l-4 4l-3 -3l4 -4z"),
    MarkKind.EXIT: ("tl-mark", "M-2 -9h4v18h-4z"),
}
"""Class and outline by kind, around the point where it stands."""

ODD = {Match.ALONE, Match.DIFFERENT}

PATTERNS = verbatim(
    '<defs><pattern id="tl-stripes" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><path class="tl-stripe" d="M0 0V6"/></pattern>'
    '<pattern id="tl-dashes" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<path class="tl-stripe" d="M0 3H6"/></pattern>'
    '<pattern id="tl-dots" width="5" height="5" patternUnits="userSpaceOnUse">'
    '<circle class="tl-dot" cx="1.5" cy="1.5" r="1.2"/></pattern></defs>'
)


def picture(scene: Scene, *, title: str, prefix: str = "tl", is_alone: bool = False) -> Markup:
    """Draw a scene. `is_alone`: for a file of its own, with the style and patterns that a page would bring.

    `prefix` keeps the names of two pictures of one page apart.
    """
    drawing = _Drawing(scene)
    return tag(
        "svg",
        *([tag("style", verbatim(STYLE)), PATTERNS] if is_alone else []),
        tag("title", title, id=f"{prefix}-title"),
        tag("desc", described(scene), id=f"{prefix}-desc"),
        *drawing.parts(),
        xmlns="http://www.w3.org/2000/svg",
        class_="tl",
        role="img",
        aria_labelledby=f"{prefix}-title {prefix}-desc",
        width="100%",
        height=drawing.height,
    )


def described(scene: Scene) -> str:
    """The picture in words, for who does not see it."""
    bars = [bar for lane in scene.lanes for bar in lane.bars]
    odd = [bar for bar in bars if bar.match in ODD]
    told = f"{len(scene.lanes)} processes over {scene.seconds:.2f} s, {len(bars)} collectives in their lanes"
    split = (
        f" The ranks part at {scene.divergence.at:.3f} s: {scene.divergence.words}."
        if scene.divergence
        else ""
    )
    return f"{told}, {len(odd)} of them not matched.{split} The table below has the same numbers."


class _Drawing:
    """The parts of a picture, from back to front."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._scale = TimeScale.of(scene.seconds, _moments(scene))
        self._tops: list[int] = []
        y = TOP
        for lane in scene.lanes:
            self._tops.append(y + LABEL)
            y += LABEL + BAND + (THIN if _has_thin(lane) else 0) + (WORDS if _odd(lane) else 0) + GAP
        self._bottom = y
        self.height = y + AXIS

    def parts(self) -> Iterator[Markup]:
        for index, lane in enumerate(self._scene.lanes):
            yield from self._ground(lane, self._tops[index])
        for link in self._scene.links:
            yield self._link(link)
        for index, lane in enumerate(self._scene.lanes):
            for bar in lane.bars:
                yield self._bar(bar, self._tops[index])
            below = self._tops[index] + BAND + (THIN if _has_thin(lane) else 0)
            for bar in _odd(lane):
                yield self._words(bar.begins, below + WORDS - 3, f"{bar.number}: {bar.name}", "tl-bad")
            for mark in lane.marks:
                yield self._mark(mark, self._tops[index])
        yield from self._split()
        yield from self._axis()

    def _ground(self, lane: Lane, top: int) -> Iterator[Markup]:
        left_out = f", {lane.left_out} earlier collectives are not drawn" if lane.left_out else ""
        label = lane.title + left_out
        shown = label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"
        yield tag("text", shown, tag("title", label), x=0, y=top - 4)
        yield self._box("tl-lane", lane.begins, lane.ends, top, BAND, label)
        for shade in lane.shades:
            yield self._box(f"tl-{shade.kind}", shade.begins, shade.ends, top, BAND, shade.words)

    def _bar(self, bar: Bar, top: int) -> Markup:
        is_thin = bar.source is Source.FLIGHT_RECORDER
        y, height = (top + BAND + 1, THIN - 3) if is_thin else (top + 4, BAND - 8)
        return self._box(f"tl-{bar.match.value}", bar.begins, bar.ends, y, height, bar_words(bar))

    def _link(self, link: Link) -> Markup:
        y = (self._y(link.upper, link.bar, is_upper=True), self._y(link.lower, link.bar, is_upper=False))
        kind = "tl-link-different" if link.bar.match is Match.DIFFERENT else "tl-link"
        return tag(
            "line",
            tag("title", f"{link.bar.name}, number {link.bar.number} on {link.bar.group}"),
            class_=kind,
            x1=self._percent(link.upper_at),
            y1=y[0],
            x2=self._percent(link.lower_at),
            y2=y[1],
        )

    def _y(self, lane: int, bar: Bar, *, is_upper: bool) -> int:
        if bar.source is Source.FLIGHT_RECORDER:
            return self._tops[lane] + BAND + (THIN - 2 if is_upper else 1)
        return self._tops[lane] + (BAND - 4 if is_upper else 4)

    def _mark(self, mark: Mark, top: int) -> Markup:
        kind, outline = SHAPES[mark.kind]
        words = f"{mark.at:.3f} s: {mark.words}"
        shape = tag("path", tag("title", words), class_=kind, d=outline)
        return tag("svg", shape, x=self._percent(mark.at), y=top + BAND // 2, overflow="visible")

    def _split(self) -> Iterator[Markup]:
        split = self._scene.divergence
        if split is None:
            return
        x = self._percent(split.at)
        title = tag("title", split.words)
        yield tag("line", title, class_="tl-split", x1=x, y1=TOP - 8, x2=x, y2=self._bottom)
        yield self._words(split.at, TOP - 10, "here the ranks part", "tl-bad")

    def _axis(self) -> Iterator[Markup]:
        yield tag("line", class_="tl-axis", x1=0, y1=self._bottom, x2="100%", y2=self._bottom)
        places = [100 * index / TICKS for index in range(TICKS + 1)]
        for place, at in zip(places, tick_words([*map(self._scale.moment, places)]), strict=True):
            anchor = "start" if place == 0 else "end" if place == places[-1] else "middle"
            yield tag("text", at, class_="tl-soft", x=f"{place:g}%", y=self._bottom + 16, text_anchor=anchor)

    def _words(self, at: float, y: int, words: str, kind: str) -> Markup:
        place = self._scale.place(at)
        is_left = place > ROOM_FOR_WORDS
        x, dx = f"{place:.2f}%", (-5 if is_left else 5)
        return tag("text", words, class_=kind, x=x, dx=dx, y=y, text_anchor="end" if is_left else "start")

    def _box(self, kind: str, begins: float, ends: float, y: int, height: int, words: str) -> Markup:
        left, right = self._scale.place(begins), self._scale.place(ends)
        width = f"{max(right - left, 0):.2f}%"
        title = tag("title", words)
        return tag("rect", title, class_=kind, x=f"{left:.2f}%", y=y, width=width, height=height)

    def _percent(self, moment: float) -> str:
        return f"{self._scale.place(moment):.2f}%"


def tick_words(moments: Sequence[float]) -> list[str]:
    """Seconds with as few digits as tell them apart: two ticks may stand milliseconds from each other."""
    told: list[str] = []
    for digits in range(FEWEST_DIGITS, MOST_DIGITS + 1):
        told = [f"{moment:.{digits}g} s" for moment in moments]
        if len(set(told)) == len(set(moments)):
            break
    return told


def bar_words(bar: Bar) -> str:
    """All that is known of a collective, on one line."""
    ended = "never came back" if bar.is_open else f"took {1000 * (bar.ends - bar.begins):.1f} ms"
    failed = ", failed" if bar.has_failed else ""
    site = f", {bar.site}" if bar.site else ""
    return f"{bar.name}, number {bar.number} on {bar.group}: {bar.match.value}, {ended}{failed}{site}"


def _odd(lane: Lane) -> list[Bar]:
    return [bar for bar in lane.bars if bar.match in ODD][:MOST_WORDS]


def _has_thin(lane: Lane) -> bool:
    return any(bar.source is Source.FLIGHT_RECORDER for bar in lane.bars)


def _moments(scene: Scene) -> Iterator[float]:
    for lane in scene.lanes:
        yield from (lane.begins, lane.ends)
        for bar in lane.bars:
            yield from (bar.begins, bar.ends)
        yield from (mark.at for mark in lane.marks)
