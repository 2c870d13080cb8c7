"""Good: pytest shows the list of codes, in the order of ranks.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch.multiprocessing as mp


def _entry(rank, path):
    (path / str(rank)).touch()


def test_files(tmp_path):
    ps = [mp.Process(target=_entry, args=(rank, tmp_path)) for rank in range(3)]
    for p in ps:
        p.start()
    for p in ps:
        p.join()
    assert [p.exitcode for p in ps] == [0, 0, 0]
    assert len(list(tmp_path.iterdir())) == 3
