"""Bears web and worker processes: forks of one that has imported everything, so that each starts at once.

Reads one JSON object a line from stdin and answers each with one line. When stdin ends, all children end.
"""

import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from moments import Watch

import app.main  # noqa: F401 - to have it in memory before a child needs it
import worker.web
from app import logs
from app.settings import Settings
from worker import main as worker_main
from worker.queue.lease import LeasePolicy
from worker.stages import PIPELINE

SOON = LeasePolicy(beat_s=0.5, stale_s=6, expires_s=8)
"""On PostgreSQL the next worker waits for that before it takes over what a killed one had."""

listeners: dict[str, socket.socket] = {}


def answer(asked: dict[str, Any]) -> object:
    match asked:
        case {"do": "listen", "folder": folder}:
            listeners[folder] = socket.create_server(("127.0.0.1", 0), backlog=128)
            return listeners[folder].getsockname()[1]
        case {"do": "close", "folder": folder}:
            listeners.pop(folder).close()
            return True
        case {"do": "start", "name": name, "folder": folder, "environment": environment}:
            child = os.fork()
            if child == 0:
                _live(name, folder, environment)
            return child
        case _:
            raise ValueError(asked)


def _live(name: str, folder: str, environment: dict[str, str]) -> None:
    """The child's whole life: never returns."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        log = os.open(Path(folder) / "service.log", os.O_APPEND | os.O_CREAT | os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(log, stream)
        os.environ.clear()  # noqa: TID251 - as if started anew
        os.environ.update(environment)  # noqa: TID251 - the same
        Watch(Path(folder)).begin()
        settings = Settings()
        if name == "web":
            worker.web.run(settings, listeners[folder])
        else:
            logs.configure()
            worker_main.run(settings, PIPELINE, policy=SOON)
        code = 0
    except BaseException:  # noqa: BLE001 - a fork must not fall back into its parent's loop
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
    finally:
        os._exit(code)


def _say(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead need nobody to wait for them
    _say("ready")
    for line in sys.stdin:
        _say(answer(json.loads(line)))
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
