"""Bad: slow ones are killed, then each exit code must be 0.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective
"""

import torch.multiprocessing as mp


def _entry(rank, path):
    (path / f"{rank}.done").touch()


def test_done_files(tmp_path):
    procs = [mp.Process(target=_entry, args=(rank, tmp_path), name=f"rank{rank}") for rank in range(3)]
    for p in procs:
        p.start()
    for p in procs:
        p.join(5)
    for p in procs:
        if p.is_alive():
            p.kill()  # <- terminate-counts-as-crash
    for p in procs:
        p.join()
        assert p.exitcode == 0, f"{p.name} ended with {p.exitcode}"  # <- terminate-counts-as-crash
    assert len(list(tmp_path.iterdir())) == 3
