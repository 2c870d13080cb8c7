"""What replays inside a failed job claim of one of its failures."""

from sqlalchemy.orm import Session

from app.domain.evidence import SeenReplay
from app.store import replays
from app.store.failures import StoredFailure
from app.store.replays import ArrivedReplay


class Replayed:
    """Within one session; the replays of an attempt are read once for all its failures."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._by_attempt: dict[int, list[ArrivedReplay]] = {}

    def on(self, failure: StoredFailure, label: str) -> tuple[SeenReplay, ...]:
        """`label` names the failure's test; a job that failed without one cannot be replayed."""
        if failure.test is None:
            return ()
        if failure.attempt not in self._by_attempt:
            self._by_attempt[failure.attempt] = replays.of_attempt(self._session, failure.attempt)
        known = self._by_attempt[failure.attempt]
        found = replays.of_failure(self._session, failure.attempt, failure.job, label, known)
        return tuple(_seen(one) for one in found)


def _seen(replay: ArrivedReplay) -> SeenReplay:
    claim = replay.claim
    return SeenReplay(
        verdict=claim.verdict,
        sentence=claim.sentence,
        cause=claim.cause,
        sentence_of_cause=claim.cause_sentence,
        artifact=replay.artifact_name,
        own_word=replay.own_word,
    )
