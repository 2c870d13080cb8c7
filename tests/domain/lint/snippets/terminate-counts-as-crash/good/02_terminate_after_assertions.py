"""Good: the assertion stands before the clean-up that kills what is left.

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
    try:
        for p in procs:
            p.join(5)
            assert p.exitcode is not None, f"{p.name} is still running after 5 s"
            assert p.exitcode == 0, f"{p.name} ended with {p.exitcode}"
        assert len(list(tmp_path.iterdir())) == 3
    finally:
        for p in procs:
            if p.is_alive():
                p.kill()
