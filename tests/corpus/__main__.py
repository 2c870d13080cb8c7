"""`make accept ONLY=corpus`: what reading makes of real files and logs and of reported bugs, one by one.

Real ones lie outside the repository, in the folder that FLAKE_TRIAGE_CORPUS names; without it only the
reported bugs are tried, whose inputs are written here. Exit 1 where anything is wrong.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import corpus_logs
import corpus_results
import reported_groups
import reported_junit
import reported_logs
from shown import Shown

NEAR = Path(__file__).parents[3] / "shared"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python tests/corpus", description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="print the wrong ones only")
    only_wrong = parser.parse_args(arguments).wrong
    corpus = Path(os.getenv("FLAKE_TRIAGE_CORPUS") or NEAR) / "corpus"
    totals = [_section(title, found, only_wrong=only_wrong) for title, found in _sections(corpus)]
    if not corpus.is_dir():
        sys.stdout.write(
            f"NOT PROVEN: no corpus at {corpus}; set FLAKE_TRIAGE_CORPUS to the folder above it\n"
        )
    wrong = sum(total - right for right, total in totals)
    right = sum(right for right, _ in totals)
    sys.stdout.write(f"together: {right} right, {wrong} wrong\n")
    return 1 if wrong else 0


def _sections(corpus: Path) -> Iterator[tuple[str, Iterable[Shown]]]:
    if corpus.is_dir():
        yield "results files of the index", corpus_results.shown(corpus / "junit")
        yield "logs of the index", corpus_logs.shown(corpus / "logs")
    yield "reported bugs of results files", reported_junit.shown()
    yield "reported bugs of logs", reported_logs.shown()
    yield "reported bugs of grouping that reading decides", reported_groups.shown()


def _section(title: str, found: Iterable[Shown], *, only_wrong: bool) -> tuple[int, int]:
    sys.stdout.write(f"{title}\n")
    right = total = 0
    for one in found:
        total += 1
        right += one.is_right
        if not (only_wrong and one.is_right):
            sys.stdout.write(f"  {'right' if one.is_right else 'WRONG'}  {one.name}: {one.words}\n")
            sys.stdout.flush()
    sys.stdout.write(f"  {right} of {total} right\n\n")
    return right, total


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
