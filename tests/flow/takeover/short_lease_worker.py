"""The real worker with a lease of its own: `python short_lease_worker.py SECONDS` until it is stale."""

import os
import sys

from app import logs
from app.settings import Settings
from worker.main import run
from worker.queue.lease import LeasePolicy
from worker.stages import PIPELINE

if __name__ == "__main__":
    stale_s = float(sys.argv[1])
    logs.configure()
    run(
        Settings(),
        PIPELINE,
        policy=LeasePolicy(beat_s=stale_s / 10, stale_s=stale_s, expires_s=stale_s * 1.5),
    )
    os._exit(0)
