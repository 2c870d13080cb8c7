"""What kind of thing went wrong, by the words of an exception or of a log line (CONTRACTS, 2)."""

import re
from collections.abc import Sequence

from app.domain.assertion import is_assertion
from app.domain.category import Category

_SCANNED_CHARS = 2_000

_LOST = r"(?:connection (?:closed by peer|reset by peer|refused)|ConnectionRe(?:set|fused)Error|broken ?pipe)"
_OF_TORCH = (
    r"(?:gloo|\bpair\.cc\b|\bc10d|TCPStore|ProcessGroup|torch\.distributed|rendezvous|\[rank ?\d{1,6}\])"
)
"""A lost connection is a matter of rendezvous only between ranks: any test may talk to a server."""

_RULES: tuple[tuple[Category, re.Pattern[str]], ...] = tuple(
    (category, re.compile("|".join(words), re.IGNORECASE))
    for category, words in (
        (Category.XPASS, (r"\[XPASS\(strict\)\]", r"unexpected success", r"^XPASS\b")),
        (
            Category.COLLECTIVE_MISMATCH,
            (r"mismatch between collectives", r"collectives? (?:type )?mismatch", r"CollectiveFingerPrint"),
        ),
        (
            Category.PORT_CONFLICT,
            (
                r"address already in use",
                r"EADDRINUSE",
                r"errno:? 98\b",
                r"failed to bind to",
                r"port \S{1,20} is already (?:in use|allocated)",
            ),
        ),
        (
            Category.INIT_RENDEZVOUS,
            (
                r"rendezvous",
                r"init_process_group",
                r"client socket has timed out",
                r"store->get",
                r"wait timeout after",
                r"connectFullMesh",
                r"timed out (?:initializing|creating) process group",
                r"TCPStore",
            ),
        ),
        (
            Category.OOM,
            (
                r"out of memory",
                r"OutOfMemory",
                r"^MemoryError\b",
                r"cannot allocate memory",
                r"std::bad_alloc",
                r"oom-?kill",
                r"\bSIGKILL\b",
                r"signal 9\b",
                r"exit code 137\b",
                r"exit(?:code|ed)?[ :=]{1,3}-9\b",
                r":\s{1,9}\d{1,9} Killed\s",
                r"^Killed$",
            ),
        ),
        (
            Category.CRASH_SIGNAL,
            (
                r"\bSIG(?:SEGV|ABRT|BUS|ILL|FPE)\b",
                r"segmentation fault",
                r"Fatal Python error",
                r"core dumped",
                r"terminate called",
                r"\bAborted\b",
                r"AddressSanitizer",
                r"worker '?gw\S{1,10} crashed",
                r"signal (?:4|6|7|8|11)\b",
                r"exit code 1(?:32|34|35|36|39)\b",
            ),
        ),
        (
            Category.WORKER_TERMINATED_SLOW,
            (
                r"terminated with signal SIGTERM",
                r"terminated (?:because|as) (?:it was )?(?:too )?slow",
                r"signal 15\b",
                r"exit code 143\b",
                r"exit(?:code|ed)?[ :=]{1,3}-15\b",
            ),
        ),
        (
            Category.INFRA,
            (
                r"no space left on device",
                r"could not resolve host",
                r"name resolution",
                r"received a shutdown signal",
                r"lost communication with the server",
                r"manifest (?:for \S{1,200} )?(?:unknown|not found)",
                r"toomanyrequests",
                r"rate limit exceeded",
                r"50[234] (?:bad gateway|service unavailable|gateway time-?out|server error)",
                r"operation was cancell?ed",
                r"error response from daemon",
                r"unable to access 'https?:",
                r"certificate verify failed",
                r"no route to host",
            ),
        ),
        (
            Category.TIMEOUT_HANG,
            (
                r"timed out",
                r"\btime-?out\b",
                r"TimeoutError",
                r"TimeoutExpired",
                r"Timeout \(?>",
                r"watchdog caught",
                r"deadline exceeded",
                r"took too long",
                r"^(?:_?queue\.)?Empty\b",
            ),
        ),
        (
            Category.INIT_RENDEZVOUS,
            (
                rf"{_OF_TORCH}.{{0,300}}{_LOST}",
                rf"{_LOST}.{{0,300}}{_OF_TORCH}",
                r"connection closed by peer \[",
                r"DistNetworkError",
                r"remote process exited",
            ),
        ),
    )
)
"""In this order: a named cause before its consequences, a crash before the time-outs that it brings on."""

_COLLECTION = re.compile(
    r"(?:ImportError|ModuleNotFoundError|SyntaxError|FixtureLookupError|UsageError|CollectError)$"
)


def categorise(type_name: str, message: str, *, collecting: bool = False) -> Category:
    """The category of one exception: `type_name` as printed, `message` its first lines, both unmasked.

    An assertion stays an assertion whatever words its values hold; only its message may name a time-out.
    """
    if is_assertion(type_name):
        named = categorise_line(message) if type_name.endswith("Failed") else None
        return named or Category.ASSERTION
    if collecting and _COLLECTION.search(type_name):
        return Category.COLLECTION
    found = categorise_line(f"{type_name}: {message}" if type_name else message)
    if found is not None:
        return found
    return Category.EXCEPTION if type_name else Category.UNKNOWN


def categorise_lines(lines: Sequence[str]) -> tuple[Category | None, str]:
    """The first category in the order of the rules that any line names, and that line; else `(None, "")`."""
    for category, pattern in _RULES:
        for line in lines:
            if pattern.search(line[:_SCANNED_CHARS]):
                return category, line
    return None, ""


def categorise_line(line: str) -> Category | None:
    """The category that one line of a log names, or None."""
    return categorise_lines([line])[0]
