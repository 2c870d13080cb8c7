"""Bad: the fixture's teardown terminates what has not ended in time and asserts a zero exit.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
"""

import pytest
import torch.multiprocessing as mp


def _serve(inbox, outbox):
    for message in iter(inbox.get, None):
        outbox.put(message * 2)


@pytest.fixture
def server():
    ctx = mp.get_context("spawn")
    inbox, outbox = ctx.Queue(), ctx.Queue()
    process = ctx.Process(target=_serve, args=(inbox, outbox), name="server")
    process.start()
    yield inbox, outbox
    inbox.put(None)
    process.join(timeout=5)
    if process.is_alive():
        process.terminate()  # <- terminate-counts-as-crash
        process.join()
    assert process.exitcode == 0, f"server ended with {process.exitcode}"  # <- terminate-counts-as-crash


def test_doubles(server):
    inbox, outbox = server
    inbox.put(21)
    assert outbox.get(timeout=10) == 42
