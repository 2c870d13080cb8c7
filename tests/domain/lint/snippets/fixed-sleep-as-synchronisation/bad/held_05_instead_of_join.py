"""Bad: the sleep stands where a join of the workers would.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp
import time


def append(path, text):
    with open(path, "a") as f:
        f.write(text)


def test_both_lines_are_there(tmp_path):
    path = tmp_path / "log"
    for text in ("a\n", "b\n"):
        mp.Process(target=append, args=(path, text)).start()
    time.sleep(1)  # <- fixed-sleep-as-synchronisation
    assert sorted(path.read_text().split()) == ["a", "b"]
