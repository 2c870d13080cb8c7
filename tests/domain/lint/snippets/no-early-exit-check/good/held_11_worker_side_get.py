"""Good: the blocking get is the worker's own, for its commands; the parent joins and looks at the code.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp


def obey(commands, done):
    for command in iter(commands.get, "stop"):
        done.append(command)


def test_commands():
    with mp.Manager() as manager:
        commands = mp.Queue()
        done = manager.list()
        worker = mp.Process(target=obey, args=(commands, done))
        worker.start()
        for command in ("a", "b", "stop"):
            commands.put(command)
        worker.join(30)
        assert worker.exitcode == 0, f"worker ended with {worker.exitcode}"
        assert list(done) == ["a", "b"]
