"""Does a failing test's own message name the rank that failed, and why? Read from its text alone."""

import re
from collections.abc import Iterator
from typing import Final

from app.domain.injection import Fault
from worker.replay.probe.inject import EXIT, EXIT_CODE, HANG, KILL, RAISE

MOST_CHARS: Final = 1 << 20
_ERROR: Final = re.compile(r"E   ?(.*)")
_TRACEBACK_LINE: Final = re.compile(r'\s*File ".{1,1000}", line \d{1,9}')
_LATE: Final = re.compile(
    r"tim(?:ed|e) ?-?out|did(?: not|n't)|has(?: not|n't)|never|slow|still|alive|missing|hang|hung|stuck"
    r"|no (?:report|result|answer|reply)|not (?:report|join|finish|exit|end|arrive|respond|come)"
    r"|fail(?:ed|s)? to (?:pass|report|join|reach|arrive|respond|finish|exit|come)"
    r"|within|deadline|unresponsive|waiting for",
    re.IGNORECASE,
)
_KILLED: Final = re.compile(
    r"SIGKILL|(?<![\w.-])-9(?![\w.])|signal 9\b|\bkilled\b|(?<![\w.-])137(?![\w.])", re.IGNORECASE
)
_CODE: Final = re.compile(rf"(?<![\w.-]){EXIT_CODE}(?![\w.])")
_ONE: Final = re.compile(
    r"exit(?:ed)?[ _]?(?:with )?(?:status |code |value )*(?:code|status)?\W{0,3}1(?![\w.])", re.IGNORECASE
)
_CODES: Final = {RAISE: ("1",), EXIT: (str(EXIT_CODE),), KILL: ("-9", "137"), HANG: ("None",)}
"""How each fault is read in a list of exit codes; None is a process that has not ended."""
_LIST: Final = re.compile(r"\[(?:-?\d{1,5}|None)(?:, (?:-?\d{1,5}|None)){1,255}\]")
_OTHERS: Final = r"(?:\d{1,6}(?:, ?| and |, and )){0,64}"
_PROCESS: Final = r"\b(?:process|worker|proc|child|node|replica|trainer|shard)(?:\s{1,3}#?|[\[:=]\s?)"
"""As torch's spawn has it, `process 1`; `Process-1` is multiprocessing's name for the first of all."""


def spoken(message: str, text: str) -> str:
    """What the failure says, without the source code that pytest and tracebacks show around it."""
    lines = text[:MOST_CHARS].splitlines()
    errors = [found[1] for line in lines if (found := _ERROR.fullmatch(line))]
    if not errors:  # another style of pytest's, or no traceback at all
        errors = [line for line in lines if not line.startswith("    ")]
    return "\n".join(_without_source([*message[:MOST_CHARS].splitlines(), *errors]))


def names_rank(said: str, fault: Fault) -> bool:
    """Whether it names the fault's rank. The fault's own text, which may hold its number, does not count."""
    said = said.replace(fault.text, "") if fault.text else said
    return bool(_naming(fault.rank, others=_OTHERS).search(said)) or _by_position(said, fault)


def names_cause(said: str, fault: Fault) -> bool:
    """The raised text, the exit code or the signal; of a hang, that it is this rank that did not come.

    A rank that raises at its exit can tell its parent no more than exit code 1.
    """
    if fault.how == RAISE:
        is_coded = fault.at == EXIT and bool(_ONE.search(said) or _by_position(said, fault))
        return fault.text in said or is_coded
    if fault.how == EXIT:
        return bool(_CODE.search(said))
    if fault.how == KILL:
        return bool(_KILLED.search(said))
    return _says_who_is_late(said, fault.rank) or _by_position(said, fault)


def telling_line(said: str, fault: Fault) -> str:
    """The first line that names the cause, else the rank, else the first of all."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    for names in (names_cause, names_rank):
        for line in lines:
            if names(line, fault):
                return line
    return next(iter(lines), "")


def _says_who_is_late(said: str, rank: int) -> bool:
    """In a line of its own words on this rank; a message that says the same of another singles out none.

    Below a message pytest shows the values of what was asserted once more, which are then no words of it.
    """
    ours, anyone = _naming(rank), _naming(None)
    found = [line for line in said.splitlines() if _LATE.search(line) and anyone.search(line)]
    late = [line for line in found if not line.lstrip().startswith("assert ")] or found
    return bool(late) and all(ours.search(line) for line in late)


def _naming(rank: int | None, *, others: str = "") -> re.Pattern[str]:
    """`rank 1`, `rank=1`, `'rank': 1`, `[rank1]`, `local_rank: 1`; of a list of ranks with `others` any."""
    number = r"\d{1,6}" if rank is None else str(rank)
    told = (
        rf"\b(?:local_|global_)?ranks?(?:_id)?[^\w\n-]{{0,12}}(?:is |was )?{others}{number}(?![\d.]\d|\d)"
        rf"|\branks?_?{number}(?!\d)"
        rf"|{_PROCESS}{others}{number}(?![\d.]\d|\d)"
    )
    return re.compile(told, re.IGNORECASE)


def _by_position(said: str, fault: Fault) -> bool:
    """In a list of exit codes, or in what differs in it: the fault's own at the rank's place alone."""
    wanted = _CODES[fault.how]
    for found in _LIST.finditer(said):
        codes = found[0][1:-1].split(", ")
        if fault.rank < len(codes) and codes[fault.rank] in wanted:
            return sum(code in wanted for code in codes) == 1
    told = "|".join(map(re.escape, wanted))
    return bool(
        re.search(rf"index {fault.rank} diff: (?:{told}) != |[{{ ]{fault.rank}: (?:{told})[,}}]", said)
    )


def _without_source(lines: list[str]) -> Iterator[str]:
    """Below a traceback's `File` line stand its source, and marks under that, each further in."""
    depth: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if depth is not None and line.strip() and indent > depth:
            continue
        depth = indent if _TRACEBACK_LINE.match(line) else None
        if depth is None:
            yield line
