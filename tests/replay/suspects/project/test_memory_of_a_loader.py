"""A loader that reads ahead as far as memory goes.

Family: oom-kill by spawn, without torch.
Expected verdict: passes without a limit; fails under 256 MiB.
Expected cause: oom-kill: the limit's own counter rose, and a worker ended by SIGKILL that nobody sent.
Must not say: a crash, terminated by its parent, an exception.
"""

import multiprocessing

MIB = 1024 * 1024


def _read_ahead(batches: int) -> None:
    held = [b"x" * (8 * MIB) for _ in range(batches)]
    assert len(held) == batches


def test_loader_reads_ahead() -> None:
    context = multiprocessing.get_context("spawn")
    loaders = [context.Process(target=_read_ahead, args=(batches,)) for batches in (2, 64)]
    for loader in loaders:
        loader.start()
    for loader in loaders:
        loader.join(timeout=60)
    assert [loader.exitcode for loader in loaders] == [0, 0]
