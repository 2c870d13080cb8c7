"""Job logs as runners write them, of any length: set-up, a build, a long verbose session, its failures."""

from collections.abc import Iterator
from pathlib import Path

_START = """\
Current runner version: '2.325.0'
##[group]Operating System
Ubuntu
##[endgroup]
##[group]Run actions/checkout@v4
HEAD is now at 1a2b3c4 Merge 5d6e7f8a into 9a0b1c2d
##[endgroup]
##[group]Run make && pytest -v
\x1b[36;1mmake && pytest -v\x1b[0m
##[endgroup]
"""
_BLOCK = """\
cc -O2 -g -Wall -c -o build/module_{0}.o src/module_{0}.c
src/module_{0}.c:{0}:12: warning: unused variable 'seen' [-Wunused-variable]
Downloading package-{0}.0.1-py3-none-any.whl (12 kB)
2026-05-11 09:14:02,013 INFO worker {0}: step done in 0.{0} s, queue holds 12 messages, nothing is late
tests/package/test_module_{0}.py::TestThing::test_behaves[{0}-cpu] PASSED                        [ 42%]
tests/package/test_module_{0}.py::TestThing::test_behaves[{0}-gpu] SKIPPED (no gpu)              [ 42%]
[rank1]: DEBUG all_reduce of 4096 elements took 0.{0} ms on group 0 after barrier {0} of this epoch
"""
_SESSION = "============================= test session starts =============================="
_END = """\
=================================== FAILURES ===================================
_________________________ TestThing.test_total[7-cpu] __________________________

    def test_total(self):
>       assert combine(parts) == 3
E       assert 2 == 3

tests/package/test_module_7.py:41: AssertionError
=========================== short test summary info ============================
FAILED tests/package/test_module_7.py::TestThing::test_total[7-cpu] - assert 2 == 3
=============== 1 failed, 400 passed, 400 skipped in 1234.50s (0:20:34) ================
##[error]Process completed with exit code 1.
"""


def write_log(path: Path, size_bytes: int) -> None:
    """About that many bytes, each line with its stamp."""
    with path.open("w", encoding="utf-8") as log:
        for number, block in enumerate(_blocks(size_bytes)):
            stamp = f"2026-05-11T09:{number // 60 % 60:02}:{number % 60:02}.0131000Z "
            log.write("".join(f"{stamp}{line}\n" for line in block.splitlines()))


def _blocks(size_bytes: int) -> Iterator[str]:
    yield _START
    yield _SESSION
    a_block = len(_BLOCK) + 29 * _BLOCK.count("\n")
    for number in range(size_bytes // a_block):
        yield _BLOCK.format(number % 900)
    yield _END
