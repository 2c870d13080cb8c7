"""What makes two findings of different commits the same one, wherever its line has moved to."""

import hashlib
import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence

from app.domain.lint.finding import LintFinding

WINDOW_UNITS = 100
MULTIPLIER = 37
MODULUS = 2**64
END_OF_FILE = 0xFFFF
BLANKS = frozenset({ord(" "), ord("\t")})
LINE_FEED = ord("\n")
UTF_16 = f"utf-16-{sys.byteorder[0]}e"
"""Those of GitHub's own fingerprint of a line: github/codeql-action, src/fingerprints.ts."""


def own_fingerprints(findings: Sequence[LintFinding], source: str) -> Iterator[str]:
    """One for each finding of a file: of its rule, its test (else the file) and the words of its line.

    The number behind it tells findings apart that are alike in all of these, in the order of the file.
    """
    lines = source.split("\n")
    seen: Counter[str] = Counter()
    for finding in findings:
        words = " ".join(lines[finding.line - 1].split())
        known = "\0".join((finding.rule, finding.test or finding.path, words))
        digest = hashlib.sha256(known.encode(errors="surrogatepass")).hexdigest()[:32]
        seen[digest] += 1
        yield f"{digest}:{seen[digest]}"


def line_hashes(source: str) -> list[str]:
    """GitHub's `primaryLocationLineHash` of each line, the one fingerprint that its code scanning goes by.

    A polynomial over a hundred UTF-16 units from the line's start on, blanks left out, and behind it which of
    the lines with that hash it is. The upload action computes it as well, and warns where ours differs.
    """
    units = _units(source)
    shift = pow(MULTIPLIER, WINDOW_UNITS, MODULUS)
    seen: Counter[int] = Counter()
    hashes = []
    value = 0
    for end, unit in enumerate(units):
        start = end - WINDOW_UNITS
        value = (value * MULTIPLIER + unit - (units[start] * shift if start >= 0 else 0)) % MODULUS
        if start == -1 or (start >= 0 and units[start] == LINE_FEED):
            seen[value] += 1
            hashes.append(f"{value:x}:{seen[value]}")
    return hashes


def _units(source: str) -> "array[int]":
    """The units that count, the end of the file behind them, and zeros behind that."""
    units = array("H", source.encode(UTF_16, errors="surrogatepass"))
    counted = array("H", (unit for unit in units if unit not in BLANKS))
    counted.append(END_OF_FILE)
    counted.extend([0] * (WINDOW_UNITS - 1))
    return counted
