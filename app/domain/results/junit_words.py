"""The words by which JUnit dialects tell an outcome in attributes, and one spelling of their elements."""

from collections.abc import Mapping
from typing import Final

from app.domain.outcome import Errored, Failed, Outcome, Passed, Skipped

PASSED: Final = Passed()

OUTCOME_ATTRIBUTES: Final = ("status", "result", "outcome", "executed", "success")
TELLING: Final = frozenset(OUTCOME_ATTRIBUTES)

_PASS: Final = frozenset(
    {"pass", "passed", "passing", "ok", "success", "successful", "succeeded", "run", "ran", "completed"}
    | {"complete", "done", "finished", "executed", "fixed", "true", "yes", "1", ""}
)
_FAILURES: Final = frozenset(
    {"fail", "failed", "failing", "failure", "notok", "regression", "broken", "xpass", "unexpectedpass"}
)
_ERRORS: Final = frozenset(
    {
        "error",
        "errored",
        "timeout",
        "timedout",
        "aborted",
        "abort",
        "interrupted",
        "crash",
        "crashed",
        "killed",
    }
)
_NOT_SUCCESS: Final = frozenset({"false", "no", "0"})

_SEPARATORS: Final = str.maketrans("", "", " _-")


def told_outcome(attributes: Mapping[str, str]) -> Outcome:
    """The worst that the attributes say; only words known for a pass are one, and an unknown word is no run.

    A red outcome says which attribute tells it, since the file says nothing else of it.
    """
    if TELLING.isdisjoint(attributes):
        return PASSED
    told = [
        _outcome(name, value) for name in OUTCOME_ATTRIBUTES if (value := attributes.get(name)) is not None
    ]
    for kind in (Errored, Failed, Skipped):
        for outcome in told:
            if isinstance(outcome, kind):
                return outcome
    return PASSED


def _outcome(name: str, value: str) -> Outcome:
    word = value.strip().lower().translate(_SEPARATORS)
    told = f'the file says {name}="{value.strip()[:60]}" and no more'
    if word in _FAILURES or (name == "success" and word in _NOT_SUCCESS):
        return Failed(told, "")
    if word in _ERRORS:
        return Errored(told, "")
    return PASSED if word in _PASS else Skipped(f'not run: {name}="{value.strip()[:60]}"')


_NAMES: Final = {
    name.lower(): name
    for name in (
        *(
            "testsuites",
            "testsuite",
            "testcase",
            "failure",
            "error",
            "skipped",
            "skip",
            "ignored",
            "disabled",
        ),
        *("rerunError", "flakyError", "flakyFailure", "rerunFailure", "system-out", "system-err"),
        *("failures", "errors"),
    )
}


def plain_name(name: str) -> str:
    """An element's name as it is usually written, whatever its case; one that means nothing stays."""
    return _NAMES.get(name) or _NAMES.get(name.lower(), name)
