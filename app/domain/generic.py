"""Which texts say nothing: captures so common that they must never link two tests or two jobs.

The best documented cause of wrong flake calls is a capture like "exit code 1" (reference: test-infra issues
4741, 5028, 5046, 5063).
"""

import re
from collections.abc import Iterable

from app.domain.failure_record import FailureRecord
from app.domain.masking import mask

NO_EVIDENCE = "the job failed, and neither results nor a log say why"
NO_TEST_NAMED = "the job failed without naming a test"
_PLACEHOLDERS = frozenset({NO_EVIDENCE, NO_TEST_NAMED})
"""Our own words where evidence is missing: two failures that lack it have nothing in common."""

_GENERIC = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:error: ?)?(?:the )?process .{0,60}(?:completed|exited|finished|failed|terminated) with .{0,60}",
        r"(?:exit|return)(?:ed)?(?: with)?[ _-]?(?:exit |error )?(?:code|status)?[ :=]{0,3}-?\d{1,10}",
        r"command .{0,500} (?:returned|died|exited|failed).{0,200}",
        r"make(?:\[.{1,10}\])?: \*\*\* .{0,300}",
        r"npm err!.{0,300}",
        r"(?:the )?(?:operation|run|job|workflow|task)?(?: was| has been)? ?cancell?ed\.?",
        r"(?:exception group )?traceback(?: \(most recent call last\))?:?",
        r"assert(?:ion)?(?: (?:not )?(?:false|true|none))?(?: is (?:not )?none)?",
        r"(?:expected )?(?:false|true) (?:is not|to be) (?:true|false)\.?(?: : .{0,200})?",
        r"(?:some |one or more )?(?:test|suite|check|build|step|job)?s?(?: ha[sv]e?)? ?(?:fail|err)\w{0,4}.?",
        r"an? (?:unknown |unexpected |unhandled )?(?:error|exception) (?:occurred|happened)[.!]?",
        r"(?:unknown |unexpected |internal )?(?:error|exception)[.!]?",
        r"(?:killed|terminated|aborted|interrupted|timed? ?out|shutdown|stopped)[.!]?",
        r"worker '?gw.{1,10} crashed while running .{1,1000}",
        r"(?:collection failure|undefined|n/?a|-)",
    )
)
_SOURCE = (
    r"(?:[ch]|cc|cpp|cxx|cu|cuh|hh|hpp|hxx|py|pyi|pyx|go|rs|[cm]?[jt]sx?|vue|java|kts?|scala|groovy|gradle|rb|cs|fs|vb"
    r"|swift|mm?|php|p[lm]|lua|exs?|erl|hs|mli?|dart|zig|toml|ya?ml|json|xml|md|rst|tex|sh|sql|proto|s?css|html|cmake)"
)
_PLACED_CAUSE = re.compile(
    rf"\w\.{_SOURCE}(?::\d{{1,7}}(?::\d{{1,7}}(?:-\d{{1,7}})?)?: ?|\(\d{{1,7}}(?:,\d{{1,7}})?\): ?"
    rf"|:\[\d{{1,7}},\d{{1,7}}\] )\S|--> \S{{1,300}}\.{_SOURCE}:\d",
    re.IGNORECASE,
)
"""How compilers and linters say what is wrong where: `a.c:3:5: e`, `a.ts(3,5): e`, `--> src/a.rs:3`."""
_VALUE = re.compile(r"(?:<\w{1,12}>|none|null|true|false|\W){1,50}", re.IGNORECASE)

_GENERIC_TYPES = frozenset(
    {"AssertionError", "Failed", "Exception", "BaseException", "Error", "SystemExit", "KeyboardInterrupt"}
)


def is_generic_line(masked: str) -> bool:
    """True for a masked line that would fit thousands of unrelated failures; true for an empty one."""
    line = masked.strip().strip("\"'`").removeprefix("##[error]").strip()
    return not line or line in _PLACEHOLDERS or any(pattern.fullmatch(line) for pattern in _GENERIC)


def is_placeholder(lines: Iterable[str]) -> bool:
    """True where nothing was told, or only by our own words for that."""
    return all(line.strip() in _PLACEHOLDERS for line in lines)


def says_nothing(record: FailureRecord, lines: Iterable[str]) -> bool:
    """True for a record whose message is generic, or that has none and no other mark of its own.

    An exception without words (`KeyError: 3`) still speaks by its type and place. A comparison of two values
    says nothing where neither its statement nor its place is shown. The last words of a job are no cause: one
    that failed without a test speaks only by an exception, or by a line that says what is wrong where; its
    cleaned `lines` are looked at for that.
    """
    type_name = record.chain[0].type.rpartition(".")[2]
    if not type_name:
        if record.test_base is None and not any(_PLACED_CAUSE.search(line[:1_000]) for line in lines):
            return True
        return not record.template
    line = mask(next((line for line in record.attributes.message.splitlines() if line.strip()), ""))
    if _VALUE.fullmatch(line) or not line.strip():
        return type_name in _GENERIC_TYPES or not record.frames
    if record.test_base is None and not record.frames and type_name in _GENERIC_TYPES:
        return True
    return is_generic_line(line) or (line.startswith("assert ") and not record.frames)
