"""What the suspects share: a free port, ways to start ranks, and CPU time that is really used."""

import datetime as dt
import multiprocessing
import socket
import time
from collections.abc import Callable

import torch.distributed as dist


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def burn(cpu_s: float) -> None:
    """Compute for so many seconds of this thread's CPU time, however long that takes."""
    end = time.thread_time() + cpu_s
    while time.thread_time() < end:
        pass


def join_group(rank: int, port: int, *, world: int = 2, timeout_s: float = 20) -> None:
    dist.init_process_group(
        "gloo",
        init_method=f"tcp://127.0.0.1:{port}",
        rank=rank,
        world_size=world,
        timeout=dt.timedelta(seconds=timeout_s),
    )


def exit_codes(
    work: Callable[..., None],
    *given: object,
    world: int = 2,
    start: str = "fork",
    join_s: float = 60,
    port: int | None = None,
) -> list[int | None]:
    """Run `work(rank, port, *given)` on every rank; end those that are not done after `join_s`."""
    context = multiprocessing.get_context(start)
    port = port or free_port()
    workers = [context.Process(target=work, args=(rank, port, *given)) for rank in range(world)]
    for worker in workers:
        worker.start()
    deadline = time.monotonic() + join_s
    for worker in workers:
        worker.join(timeout=max(0.0, deadline - time.monotonic()))
        if worker.is_alive():
            worker.terminate()
            worker.join()
    return [worker.exitcode for worker in workers]
