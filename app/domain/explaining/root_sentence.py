"""The root cause of a log as one sentence for people."""

from typing import Final

from app.domain.category import Category
from app.domain.explaining.saying import Saying, Weight

NOTHING_NAMED: Final = "no failure is named in this log"
MOST_CHARS: Final = 300

_KINDS: Final = {
    Category.ASSERTION: "an assertion failed",
    Category.EXCEPTION: "an error ended it",
    Category.COLLECTION: "a test file could not be collected",
    Category.TIMEOUT_HANG: "a time limit was reached",
    Category.INIT_RENDEZVOUS: "ranks did not come together, or lost each other",
    Category.INFRA: "what the job runs on gave way",
    Category.OOM: "memory ran out",
    Category.CRASH_SIGNAL: "a process crashed",
}


def sentence_of(key: Saying | None, test: str | None, *, told: str = "") -> str:
    """What happened, on which rank, and the line's words; `told` is its message if no line tells."""
    if key is None:
        first = next((line.strip() for line in told.split("\n") if line.strip()), "")
        return _short(f"{test} failed: {first}" if first else f"{test} failed, and the log does not say why")
    if key.is_opaque:
        return _short(f"an assertion failed whose text holds no cause: {_words(key)}")
    what = key.what or _KINDS.get(key.category, "it failed")
    where = "" if key.rank is None else f" on rank {key.rank}"
    if key.weight is Weight.ENDED:
        return _short(f"{what}{where}; nothing before it in the log says why: {_words(key)}")
    return _short(f"{what}{where}: {_words(key)}")


def _words(key: Saying) -> str:
    said = key.said.removeprefix("##[error]")
    return said.removeprefix("E ").strip() if said.startswith("E ") else said.strip()


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= MOST_CHARS else f"{sentence[:MOST_CHARS]} ..."
