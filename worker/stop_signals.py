"""SIGTERM and SIGINT turned into a call from an ordinary thread."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STOPS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stop_signals(ask_to_stop: Callable[[], None]) -> Iterator[None]:
    """Have either signal call it, where signals may be caught: in the main thread; elsewhere do nothing.

    A handler runs between any two instructions of the main thread, also where that holds the lock of the
    very event that the handler would set, and would wait for itself. So the handler does nothing, and the
    signal's number, which the interpreter writes to a socket, is read by a thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = socket.socketpair()
    writer.settimeout(0)  # `set_wakeup_fd` takes only what never blocks

    def listen() -> None:
        while told := reader.recv(1):
            if told[0] in STOPS:
                ask_to_stop()

    thread = threading.Thread(target=listen, name="signals", daemon=True)
    former_fd = signal.set_wakeup_fd(writer.fileno())
    former = {number: signal.signal(number, lambda _number, _frame: None) for number in STOPS}
    thread.start()
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(former_fd)
        writer.close()
        thread.join()
        reader.close()
