"""A request to stop that arrives at any instruction, also where the main thread holds an event's lock."""

import os
import signal
import threading
import time

import pytest

from app.settings import Settings
from worker.stop_signals import stop_signals
from worker.supervisor import Supervisor


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_that_lands_while_the_main_thread_holds_the_lock_of_the_event(number: int) -> None:
    stop = threading.Event()
    with stop_signals(stop.set):
        with stop._cond:
            os.kill(os.getpid(), number)
            time.sleep(0.01)  # a handler, if any, has run by now
            assert not stop.is_set()
        assert stop.wait(30)


def test_handlers_are_as_before_afterwards() -> None:
    former = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    with stop_signals(lambda: None):
        assert signal.getsignal(signal.SIGTERM) is not former[0]
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == former
    assert signal.set_wakeup_fd(-1) == -1


def test_outside_the_main_thread_signals_are_left_alone() -> None:
    former, seen = signal.getsignal(signal.SIGTERM), []

    def enter() -> None:
        with stop_signals(lambda: None):
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [former]


def test_request_to_stop_a_supervisor_takes_no_lock(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def needs_the_lock(_event: threading.Event) -> None:
        pytest.fail("the thread that is interrupted may hold this event's lock")

    supervisor = Supervisor(settings)
    with supervisor._signals(), monkeypatch.context() as patched:
        patched.setattr(threading.Event, "set", needs_the_lock)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)
    assert not supervisor._goes_on([])
