"""How facts are put in English, so that a verdict, a comment and an alert say the same thing alike."""

from collections.abc import Iterable, Sequence

from app.domain.evidence import Observation
from app.domain.ids import Sha


def short(sha: Sha) -> str:
    """Seven digits: what GitHub shows."""
    return sha[:7]


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 failure`, `2 failures`, `2 branches`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def listed(words: Iterable[str], *, most: int = 5) -> str:
    """`a`, `a and b`, `a, b and c`; words past `most` are counted, never dropped in silence."""
    shown = list(words)
    if len(shown) > most:
        shown = [*shown[:most], f"{len(shown) - most} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def sentence(text: str) -> str:
    """A fragment with its first letter large and a full stop."""
    trimmed = text.strip().rstrip(".")
    return f"{trimmed[:1].upper()}{trimmed[1:]}."


def left_open(failed: int, unread: int) -> str:
    """What keeps something that is not red from being proven green; empty if nothing does."""
    told = [f"{failed} that failed {'has' if failed == 1 else 'have'} not passed since"] if failed else []
    if unread:
        told.append(f"{counted(unread, 'run has', 'runs have')} not been read yet")
    return "; ".join(told)


def claim(text: str) -> str:
    """What a reason claims, without how it is known: `: ` or `; ` outside brackets parts the two."""
    depth = 0
    end = len(text)
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and text[index : index + 2] in {": ", "; "}:
            end = index
            break
    first = text[:end].rstrip(".")
    return f"{first[:1].lower()}{first[1:]}"


def run_name(observation: Observation, *, attempt: bool = False) -> str:
    """`run 7 (push, job test (3.12))`; the attempt is named if asked for, or if it is not the first."""
    named = f"run {observation.run} ({observation.event}, job {observation.job})"
    return f"attempt {observation.attempt} of {named}" if attempt or observation.attempt > 1 else named


def flip(passed: Observation, failed: Observation, *, place: str | None = None) -> str:
    """`run 7 (...) passed and run 8 (...) failed at bd47e80`, or with both commits where they differ.

    `place` stands for `at bd47e80` where the commit was named before.
    """
    one_run = passed.run == failed.run
    passing = run_name(passed, attempt=one_run)
    failing = run_name(failed, attempt=one_run)
    if passed.sha == failed.sha:
        return f"{passing} passed and {failing} failed {place or 'at ' + short(failed.sha)}"
    return f"{passing} passed at {short(passed.sha)} and {failing} failed at {short(failed.sha)}"


def run_ids(observations: Sequence[Observation]) -> tuple[int, ...]:
    """Ids of their runs, each once, oldest first."""
    first_seen = {o.run: o for o in sorted(observations, key=lambda o: (o.at, o.run), reverse=True)}
    return tuple(sorted(first_seen, key=lambda run: (first_seen[run].at, run)))
