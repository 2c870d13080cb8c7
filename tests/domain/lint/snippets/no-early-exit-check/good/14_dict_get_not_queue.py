"""Good: `.get("key", default)` on a dict of settings beside processes that are simply joined.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing
import os

SETTINGS = {"workers": 2, "timeout": 30}


def count(upto, folder):
    with open(os.path.join(folder, str(upto)), "w") as f:
        f.write(" ".join(map(str, range(upto))))


def test_files_are_written(tmp_path):
    n = SETTINGS.get("workers", 1)
    timeout = SETTINGS.get("timeout")
    counters = [multiprocessing.Process(target=count, args=(i + 3, tmp_path)) for i in range(n)]
    for counter in counters:
        counter.start()
    for counter in counters:
        counter.join(timeout)
        assert counter.exitcode == 0, f"{counter.name} ended with {counter.exitcode}"
    assert (tmp_path / "4").read_text() == "0 1 2 3"
