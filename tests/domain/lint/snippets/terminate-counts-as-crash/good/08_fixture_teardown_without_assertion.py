"""Good: the teardown terminates and asserts nothing about the exit code.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released
# clean: rank-local-raise-before-collective, report-asserted-too-late
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
    process.join(timeout=0.5)
    if process.is_alive():
        process.terminate()
        process.join()


def test_doubles(server):
    inbox, outbox = server
    inbox.put(21)
    assert outbox.get(timeout=10) == 42
