"""The tables of a bundle's page: arms, trials, sensitivity, limits, and the numbers of a picture."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from worker.replay.bundle.markup import Markup, tag
from worker.replay.bundle.scene import Scene
from worker.replay.report import ArmCount, Sensitivity
from worker.replay.trial import Trial

MOST_ROWS = 600


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """A table that scrolls by itself where it is wider than the screen. The first cell names its row."""
    body: list[Markup] = []
    for row in rows:
        if len(body) == MOST_ROWS:
            note = f"More than {MOST_ROWS} rows; the bundle's files have them all."
            body.append(tag("tr", tag("td", note, colspan=len(columns))))
            break
        name, *cells = row
        body.append(tag("tr", tag("th", name, scope="row"), *(tag("td", cell) for cell in cells)))
    head = tag("tr", *(tag("th", column, scope="col") for column in columns))
    inside = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *body))
    return tag("div", inside, class_="scroll", tabindex="0", role="region", aria_label=caption)


def arms_table(arms: Sequence[ArmCount]) -> Markup:
    rows = [
        (
            one.arm.value,
            f"{one.bare_failures} of {one.bare_trials}" if one.bare_trials else "none ran",
            f"{one.probed_failures} of {one.probed_trials}" if one.probed_trials else "none ran",
            str(one.voids),
            f"{one.seconds:.1f}",
        )
        for one in arms
    ]
    return table("Failures by arm", ("arm", "bare", "probed", "void", "seconds"), rows)


def trials_table(trials: Sequence[Trial]) -> Markup:
    columns = (
        "number",
        "arm",
        "how",
        "outcome",
        "cause",
        "seconds",
        "peak MiB",
        "throttled",
        "seed",
        "reason",
    )
    return table("Trials in order", columns, [_trial_row(one) for one in trials])


def _trial_row(trial: Trial) -> tuple[str, ...]:
    usage = trial.usage
    peak = "" if usage.memory_peak_bytes is None else f"{usage.memory_peak_bytes / (1 << 20):.0f}"
    return (
        str(trial.spec.number),
        trial.spec.arm.value,
        "bare" if trial.spec.bare else trial.spec.inject or "probed",
        trial.outcome.value,
        trial.explanation.cause.kind.value,
        f"{trial.seconds:.2f}",
        peak,
        throttled(trial),
        str(trial.spec.seed),
        trial.reason,
    )


def throttled(trial: Trial) -> str:
    usage = trial.usage
    if not usage.periods or usage.throttled_periods is None:
        return ""
    return f"{usage.throttled_periods} of {usage.periods} periods"


def sensitivity_table(found: Sequence[Sensitivity]) -> Markup:
    rows = [
        (
            one.arm.value,
            f"{one.failures} of {one.trials}",
            f"{one.control_failures} of {one.control_trials}",
            f"{one.p:.3g}",
            one.text,
        )
        for one in found
    ]
    return table("Which limit flips the outcome", ("arm", "failed", "control failed", "p", "in words"), rows)


def limits_table(limits: Mapping[str, object]) -> Markup:
    """One row for each figure, named by its arm and what it belongs to."""
    return table("Limits, asked for and held", ("limit", "value"), list(_flat("", limits)))


def facts_table(caption: str, facts: Mapping[str, object]) -> Markup:
    return table(caption, ("what", "value"), [(name, _plain(value)) for name, value in facts.items()])


def cleanup_table(trials: Sequence[Trial]) -> Markup:
    """What was looked for after each trial; a row of zeros is a trial that left nothing."""
    rows = []
    for one in trials:
        found = asdict(one.cleanup)
        notes = found.pop("notes")
        rows.append((str(one.spec.number), *(str(count) for count in found.values()), "; ".join(notes)))
    columns = ("trial", "processes", "groups", "mounts", "ports", "paths", "notes")
    return table("What was left behind after each trial", columns, rows)


def collectives_table(scene: Scene, trial: Trial) -> Markup:
    rows = [
        (
            f"{bar.number}: {bar.name}",
            bar.group,
            "" if lane.rank is None else str(lane.rank),
            f"{bar.begins:.4f}",
            "never" if bar.is_open else f"{bar.ends:.4f}",
            bar.match.value + (", failed" if bar.has_failed else ""),
            bar.source.value,
            bar.site,
        )
        for lane in scene.lanes
        for bar in lane.bars
    ]
    columns = ("collective", "group", "rank", "in at s", "out at s", "between ranks", "seen by", "called at")
    return table(f"Collectives of trial {trial.spec.number}", columns, rows)


def moments_table(scene: Scene, trial: Trial) -> Markup:
    told = [(mark.at, lane.title, mark.kind.value, mark.words) for lane in scene.lanes for mark in lane.marks]
    rows = [(f"{at:.4f}", *rest) for at, *rest in sorted(told)]
    return table(f"Moments of trial {trial.spec.number}", ("at s", "process", "kind", "what"), rows)


def shades_table(scene: Scene, trial: Trial) -> Markup:
    rows = [
        (f"{one.begins:.4f}", f"{one.ends:.4f}", lane.title, one.words)
        for lane in scene.lanes
        for one in lane.shades
    ]
    return table(
        f"When a process of trial {trial.spec.number} was held still",
        ("from s", "to s", "process", "why"),
        rows,
    )


def _flat(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{name}, {key}" if name else str(key), inner)
    elif value not in (None, [], ()):
        yield name, _plain(value)


def _plain(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return "; ".join(_plain(one) for one in value)
    return "not set" if value is None else str(value)
