"""The folder of one trial: what stands where, and how it is written and read again."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from app.domain.replay_words import CauseKind
from worker.replay.facts import Exit, Phase, Process, TrialFacts
from worker.replay.joined.crash_stacks import crash_stacks
from worker.replay.joined.last_words import tell_owners
from worker.replay.joined.merged import merge, signals_sent
from worker.replay.joined.ranks import name_ranks
from worker.replay.joined.told_phases import told_phases
from worker.replay.joined.tree import read_tree
from worker.replay.observed import Observed
from worker.replay.outside_events import read_events
from worker.replay.plain_json import NotThatShape, from_plain, to_plain
from worker.replay.reading.journals import read_journals
from worker.replay.reading.project_files import with_relative_files
from worker.replay.regular_file import read_bounded, read_tail
from worker.replay.trial import Explained, Explanation, Trial

TRIAL: Final = "trial.json"
OBSERVED: Final = "observed.json"
OUTSIDE: Final = "outside.jsonl"
JOURNALS: Final = "journals"
STDOUT: Final = "stdout.txt"
STDERR: Final = "stderr.txt"
JUNIT: Final = "junit.xml"

_RECORD_BYTES: Final = 64 << 20
_TAIL_BYTES: Final = 256 << 10
_CAPTURED: Final = " Captured stderr "
"""Part of the heading under which pytest prints what the test and its workers wrote."""


def write_trial(trial: Trial) -> None:
    """Write all but the explanation, which is computed from the facts, and where the folder itself is."""
    plain = to_plain(replace(trial, explanation=_UNEXPLAINED, folder=Path()))
    _write(trial.folder / TRIAL, plain)


def read_trial(folder: Path) -> Trial:
    """The trial as it was written, not explained. NotThatShape where it was not, or is damaged."""
    return replace(from_plain(Trial, _read(folder / TRIAL)), folder=folder)


def write_observed(folder: Path, observed: Observed) -> None:
    _write(folder / OBSERVED, to_plain(observed))


def read_observed(folder: Path) -> Observed:
    """NotThatShape where it was not written, or is damaged."""
    return from_plain(Observed, _read(folder / OBSERVED))


def read_facts(folder: Path) -> TrialFacts:
    """Everything known of the trial: journals joined with what was seen from outside.

    NotThatShape where the engine's own record of the trial is missing or damaged; journals may be in any
    state.
    """
    trial, observed = read_trial(folder), read_observed(folder)
    journals = read_journals(folder / JOURNALS, observed.project)
    tree = read_tree(read_events(folder / OUTSIDE), observed)
    shared = _shared_error_text(folder)
    words = "\n".join([shared, *observed.error_tails.values()])[-_TAIL_BYTES:]
    words = with_relative_files(words, observed.project)  # as journals name the project's files
    processes, exits = merge(tree, journals.processes, journals.exits, observed)
    stacks = crash_stacks(shared, exits, observed)
    return TrialFacts(
        bare=trial.spec.bare,
        began=observed.began,
        ended=observed.ended,
        main=observed.main or 0,
        processes=_told(name_ranks(processes, exits), exits, words),
        exits=exits,
        inits=journals.inits,
        teardowns=journals.teardowns,
        groups=journals.groups,
        collectives=journals.collectives,
        store_calls=journals.store_calls,
        raised=journals.raised,
        items=journals.items,
        sent=signals_sent(tree, journals.sent),
        stacks=tuple(sorted((*journals.stacks, *stacks), key=lambda one: one.t)),
        lock_waits=journals.lock_waits,
        phases=_phases(folder, observed, exits) if trial.spec.bare else journals.phases,
        pauses=observed.pauses,
        throttling=observed.throttling,
        survivors=observed.survivors,
        usage=trial.usage,
        stderr_tail=words,
        timed_out=observed.timed_out,
        ended_early_at=observed.ended_early_at,
        torn=journals.torn,
    )


_UNEXPLAINED: Final = Explanation(Explained(CauseKind.NONE))


def _phases(folder: Path, observed: Observed, exits: Sequence[Exit]) -> tuple[Phase, ...]:
    """Of a bare trial. Nothing of a run whose end nobody saw: its results may be of before it."""
    ended = next((one for one in exits if one.pid == observed.main), None)
    if ended is None:
        return ()
    results = read_bounded(folder / JUNIT, _RECORD_BYTES)
    return told_phases(results, pid=ended.pid, t=ended.t, project=observed.project)


def _told(processes: tuple[Process, ...], exits: tuple[Exit, ...], words: str) -> tuple[Process, ...]:
    told = tell_owners(words, exits)
    return tuple(replace(one, last_words=told.get(one.pid, one.last_words)) for one in processes)


def _shared_error_text(folder: Path) -> str:
    """Standard error as far as it reached us, then what pytest had captured of it."""
    parts = [read_tail(folder / STDERR, _TAIL_BYTES).decode("utf-8", "replace")]
    parts += _captured(read_tail(folder / STDOUT, _TAIL_BYTES).decode("utf-8", "replace"))
    return "\n".join(part for part in parts if part.strip())[-_TAIL_BYTES:]


def _captured(printed: str) -> list[str]:
    """The sections of pytest's report that hold captured standard error."""
    sections: list[str] = []
    is_inside = False
    for line in printed.splitlines():
        if line.startswith(("---", "===", "___")) and " " in line:
            is_inside = _CAPTURED in line
            if is_inside:
                sections.append("")
        elif is_inside:
            sections[-1] += line + "\n"
    return sections


def _write(path: Path, plain: object) -> None:
    """Whole or not at all: a name is given once all of it is on the disk."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(plain, ensure_ascii=True) + "\n", encoding="utf-8")
    part.rename(path)


def _read(path: Path) -> object:
    try:
        return json.loads(read_bounded(path, _RECORD_BYTES))
    except (ValueError, RecursionError) as error:
        raise NotThatShape(f"{path.name}: {error}") from error
