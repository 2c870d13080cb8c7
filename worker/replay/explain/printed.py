"""Exceptions of a bare trial, as its workers printed them on the standard error that they share.

multiprocessing heads a worker's traceback with its name, `Process SpawnProcess-2:`; torch heads each line
with `[rank1]:`. A block counts only for a worker that did end with an exit code of its own. When it was
raised is not known: it is put at the worker's end, or at a crash's if it stands above the crash's words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from worker.replay.explain.lives import Lives, know_lives
from worker.replay.facts import Frame, Linked, Process, Raised, Seen, TrialFacts
from worker.replay.joined.last_words import CRASHES
from worker.replay.reading.project_files import is_of_project

_SCANNED_LINES: Final = 5_000
_MOST_FRAMES: Final = 200
_HEADER: Final = "Traceback (most recent call last):"
_CAUSE: Final = "The above exception was the direct cause of the following exception:"
_CONTEXT: Final = "During handling of the above exception, another exception occurred:"
_LAST_WORDS: Final = re.compile(r"terminate called|Fatal Python error: ")
_PROCESS: Final = re.compile(r"Process [A-Za-z]{0,40}Process-(\d{1,5}):$")
_RANK: Final = re.compile(r"\[rank(\d{1,5})\]: ?")
_FRAME: Final = re.compile(r'  File "([^"]{1,1000})", line (\d{1,9}), in (.{1,300})$')
_EXCEPTION: Final = re.compile(r"([A-Za-z_][\w.]{0,200})(?:: (.{0,2000}))?$")


@dataclass(frozen=True, slots=True)
class Block:
    """A traceback with what was printed above it; `number` is multiprocessing's, `rank` torch's own word.

    `above_crash`: a process spoke of its abort only below it.
    """

    number: int | None
    rank: int | None
    link: Linked
    above_crash: bool = False


def with_printed(facts: TrialFacts) -> TrialFacts:
    """The same facts, with the exceptions that were printed where no probe recorded any."""
    if not facts.bare or facts.raised or not facts.stderr_tail:
        return facts
    lives = know_lives(facts)
    workers = sorted(
        (one for one in lives.processes.values() if one.rank is not None and one.pid != facts.main),
        key=lambda one: (one.started, one.pid),
    )
    blocks = list(read_blocks(facts.stderr_tail))
    crashes = [one.t for one in lives.exits.values() if one.signal in CRASHES]
    raised = [
        _raised(pid, min([lives.exits[pid].t, *(crashes if block.above_crash else ())]), identity, block.link)
        for identity, block in enumerate(blocks, 1)
        if (pid := _owner(block, blocks, workers, lives)) is not None
    ]
    return replace(facts, raised=tuple(raised)) if raised else facts


def read_blocks(text: str) -> Iterator[Block]:
    """Each traceback with those that it was raised from; a text may begin in the middle of one."""
    number: int | None = None
    behind: tuple[str, Linked] | None = None
    lines = text.splitlines()[-_SCANNED_LINES:]
    last_words = max((at for at, line in enumerate(lines) if _LAST_WORDS.search(line)), default=-1)
    at = 0
    while at < len(lines):
        rank, line = _without_rank(lines[at])
        found = _PROCESS.match(line)
        if found is not None:
            number = int(found[1])
        if line != _HEADER:
            at += 1
            continue
        link, at = _read(lines, at + 1)
        if link is None:
            continue
        if behind is not None:
            how, inner = behind
            link = replace(link, cause=inner) if how == "cause" else replace(link, context=inner)
        chained, at_chain = _chain_line(lines, at)
        if chained:
            behind, at = (chained, link), at_chain
            continue
        yield Block(number, rank, link, above_crash=at <= last_words)
        number, behind = None, None


def _read(lines: Sequence[str], at: int) -> tuple[Linked | None, int]:
    frames: list[Frame] = []
    while at < len(lines):
        _, line = _without_rank(lines[at])
        at += 1
        found = _FRAME.match(line)
        if found is not None:
            frames.append(Frame(found[1], int(found[2]), found[3], in_project=is_of_project(found[1])))
        elif line and not line[0].isspace():
            said = _EXCEPTION.match(line)
            return (
                (Linked(said[1], said[2] or "", tuple(frames[-_MOST_FRAMES:])), at)
                if said
                else (None, at - 1)
            )
    return None, at


def _chain_line(lines: Sequence[str], at: int) -> tuple[str, int]:
    """How what is printed next was raised from this: "cause", "context" or "" for not at all."""
    while at < len(lines):
        _, line = _without_rank(lines[at])
        at += 1
        if line.strip():
            return {_CAUSE: "cause", _CONTEXT: "context"}.get(line.strip(), ""), at
    return "", at


def _without_rank(line: str) -> tuple[int | None, str]:
    found = _RANK.match(line)
    return (int(found[1]), line[found.end() :]) if found else (None, line)


def _owner(block: Block, blocks: Sequence[Block], workers: Sequence[Process], lives: Lives) -> int | None:
    failed = [one for one in workers if (lives.code_of(one.pid) or 0) > 0]
    if block.rank is not None:
        named = [one for one in failed if one.rank == block.rank]
    elif block.number is not None:
        named = [one for at, one in enumerate(workers, 1) if at == block.number and one in failed]
    else:
        named = failed if len(blocks) == 1 else []
    return named[0].pid if len(named) == 1 else None


def _raised(pid: int, t: int, identity: int, link: Linked) -> Raised:
    return Raised(
        t,
        pid,
        "MainThread",
        Seen.UNCAUGHT,
        link.type,
        link.message,
        identity,
        link.frames,
        link.cause,
        link.context,
    )
