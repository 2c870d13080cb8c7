"""What a file is by its first bytes: a log, something that no results are in, or worth reading as results."""

import re
from typing import Final

HEAD_BYTES: Final = 64 * 1024
"""How much of a file is looked at."""

_STAMPED: Final = re.compile(
    rb"(?:[^\t\n]{1,300}\t[^\t\n]{1,300}\t)?"  # job and step, as the `gh` command prints a log
    rb"(?:\xef\xbb\xbf)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z[ \r\n]"
)
_RUNNER: Final = re.compile(rb"(?:\xef\xbb\xbf)?(?:##\[[a-z]{1,20}\]|Current runner version: )")
_SIGNS: Final = re.compile(
    rb"^(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d"  # a time stamp of a program's own
    rb"|={3,} (?:test session starts|FAILURES|ERRORS|short test summary info) ={3,}"
    rb"|.{0,200}Traceback \(most recent call last\):"
    rb"|.{0,200}\b(?:ERROR|FATAL|FAILED|WARNING|INFO|DEBUG|PASSED)\b"
    rb"|.{0,200}\b[A-Za-z_.]{0,100}(?:Error|Exception): "
    rb"|.{0,200}(?:Segmentation fault|core dumped|Killed|panicked at)"
    rb"|--- (?:FAIL|PASS|SKIP): |=== RUN |ok  \t|FAIL\t|panic: "
    rb"|\[(?:==========|  FAILED  |  PASSED  |       OK | RUN      )\]"
    rb"|test .{1,500} \.\.\. (?:ok|FAILED|ignored)"
    rb"|running \d{1,9} tests?$|Ran \d{1,9} tests? in )",
    re.MULTILINE,
)
_MARKUP: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<|\{|\[\s*[\[\]{\"])")  # XML, HTML or JSON
_NAMED: Final = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a gzip archive, which is not unpacked here"),
    (b"BZh", "a bzip2 archive, which is not unpacked here"),
    (b"\xfd7zXZ", "an xz archive, which is not unpacked here"),
    (b"(\xb5/\xfd", "a zstd archive, which is not unpacked here"),
    (b"7z\xbc\xaf", "a 7z archive, which is not unpacked here"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3", "a database"),
)
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")
_MOST_NULS: Final = 0.1
"""Share of a head's bytes; text has none, and a log into which a program wrote some binary has few."""


def is_job_log(head: bytes) -> bool:
    """What GitHub's runner stamped or marked is its log, even where a results file is printed in it."""
    return _STAMPED.match(head) is not None or _RUNNER.match(head) is not None


def has_signs_of_a_log(head: bytes) -> bool:
    """Whether text that is no results file speaks like a log of a test run or of one of its processes."""
    return _MARKUP.match(head) is None and _SIGNS.search(head) is not None


def why_binary(head: bytes) -> str | None:
    """Say what a file that is no text is; None for text, UTF-16 included."""
    named = next((name for start, name in _NAMED if head.startswith(start)), None)
    if named is not None:
        return named
    is_utf_16 = head.startswith(_UTF_16)
    return None if is_utf_16 or head.count(0) <= len(head) * _MOST_NULS else "binary, no text"
