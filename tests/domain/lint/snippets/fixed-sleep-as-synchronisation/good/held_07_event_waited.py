"""Good: an Event with a timeout does the waiting.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import asyncio


class Poller:
    def __init__(self):
        self.seen = 0
        self.done = asyncio.Event()

    async def poll(self):
        for _ in range(3):
            await asyncio.sleep(0)
            self.seen += 1
        self.done.set()


async def _scenario():
    poller = Poller()
    task = asyncio.create_task(poller.poll())
    await asyncio.wait_for(poller.done.wait(), timeout=5)
    assert poller.seen == 3
    await task


def test_poller():
    asyncio.run(_scenario())
