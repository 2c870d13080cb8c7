"""What the logs of single ranks, left in artifacts, say beside a failure."""

from sqlalchemy.orm import Session

from app.domain.joblog.rank_log import RankLog, read_rank_log
from app.store import artifacts, blobs
from app.store.artifacts import FileKind
from app.store.failures import StoredFailure

MOST_LOGS = 64


def rank_logs(session: Session, failure: StoredFailure) -> list[RankLog]:
    """The rank logs of the failure's job, by rank and path."""
    files = [
        file
        for file in artifacts.files_of(session, failure.attempt)
        if file.kind is FileKind.RANK_LOG and file.job == failure.job
    ]
    read = [
        read_rank_log(f"{file.origin}/{file.path}", blobs.read(session, file.blob))
        for file in files[:MOST_LOGS]
    ]
    return sorted((log for log in read if log is not None), key=lambda log: (log.rank, log.path))


def rank_lines(session: Session, failure: StoredFailure) -> tuple[str, ...]:
    """One line for each rank whose log ends with an error."""
    return tuple(
        f"rank {log.rank}'s log {log.path} ends with: {log.last_error}"
        for log in rank_logs(session, failure)
        if log.last_error is not None
    )
