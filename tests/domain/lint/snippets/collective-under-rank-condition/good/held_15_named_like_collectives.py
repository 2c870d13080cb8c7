"""Good: `reduce`, `gather` and `barrier` here are functools', asyncio's and a turnstile's.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import asyncio
import functools
import operator


class Turnstile:
    def __init__(self, rank):
        self.rank, self.log = rank, []

    def barrier(self):
        self.log.append("barrier")


async def _double(x):
    return 2 * x


async def both(x, y):
    return await asyncio.gather(_double(x), _double(y))


def fold(rank, values):
    turnstile = Turnstile(rank)
    if rank == 0:
        turnstile.barrier()
        return functools.reduce(operator.add, asyncio.run(both(*values))), turnstile.log
    return 0, turnstile.log


def test_fold():
    assert fold(0, (1, 2)) == (6, ["barrier"])
    assert fold(1, (1, 2)) == (0, [])
