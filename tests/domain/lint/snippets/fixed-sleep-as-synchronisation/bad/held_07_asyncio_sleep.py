"""Bad: asyncio.sleep(0.2) in place of awaiting the background task's result.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import asyncio


class Poller:
    def __init__(self):
        self.seen = 0

    async def poll(self):
        for _ in range(3):
            await asyncio.to_thread(self._read)

    def _read(self):
        self.seen += 1


async def _scenario():
    poller = Poller()
    task = asyncio.create_task(poller.poll())
    await asyncio.sleep(0.2)  # <- fixed-sleep-as-synchronisation
    assert poller.seen == 3
    await task


def test_poller():
    asyncio.run(_scenario())
