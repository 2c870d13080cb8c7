"""What a test says of faults of ours, for a terminal and for the bundle's page."""

import shlex
from collections.abc import Iterator

from app.domain.injection import RULES, Answer, Grade, Injected, Shown
from worker.replay.bundle.markup import Markup, tag
from worker.replay.bundle.page_tables import table
from worker.replay.bundle.story import Line, Tone
from worker.replay.probe.inject import HANG

_WHERE = {
    Shown.PASSED: "passes in spite of it",
    Shown.NO_END: "does not end by itself",
    Shown.CUT_SHORT: "had not ended when our limit did",
    Shown.NOT_REACHED: "not reached: that rank was never seen there",
    Shown.NO_TRIAL: "was not run",
}
COLUMNS = ("fault", "grade", "its message names", "seconds", "left behind", "its message", "whole timeout")


def grade_word(grade: Grade | None) -> str:
    return "-" if grade is None else grade.value


def injected_lines(test: str, injected: Injected) -> Iterator[Line]:
    """The test with its grade, then a line for each fault."""
    tone = Tone.BAD if injected.grade in {Grade.D, Grade.E, Grade.F} else Tone.HEAD
    yield Line(f"{grade_word(injected.grade)}  {test}: {_lead(injected)}", tone)
    rows = [_cells(one) for one in injected.answers]
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(4)]
    for answer, row in zip(injected.answers, rows, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield Line(f"     {'  '.join(cells)}".rstrip())
        yield from (Line(f"         {one}", Tone.SOFT) for one in _beneath(answer))
    yield from (Line(f"     next: {step}") for step in next_steps(test, injected))


def next_steps(test: str, injected: Injected) -> Iterator[str]:
    """What would make the grade better; nothing where it is good already."""
    poor = [one for one in injected.answers if one.grade not in {None, Grade.A, Grade.B}]
    if any(one.fault.how != HANG for one in poor):
        file = shlex.quote(test.partition("::")[0])
        yield f"`flake-triage lint {file}` shows what hides a rank's error, with a mend for it"
    if any(one.fault.how == HANG for one in poor):
        yield (
            "give `init_process_group` a timeout shorter than the test itself waits; "
            "the ranks that wait for one that hangs then say so"
        )


def injected_part(test: str, injected: Injected | None) -> list[Markup]:
    """The page's section; nothing where no fault was put in."""
    if injected is None:
        return []
    rows = [(*_cells(one), _left(one), one.message or one.reason, one.waited) for one in injected.answers]
    rules = [(rule.grade.value, rule.text, rule.reason) for rule in reversed(RULES)]
    steps = [tag("li", step) for step in next_steps(test, injected)]
    told = [
        tag(
            "p",
            "A rank was made to fail on purpose, to see what the test says of it. A cause that is told below "
            "is that of the first such fault, and of no failure of the test's own.",
        ),
        *([table("Faults that were put in", COLUMNS, rows)] if rows else []),
        *([tag("p", "What would help:"), tag("ul", *steps)] if steps else []),
        tag(
            "details",
            tag("summary", "What the grades mean"),
            table("The first that holds, from F to A", ("grade", "when", "because"), rules),
        ),
    ]
    return [tag("section", tag("h2", "Faults of ours"), *told)]


def injected_lead(injected: Injected) -> Markup:
    """What the page begins with, in the place of a verdict that would rest on the controls alone."""
    word = f"grade {injected.grade.value}" if injected.grade else "no grade"
    return tag("p", tag("span", word, class_="verdict"), f": {_lead(injected)}", class_="lead")


def _lead(injected: Injected) -> str:
    passes = "" if injected.passes_in_s is None else f"; it passes in {injected.passes_in_s:.1f} s"
    worst = injected.worst
    if worst is None or worst.rule is None:
        return injected.ungraded + passes
    fault = "" if worst.grade is Grade.A else f" ({worst.fault.words})"
    return f"{worst.rule.text}{fault}{passes}"


def _left(answer: Answer) -> str:
    return "; ".join(answer.left) or ("nothing" if answer.seconds is not None else "")


def _cells(answer: Answer) -> tuple[str, ...]:
    seconds = "" if answer.seconds is None else f"{answer.seconds:.1f} s"
    return (answer.fault.words, grade_word(answer.grade), _named(answer), seconds)


def _named(answer: Answer) -> str:
    if answer.shown in _WHERE:
        return _WHERE[answer.shown]
    named = " and ".join(
        word for word, is_named in (("rank", answer.names_rank), ("cause", answer.names_cause)) if is_named
    )
    if answer.shown is Shown.OUTPUT:
        return f"{named or 'nothing'}; captured output has the cause"
    return named or "nothing"


def _beneath(answer: Answer) -> Iterator[str]:
    if answer.message or answer.reason:
        yield f"says: {answer.message}" if answer.message else answer.reason
    if answer.waited:
        ran_out = "had waited out" if answer.shown is Shown.CUT_SHORT else "takes its whole timeout:"
        yield f"{ran_out} {answer.waited}"
    for one in answer.left:
        yield f"left behind: {one}"
