"""Bad: a trainer's launcher finds its port on the head node and passes it to processes started later.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check, one-item-drained
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import argparse
import multiprocessing as mp
import socket


def _reserve_port(host: str) -> int:
    s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        s.bind((host, 0))  # <- port-found-then-released
        return s.getsockname()[1]  # <- port-found-then-released
    finally:
        s.close()  # <- port-found-then-released


def _train(rank, args, port):
    print(f"rank {rank} of {args.ranks} meets at {args.host}:{port}")


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--host", default="127.0.0.1")
    args = parser.parse_args(argv)
    port = _reserve_port(args.host)  # <- port-found-then-released
    workers = [mp.Process(target=_train, args=(rank, args, port)) for rank in range(args.ranks)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return [worker.exitcode for worker in workers]


def test_main():
    assert main(["--ranks", "3"]) == [0, 0, 0]
