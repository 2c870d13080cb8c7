"""Good: a queue.Queue inside one process, filled before it is read: no process could die here.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import queue


class Recorder:
    def __init__(self):
        self.events = queue.Queue()

    def on_step(self, number):
        self.events.put(("step", number))

    def on_end(self):
        self.events.put(("end", None))


def run_loop(recorder, steps):
    for number in range(steps):
        recorder.on_step(number)
    recorder.on_end()


def test_events_come_in_order():
    recorder = Recorder()
    run_loop(recorder, 2)
    seen = [recorder.events.get(timeout=1) for _ in range(3)]
    assert seen == [("step", 0), ("step", 1), ("end", None)]
