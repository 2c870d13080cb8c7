"""How long other writers wait while old data is removed: `python tests/bench/measure_retention.py`.

Fills a store with attempts that are a year old, each with failures, texts, verdicts and files, and removes
them while another thread writes. Prints rows, time, and the longest wait. `--database URL`: PostgreSQL.
"""

import argparse
import os
import tempfile
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import insert
from sqlalchemy.orm import Session

from app.settings import Settings
from app.store import measures
from app.store.artifacts import SourceFileRow
from app.store.blobs import BlobRow, pack
from app.store.failures import FailureRow
from app.store.repos import RepoRow
from app.store.results import RunVectorRow
from app.store.runs import AttemptRow, JobRow, RunRow, VariantRow
from app.store.session import open_engine, open_inbox, unit_of_work
from app.store.verdicts import EvidenceRow, VerdictRow
from worker.housekeeping.horizon import Horizon
from worker.housekeeping.removal import Removal
from worker.upgrade import upgrade

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
YEAR_AGO = NOW - timedelta(days=365)


def fill(session: Session, *, attempts: int, failures: int, files: int, file_bytes: int) -> None:
    """One job an attempt; every third failure shares its text with others. One new attempt holds the keys."""
    repo = {"id": 1, "full_name": "o/r", "shown_name": "o/r", "default_branch": "main"}
    session.execute(insert(RepoRow), [repo])
    session.execute(insert(VariantRow), [{"id": 1, "repo_id": 1, "workflow_id": 1, "name": "linux"}])
    for one in range(1, attempts + 2):
        at = YEAR_AGO if one <= attempts else NOW
        _run(session, one, at)
        texts = [pack(f"Traceback {one} {number} " * 40) for number in range(failures)]
        texts = [texts[0] if number % 3 == 0 else text for number, text in enumerate(texts)]
        kept = [pack(os.urandom(file_bytes)) for _ in range(files)]
        blobs = {blob.digest: blob for blob in (*texts, *kept)}.values()
        session.execute(
            insert(BlobRow),
            [{"digest": blob.digest, "size_bytes": blob.size_bytes, "packed": blob.packed} for blob in blobs],
        )
        rows = [_file(one, number, blob.digest) for number, blob in enumerate(kept)]
        session.execute(insert(SourceFileRow), rows)
        first = (one - 1) * failures + 1
        rows = [_failure(first + number, one, number, text.digest, at) for number, text in enumerate(texts)]
        session.execute(insert(FailureRow), rows)
        keys = range(first, first + failures)
        session.execute(insert(EvidenceRow), [row for key in keys for row in _evidence(key, at)])
        session.execute(insert(VerdictRow), [_verdict(key, at) for key in keys])


def _run(session: Session, one: int, at: datetime) -> None:
    run = {
        "id": one, "repo_id": 1, "github_id": 1000 + one, "workflow_id": 1, "workflow": "ci", "event": "push",
        "head_sha": f"{one:040x}", "head_branch": "main", "from_fork": False, "url": "", "created_at": at,
    }  # fmt: skip
    attempt = {
        "id": one, "run_id": one, "number": 1, "conclusion": "failure", "started_at": at, "completed_at": at,
        "recorded_at": at, "judged_at": at,
    }  # fmt: skip
    job = {
        "id": one, "attempt_id": one, "github_id": 1000 + one, "name": "linux", "variant_id": 1, "labels": [],
        "url": "",
    }  # fmt: skip
    vector = {
        "job_id": one,
        "day": at.date(),
        "codec": 1,
        "count": 5000,
        "red_count": 0,
        "packed": b"x" * 15_000,
    }
    for table, row in ((RunRow, run), (AttemptRow, attempt), (JobRow, job), (RunVectorRow, vector)):
        session.execute(insert(table), [row])


def _file(attempt: int, number: int, digest: str) -> dict[str, object]:
    return {
        "attempt_id": attempt, "job_id": attempt, "origin": "log", "path": f"{number}.txt", "kind": "job-log",
        "blob": digest, "cut": False,
    }  # fmt: skip


def _failure(key: int, attempt: int, number: int, digest: str, at: datetime) -> dict[str, object]:
    return {
        "id": key, "repo_id": 1, "attempt_id": attempt, "job_id": attempt, "test_key": -number - 1,
        "outcome": "failed", "message": "assert False", "text_blob": digest, "cut": False, "failed_at": at,
        "record": {"x": "y" * 1000},
    }  # fmt: skip


def _evidence(failure: int, at: datetime) -> list[dict[str, object]]:
    return [
        {
            "failure_id": failure, "digest": f"{number:032x}", "kind": "recurrence", "strength": "likely",
            "text": "seen before", "runs": [1], "found_at": at,
        }
        for number in range(3)
    ]  # fmt: skip


def _verdict(failure: int, at: datetime) -> dict[str, object]:
    return {
        "failure_id": failure, "number": 1, "kind": "flaky", "strength": "likely", "whose": "unknown",
        "opaque": False, "evidence": [], "gaps": [], "facts": {"all": "z" * 3000}, "digest": "0" * 32,
        "policy_version": "1", "judged_at": at,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", help="an empty PostgreSQL database instead of SQLite")
    for name, default in (("attempts", 20), ("failures", 2000), ("files", 40), ("file-bytes", 200_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.model_validate({"data_dir": Path(folder), "database_url": asked.database})
        upgrade(settings)
        store, inbox = open_engine(settings.app_database_url), open_inbox(settings.inbox_database_url)
        with unit_of_work(store) as session:
            fill(
                session,
                attempts=asked.attempts,
                failures=asked.failures,
                files=asked.files,
                file_bytes=asked.file_bytes,
            )
        stop, waits_s = threading.Event(), [0.0]

        def write() -> None:
            while not stop.wait(0.02):
                began_s = time.perf_counter()
                with unit_of_work(store) as session:
                    measures.note(session, "another", {"": 1}, at=NOW)
                waits_s.append(time.perf_counter() - began_s)

        other = threading.Thread(target=write)
        other.start()
        began_s = time.perf_counter()
        removed, _ = Removal(store, inbox, Horizon.seen_from(NOW, settings)).run()
        took_s = time.perf_counter() - began_s
        stop.set()
        other.join()
        waits_s.sort()
        print(  # noqa: T201 - a benchmark prints
            f"{removed.rows.total():,} rows, {removed.bytes:,} bytes in texts and files, {took_s:.1f} s; "
            f"another writer, {len(waits_s):,} times: median {1000 * waits_s[len(waits_s) // 2]:.1f} ms, "
            f"p99 {1000 * waits_s[len(waits_s) * 99 // 100]:.0f} ms, longest {1000 * waits_s[-1]:.0f} ms"
        )
        store.dispose()
        inbox.dispose()


if __name__ == "__main__":
    main()
