"""Signing failures: one text at the median of several kinds, and one of 64 KiB."""

import hashlib

from measured import Row, at_most, row_of_rounds
from rounds import in_turn

from app.domain.outcome import TestId
from app.domain.signature import sign

PYTEST = """\
self = <tests.test_parts.TestParts object at 0x7f3a9c1d2e50>

    def test_total(self):
        parts = read(self.path)
>       assert combine(parts) == 3
E       assert 2 == 3
E        +  where 2 = combine([1, 1])

tests/test_parts.py:41: AssertionError"""
CHAINED = """\
Traceback (most recent call last):
  File "/__w/lib/lib/src/lib/store.py", line 88, in load
    return self._cache[key]
KeyError: 'step-%d'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/__w/lib/lib/tests/test_store.py", line 20, in test_load
    store.load("step-%d")
  File "/__w/lib/lib/src/lib/store.py", line 91, in load
    raise LookupError(f"no step {key} in {self.path}") from None
LookupError: no step step-%d in /tmp/pytest-of-runner/pytest-0/test_load0/store.db"""
TIMEOUT = "\n".join(
    f"[rank{rank}]: RuntimeError: [rank{rank}] Watchdog caught collective operation timeout: "
    f"WorkNCCL(SeqNum={{0}}, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600{rank:03} milliseconds"
    for rank in range(8)
)
PLAIN = "\n".join(f"step {number}: loss 0.{number:04} in {{0}} ms" for number in range(40))
TEXTS = (PYTEST, CHAINED.replace("%d", "{0}"), TIMEOUT, PLAIN)
LONG_BYTES = 64 * 1024
TEST = TestId("", "", "tests.test_parts.TestParts", "test_total[cpu-2]")


def measure(*, long: bool) -> list[Row]:
    texts = [_filled(text, number) for number in range(200 if long else 50) for text in TEXTS]
    plain = "\n".join(
        f"epoch {n}: worker {n % 7} wrote /data/shard-{n}.bin in {n % 97}.{n % 10} s" for n in range(1500)
    )
    return [
        _row("a failure, at the median", texts, at_most(1.0)),
        _row("a text of 64 KiB", [plain[:LONG_BYTES]] * (20 if long else 8), at_most(6.0)),
    ]


def _row(what: str, texts: list[str], goal: object) -> Row:
    ours: list[float] = []
    floor: list[float] = []
    for text in texts:
        once, bare = in_turn(lambda text=text: _sign(text), lambda text=text: _digest(text), rounds=1)
        ours += once
        floor += bare
    note = "floor: its lines split and digested"
    return row_of_rounds(
        "signatures", what, "ms", [1000 * one for one in ours], [1000 * one for one in floor], goal, note
    )


def _sign(text: str) -> None:
    sign(test=TEST, message="", text=text, job="test", workflow="ci")


def _digest(text: str) -> None:
    digest = hashlib.sha256()
    for line in text.splitlines():
        digest.update(line.encode())


def _filled(text: str, number: int) -> str:
    return text.replace("{0}", str(number))
