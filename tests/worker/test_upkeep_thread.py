"""Trouble of the upkeep is told and met again at the next turn; the tasks never notice."""

import threading

from bench import Bench
from structlog.testing import capture_logs

from worker.housekeeping.upkeep import Upkeep


def test_upkeep_goes_on_after_a_database_that_was_away(bench: Bench) -> None:
    bench.forbid("INSERT", "measures")
    one, stop = Upkeep(bench.deps, forget_ended=lambda _before: 0, every_s=0.01), threading.Event()
    with capture_logs() as said:
        thread = threading.Thread(target=one.run, args=(stop,))
        thread.start()
        pause = threading.Event()
        for _ in range(2000):
            if len(said) > 1:
                break
            pause.wait(0.01)
        stop.set()
        thread.join()
    assert {line["event"] for line in said} == {"upkeep has to wait"}
    assert "died here" in str(said[0]["reason"])
