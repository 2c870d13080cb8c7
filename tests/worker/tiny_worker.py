"""A whole worker with tiny stages, for tests that kill it: `python tiny_worker.py DATA_DIR`.

On the database that FLAKE_TRIAGE_DATABASE_URL names, if any; then with a lease of seconds.

`record_run` asks for `fetch`, `fetch` for `judge`; each writes its effect and its order in one transaction.
A delivery's name says what else happens: `hang-*` blocks in `fetch` until a file appears, `kill-*` ends the
worker from within, `refuse-*` is rejected until a file appears.
"""

import os
import signal
import sys
import threading
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.orm import Session

from app import logs
from app.domain.errors import Conflict, Rejected
from app.settings import Settings
from app.store import outbox
from app.store.outbox import Order
from app.store.session import unit_of_work
from worker.deps import Deps, Payload, Stage
from worker.main import run
from worker.queue.lease import LeasePolicy

SHORT_LEASE = LeasePolicy(beat_s=0.5, stale_s=5, expires_s=6)
"""Not shorter: a machine that is busy with other tests must not make a living worker look dead."""

FINISHED, REFUSED, LOCKED_OUT = 0, 1, 3


def record_run(deps: Deps, payload: Payload) -> None:
    _started(deps, "record_run", payload)
    with unit_of_work(deps.store) as session:
        _effect(session, "record_run", payload)
        outbox.ask(session, Order(f"fetch:{payload['delivery']}", "fetch", payload))


def fetch(deps: Deps, payload: Payload) -> None:
    _started(deps, "fetch", payload)
    name = payload["delivery"]
    if name.startswith("kill-"):
        os.kill(os.getpid(), signal.SIGKILL)
    if name.startswith("hang-"):
        _wait_for(deps.settings.data_dir / "go on")
    if name.startswith("refuse-") and not (deps.settings.data_dir / "go on").exists():
        raise Rejected("delivery", "refused")
    with unit_of_work(deps.store) as session:
        _effect(session, "fetch", payload)
        outbox.ask(session, Order(f"judge:{name}", "judge", payload, partition="octo/widgets"))


def judge(deps: Deps, payload: Payload) -> None:
    _started(deps, "judge", payload)
    with unit_of_work(deps.store) as session:
        _effect(session, "judge", payload)
    _started(deps, "judged", payload)


PIPELINE = {
    "record_run": Stage("record_run", "fetch", record_run),
    "fetch": Stage("fetch", "fetch", fetch),
    "judge": Stage("judge", "judge", judge),
}


def _started(deps: Deps, stage: str, payload: Payload) -> None:
    """One line a start, appended at once: also tries that end with the process are seen."""
    line = f"{stage} {payload['delivery']}\n".encode()
    descriptor = os.open(deps.settings.data_dir / "starts", os.O_APPEND | os.O_CREAT | os.O_WRONLY)
    os.write(descriptor, line)
    os.close(descriptor)


def _effect(session: Session, stage: str, payload: Payload) -> None:
    """Counts how often it happened: a stage's real writes are keyed, these show every repetition."""
    session.execute(
        text(
            "INSERT INTO effects VALUES (:stage, :delivery, 1) "
            "ON CONFLICT (stage, delivery) DO UPDATE SET times = effects.times + 1"
        ),
        {"stage": stage, "delivery": payload["delivery"]},
    )


def _wait_for(path: Path) -> None:
    pause = threading.Event()
    while not path.exists():
        pause.wait(0.01)


def main(data_dir: Path) -> int:
    logs.configure()
    settings = Settings(data_dir=data_dir, poll_interval_s=0.02, stop_timeout_s=2)
    try:
        ended = run(settings, PIPELINE, policy=SHORT_LEASE)
    except Conflict as error:
        sys.stderr.write(f"{error}\n")
        return LOCKED_OUT
    if not ended:
        os._exit(REFUSED)
    return FINISHED


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
