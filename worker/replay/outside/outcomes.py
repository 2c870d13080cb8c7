"""How a trial ended: from pytest's exit code and its results file, with the failure's signature.

Codes are those of pytest's documentation (ExitCode): 0 all passed, 1 some failed, 2 interrupted,
3 internal error, 4 wrong use, 5 nothing collected. A pass is believed only from a results file that
names the test.
"""

import io
import signal
from dataclasses import dataclass
from typing import Final

from app.domain.outcome import Errored, Failed, OutcomeKind, Result, Skipped, TestId
from app.domain.pytest_node import to_test_id
from app.domain.replay_words import Outcome
from app.domain.results.junit import Reading, read_junit
from app.domain.signature import sign

MOST_RESULTS: Final = 1000
_COLLECTION: Final = "collection failure"  # pytest's message on what it could not import
_XFAIL: Final = b'type="pytest.xfail"'
_INTERRUPTED, _INTERNAL, _WRONG_USE, _NOTHING = 2, 3, 4, 5
_NOTHING_RAN: Final = {
    _INTERNAL: "pytest failed internally",
    _WRONG_USE: "pytest was used wrongly, or could not find or import the test",
    _NOTHING: "nothing was collected, or all was deselected",
}
_LAST_OWN_CODE: Final = 5
_USAGE: Final = "ERROR: usage:"
_WRONG_WORD: Final = ": error: "
_NO_PYTEST: Final = "No module named pytest"
_TEXT_CHARS: Final = 400
_TAIL_CHARS: Final = 8000


@dataclass(frozen=True, slots=True)
class Ended:
    """What is known of pytest's process once it is gone. `code` is None where it did not end by itself."""

    code: int | None
    results: bytes  # its results file
    stdout_tail: str = ""
    stderr_tail: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    outcome: Outcome
    reason: str = ""
    message: str = ""
    text: str = ""
    signature: str | None = None
    opaque: bool = False


def judge(ended: Ended, test: str) -> Judged:
    """Classify a trial that ended by itself."""
    reading = read_junit(io.BytesIO(ended.results), limit=MOST_RESULTS)
    named = [one for one in reading.results if one.test.name]
    uncollected = [one for one in named if _is_collection(one)]
    ran = [one for one in named if one not in uncollected]
    if uncollected and not any(one.outcome.kind.is_red for one in ran):
        return Judged(Outcome.NO_TRIAL, _first_words("the test could not be collected", uncollected[0]))
    for one in ran:
        red = next((out for out in (*one.earlier, one.outcome) if isinstance(out, Failed | Errored)), None)
        if red is not None:
            return _failed(one.test, red.message, red.text)
    died = _death(ended, has_results=bool(ran))
    if died is not None:
        return _failed(_test_id(ran, test), died, ended.stderr_tail[-_TAIL_CHARS:], reason=died)
    return _not_red(ended, reading, ran)


def _not_red(ended: Ended, reading: Reading, ran: list[Result]) -> Judged:
    if any(one.outcome.kind is OutcomeKind.PASSED for one in ran):
        return Judged(Outcome.PASSED)
    if ran and ended.results.count(_XFAIL) >= len(ran):
        return Judged(Outcome.PASSED, "it failed, as it is marked to")
    if ran:
        return Judged(Outcome.NO_TRIAL, _first_words("the test was skipped", ran[0]))
    said = _last_error(ended)
    reason = _NOTHING_RAN.get(ended.code or 0, "nothing ran")
    problems = reading.problems[0].partition("\n")[0] if reading.problems else ""
    return Judged(Outcome.NO_TRIAL, ": ".join(part for part in (reason, said or problems) if part))


def _death(ended: Ended, *, has_results: bool) -> str | None:
    """What to say of a process that ended otherwise than pytest ends, or that left no results; else None."""
    code = ended.code or 0
    if code < 0:
        when = "after it had written its results" if has_results else "before it wrote its results"
        return f"pytest's own process was ended by {_signal_name(-code)} {when}"
    if has_results and code > _LAST_OWN_CODE:
        return f"pytest's own process ended with exit code {code}"
    if has_results or code in _NOTHING_RAN or _NO_PYTEST in ended.stderr_tail:
        return None
    if not ended.results:
        return f"pytest's own process ended with exit code {code} before it wrote its results"
    if code == _INTERRUPTED:
        return "pytest was interrupted while the test ran"
    return f"pytest ended with exit code {code}, and its results name no test" if code else None


def _failed(test: TestId | None, message: str, text: str, *, reason: str = "") -> Judged:
    signature = sign(test=test, message=message, text=text)
    return Judged(Outcome.FAILED, reason, message, text, signature.group, signature.opaque)


def _test_id(ran: list[Result], test: str) -> TestId:
    return ran[0].test if ran else to_test_id(test)


def _is_collection(result: Result) -> bool:
    outcome = result.outcome
    return isinstance(outcome, Errored) and outcome.message.strip() == _COLLECTION


def _first_words(what: str, result: Result) -> str:
    outcome = result.outcome
    if isinstance(outcome, Skipped):
        said = outcome.reason
    else:
        said = next(
            (line[1:].strip() for line in _lines_of(result) if line.startswith("E ")),
            next(iter(_lines_of(result)), ""),
        )
    return f"{what}: {said[:_TEXT_CHARS]}" if said else what


def _lines_of(result: Result) -> list[str]:
    outcome = result.outcome
    return outcome.text.splitlines() if isinstance(outcome, Failed | Errored) else []


def _last_error(ended: Ended) -> str:
    """Pytest's own words on why nothing ran: its last line that says ERROR, else the last of all.

    Where that is how to use it, what was wrong stands in a line below.
    """
    lines = [
        line.strip() for line in (ended.stdout_tail + "\n" + ended.stderr_tail).splitlines() if line.strip()
    ]
    errors = [
        line
        for line in lines
        if (line.startswith("ERROR") and not line.startswith(_USAGE))
        or _WRONG_WORD in line
        or _NO_PYTEST in line
    ]
    return (errors or lines or [""])[-1][:_TEXT_CHARS]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
