"""The step's summary as Markdown: what failed where, what the ranks did, what to do, and what held here.

Hostile text goes through `app/domain/markdown.py` only. The whole stays within what GitHub takes.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from app.domain.markdown import block, code, cut_bytes, inline
from app.domain.replay_words import FindingKind
from app.domain.wording import counted
from worker.commands.in_job.advice import advice, verdict_word, window
from worker.commands.in_job.prose import prose
from worker.commands.in_job.source_advice import hidden, mend, window_in
from worker.commands.in_job.timeline import timeline
from worker.commands.in_job.told import JobReport, Replayed
from worker.replay.report import Replay
from worker.replay.trial import Trial

LIMIT_BYTES: Final = 1000 * 1024
"""GitHub refuses a step's summary of more than 1024 KiB, all of it."""
MOST_ROWS: Final = 200
MOST_FRAMES: Final = 8
_TEST_BYTES: Final = 80 * 1024
_FOLDED_BYTES: Final = 20 * 1024
_ROOM_FOR_THE_END: Final = 80 * 1024
HIDES: Final = frozenset(
    {FindingKind.UNREAD_REPORT, FindingKind.REPORT_NOT_SHOWN, FindingKind.INIT_OUTSIDE_TRY}
)
ENDED: Final = "The step ended before it was done."


def summary(report: JobReport, *, limit_bytes: int = LIMIT_BYTES) -> str:
    """At most so many bytes. Tests that find no room are named and counted, never dropped in silence."""
    head, tail = "\n\n".join(_head(report)), "\n\n".join(_tail(report))
    room = limit_bytes - len(head.encode()) - min(len(tail.encode()), _ROOM_FOR_THE_END) - 200
    parts = []
    for number, one in enumerate(report.replayed):
        told = _told(one, report)
        room -= len(told.encode()) + 2
        if room < 0:
            parts.append(f"{counted(len(report.replayed) - number, 'more test')} in the evidence.")
            break
        parts.append(told)
    whole = "\n\n".join(part for part in (head, *parts, cut_bytes(tail, _ROOM_FOR_THE_END)) if part) + "\n"
    return cut_bytes(whole, limit_bytes)


def _head(report: JobReport) -> Iterator[str]:
    yield "## flake-triage: why it failed"
    if report.red:
        yield (
            f"{counted(report.red, 'red test')}, {len(report.replayed)} of them replayed on this runner "
            f"within {report.budget_s:.0f} s. The job's own result is not changed by it."
        )
    if not report.is_ended:
        yield f"**{ENDED}**"
    yield from (f"> {prose(note)}" for note in report.notes)


def _told(one: Replayed, report: JobReport) -> str:
    """What is cut leaves whole what is folded: an open `<details>` would hide all tests after it."""
    shown = cut_bytes("\n\n".join(_test(one, report)), _TEST_BYTES)
    details = "\n\n".join(_details(one.replay))
    return f"{shown}\n\n{_folded('Trials and what else was found', details)}" if details else shown


def _test(one: Replayed, report: JobReport) -> Iterator[str]:
    replay, cause = one.replay, one.replay.explanation.cause
    yield f"### {code(replay.test, 300)}"
    yield f"**{verdict_word(replay)}**: {prose(replay.sentence)}"
    if cause.sentence:
        whose = "" if cause.rank is None else f", rank {cause.rank}"
        yield f"**{cause.kind.value}{whose}**: {inline(cause.sentence, 2000)}"
    if cause.exception is not None:
        yield block("\n".join(_raised(replay)), limit_bytes=8000)
    bounds = [f"- {inline(bound)}" for bound in window(cause)]
    if bounds:
        yield "A mend must stand\n\n" + "\n".join(bounds)
    if one.sources.mend is not None:
        yield window_in(one.sources.mend)
    first, *others = advice(replay)
    todo = [first, *mend(one), *hidden(one), *others, *_commands(one), *_evidence(replay, report)]
    yield "**What to do**\n\n" + "\n".join(f"- {told}" for told in todo)
    yield from _timeline(one)


def _raised(replay: Replay) -> Iterator[str]:
    thrown = replay.explanation.cause.exception
    assert thrown is not None
    own = [frame for frame in thrown.frames if frame.in_project] or list(thrown.frames)
    for frame in own[-MOST_FRAMES:]:
        source = f": {frame.source}" if frame.source else ""
        yield f"{frame.file}:{frame.line} in {frame.function}{source}"
    yield f"{thrown.type}: {thrown.message}" if thrown.message else thrown.type
    link, how = (thrown.cause, "its cause") if thrown.cause else (thrown.context, "while this was handled")
    if link is not None:
        yield f"{how}: {link.type}: {link.message}"


