"""Trouble of the upkeep is told and met again at the next turn; the tasks never notice."""

import threading

from bench import Bench
from structlog.testing import capture_logs

from worker.beside import beside
from worker.housekeeping.upkeep import Upkeep


def test_upkeep_goes_on_after_a_database_that_was_away(bench: Bench) -> None:
    bench.forbid("INSERT", "measures")
    one = Upkeep(bench.deps, forget_ended=lambda _before: 0, every_s=0.01)
    with capture_logs() as said, beside(one.run, name="upkeep", after_failure_s=0.01):
        pause = threading.Event()
        for _ in range(2000):
            if len(said) > 1:
                break
            pause.wait(0.01)
    assert {(line["event"], line["what"]) for line in said} == {("has to wait", "upkeep")}
    assert "died here" in str(said[0]["error"])
