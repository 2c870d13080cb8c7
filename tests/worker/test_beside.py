"""What runs beside the tasks: nothing ends it but the end of the block, and the block ends in any case."""

import threading
import time

import pytest
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from app.domain.errors import Gone
from worker import beside as room
from worker.beside import beside

AWAY = OperationalError("SELECT", {}, Exception("server closed the connection"))


@pytest.mark.parametrize("error", [AWAY, Gone("task", "no"), OSError("full"), KeyError("a bug")])
def test_whatever_is_raised_is_told_and_it_is_begun_anew(error: Exception) -> None:
    begun: list[threading.Event] = []
    again = threading.Event()

    def fails(end: threading.Event) -> None:
        begun.append(end)
        if len(begun) > 2:
            again.set()
            end.wait()
            return
        raise error

    with capture_logs() as said, beside(fails, name="upkeep", after_failure_s=0):
        assert again.wait(30)
    assert len(begun) == 3
    assert {(line["what"], "exc_info" in line) for line in said} == {("upkeep", type(error) is KeyError)}


def test_what_has_ended_by_itself_is_not_begun_anew() -> None:
    begun: list[threading.Event] = []
    ended = threading.Event()

    def ends(end: threading.Event) -> None:
        begun.append(end)
        ended.set()

    with beside(ends, name="reconciler", after_failure_s=0):
        assert ended.wait(30)
    assert len(begun) == 1


def test_what_hangs_for_ever_does_not_hold_the_end_up() -> None:
    """As a read of the queue does, which its library repeats until the database is back."""
    hangs, back = threading.Event(), threading.Event()

    def hang(_end: threading.Event) -> None:
        hangs.set()
        back.wait()

    began_s = time.monotonic()
    with beside(hang, name="takeover"):
        assert hangs.wait(30)
    assert time.monotonic() - began_s < room.WAIT_S + 10
    back.set()
