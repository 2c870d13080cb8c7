"""Why a branch is red, in one plain sentence: for the alert's history and for programs."""

from collections.abc import Sequence

from app.domain.failure_entry import FailureLine, entries_of
from app.domain.verdict import EvidenceKind
from app.domain.verdict_words import kind_words
from app.domain.wording import claim, counted


def red_told(failures: Sequence[FailureLine]) -> str:
    """The most urgent failure's kind, what it rests on, what it leaves open, and how many more there are."""
    entries = entries_of(failures)
    if not entries:
        return "a job failed, and no failing test could be read from it"
    verdict = entries[0][0].verdict
    decisive = [one for one in verdict.reasons if one.kind is not EvidenceKind.NOT_EXCLUDED][:1]
    left_open = [one for one in verdict.reasons if one.kind is EvidenceKind.NOT_EXCLUDED][:1]
    words = kind_words(verdict)
    claims = (claim(one.text) for one in (*decisive, *left_open))
    grounds = "; ".join(said for said in claims if said not in words)
    rest = sum(len(entry) for entry in entries) - len(entries[0])
    more = f"; besides, {counted(rest, 'more failure')}" if rest else ""
    return f"a {words}{f': {grounds}' if grounds else ''}{more}"