def _commands(one: Replayed) -> Iterator[str]:
    """What to type on one's own machine. The name is quoted for the shell before it is for Markdown."""
    replay = one.replay
    node = shlex.quote(replay.test)
    if not one.sources.is_opaque and any(found.kind in HIDES for found in replay.findings):
        file = shlex.quote(replay.test.partition("::")[0])
        yield f"By line, what hides the cause in this file: {code(f'flake-triage lint {file}', 500)}"
    yield f"On your machine: {code(f'flake-triage replay {node} --out evidence', 500)}"


def _evidence(replay: Replay, report: JobReport) -> Iterator[str]:
    if replay.bundle is not None:
        show = f"flake-triage bundle show {shlex.quote(replay.bundle.name)}"
        yield f"Its evidence is in {_artifact(report)}; in that, downloaded and unpacked: {code(show, 500)}"


def _artifact(report: JobReport) -> str:
    return f"the artifact {code(report.artifact)}" if report.artifact else "the step's artifact"


def _timeline(one: Replayed) -> Iterator[str]:
    if one.scene is None or one.failed is None:
        return
    table = timeline(one.scene, one.replay.explanation.cause.rank)
    if table:
        spec = one.failed.spec
        how = "bare" if spec.bare else "probed"
        yield f"**What the ranks did** (trial {spec.number}, {spec.arm.value}, {how}; seconds since it began)"
        yield table


def _details(replay: Replay) -> Iterator[str]:
    found = [f"- {one.kind.value}: {inline(one.text)}" for one in replay.findings]
    found += [f"- another failure, {one.kind.value}: {inline(one.sentence)}" for one in replay.collateral]
    found += [f"- then {inline(one)}" for one in replay.explanation.cause.consequences]
    matched = [f"{count} on {inline(group)}" for group, count in replay.explanation.matched.items()]
    found += [f"- collectives that all ranks entered: {', '.join(matched)}"] if matched else []
    if found:
        yield "\n".join(found)
    rows = [
        (
            one.arm.value,
            f"{one.bare_failures} of {one.bare_trials}",
            f"{one.probed_failures} of {one.probed_trials}",
            str(one.voids),
            f"{one.seconds:.0f} s",
        )
        for one in replay.arms
    ]
    if rows:
        yield _table(("arm", "failed bare", "failed probed", "void", "time"), rows)
    reasons = dict.fromkeys(one.reason for one in replay.trials if one.reason and not one.outcome.counts)
    yield from (f"No trial: {inline(one)}" for one in list(reasons)[:3])


def _tail(report: JobReport) -> Iterator[str]:
    if report.not_tried:
        yield f"### Not tried: {counted(len(report.not_tried), 'test')}"
        yield _named(("test", "why"), report.not_tried)
    if report.unread:
        yield f"### Not read: {counted(len(report.unread), 'results file')}"
        yield _named(("file", "why"), report.unread)
    trials = [trial for one in report.replayed for trial in one.replay.trials]
    if trials:
        yield "### What this runner could hold"
        yield from _limits(trials)
        yield (
            f"The evidence of each test is a bundle, a folder in {_artifact(report)}: "
            "`flake-triage bundle show FOLDER` tells it, `flake-triage bundle verify FOLDER` checks its "
            "digests and judges it again, and `page.html` in it has the picture."
        )


def _limits(trials: Sequence[Trial]) -> Iterator[str]:
    """Once for each way the limits were held."""
    held = list(dict.fromkeys(one.held for one in trials))
    rows = [
        (
            one.by,
            one.cpus.value,
            one.memory.value,
            one.processes.value,
            "none: the job's own rights" if one.isolation == "none" else one.isolation,
        )
        for one in held
    ]
    yield _table(("limits by", "CPU", "memory", "processes", "isolation"), list(dict.fromkeys(rows)))
    notes = list(dict.fromkeys(note for one in held for note in one.notes))
    if notes:
        yield "\n".join(f"- {prose(note)}" for note in notes[:20])


def _named(columns: Sequence[str], told: Mapping[str, str]) -> str:
    rows = [
        (inline(name, 300), prose(why, 300, in_table=True)) for name, why in list(told.items())[:MOST_ROWS]
    ]
    left = len(told) - len(rows)
    return _table(columns, [*rows, *([(f"and {left} more", "")] if left else [])])


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Of cells that are Markdown already and hold no line end and no bare pipe."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _folded(title: str, inside: str) -> str:
    if len(inside.encode()) > _FOLDED_BYTES:
        whole_lines, _, _ = cut_bytes(inside, _FOLDED_BYTES).rpartition("\n")
        inside = f"{whole_lines}\n\nMore in the evidence."
    return f"<details><summary>{title}</summary>\n\n{inside}\n\n</details>"
