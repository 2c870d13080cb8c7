"""Explain a whole log: the failed tests that it names first, else the step that failed, else nothing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import BinaryIO, Final

from app.domain.category import Category
from app.domain.explaining.explanation import Explanation, FailureTold, Quoted
from app.domain.explaining.log_scan import LogScan, Scan
from app.domain.explaining.per_failure import Explained, best, explain_failures, main_of
from app.domain.explaining.root_sentence import NOTHING_NAMED, sentence_of
from app.domain.explaining.saying import Saying, Weight
from app.domain.joblog.job_log import JobLog, read_job_log
from app.domain.joblog.log_lines import LIMIT_BYTES
from app.domain.outcome import Errored, Failed

MOST_CONSEQUENCES: Final = 10

_ENDS_TESTS: Final = frozenset({Weight.CRASHED, Weight.KILLED, Weight.WAITED})
"""After these the test that ran has no result of its own."""


def explain_log(stream: BinaryIO, *, limit_bytes: int = LIMIT_BYTES) -> Explanation:
    """Read a log to its end and say why it failed. Total: no bytes make it raise, only the stream may."""
    scan = LogScan()
    log = read_job_log(stream, limit_bytes=limit_bytes, also=scan.feed)
    return explain(log, scan.scan())


def explain(log: JobLog, scan: Scan) -> Explanation:
    """Failed tests are believed before anything else in the log, since a runner named them.

    Where the best that they say is that something had ended, a cause outside of them is looked for; they stay
    the ones that failed.
    """
    explained = explain_failures(log.told, scan.sayings)
    main = main_of(explained)
    if main is not None:
        key = main.key
        if key is None or (key.weight is Weight.ENDED and not key.is_opaque):
            key = best([one for one in scan.sayings if one.weight is Weight.RUNNER]) or key
        return _explanation(key, main.told.printed, log, scan, explained, told=_message(main))
    key = _of_step(log, scan)
    test = scan.running if key is not None and key.weight in _ENDS_TESTS else None
    return _explanation(key, test, log, scan, explained)


def _of_step(log: JobLog, scan: Scan) -> Saying | None:
    """Without a failed test: what the step that failed said, for other steps may print anything."""
    sayings = scan.sayings
    ends = [one for one in sayings if one.weight in {Weight.RUNNER, Weight.ENDED}]
    if _is_green(log, ends):
        return None
    failed = next((one.step for one in ends if one.text.startswith("##[error]")), None)
    in_step = [one for one in sayings if failed is None or one.step == failed]
    key = best(in_step)
    if key is None or key.weight is not Weight.COMPLAINT:
        return key
    return _last_complaint(
        in_step, before=next((one.number for one in ends if one.number > key.number), None)
    )


def _last_complaint(sayings: Sequence[Saying], *, before: int | None) -> Saying:
    """A program's last words before it ended are nearer to why than its first ones."""
    complaints = [one for one in sayings if one.weight is Weight.COMPLAINT]
    return next((one for one in reversed(complaints) if before is None or one.number < before), complaints[0])


def _is_green(log: JobLog, ends: Sequence[Saying]) -> bool:
    """Whether the log ends in nothing but passes; what its tests printed on the way is theirs."""
    counts = log.counts
    return not ends and counts is not None and counts.passed > 0 and not counts.failed + counts.errors


def _message(main: Explained) -> str:
    outcome = main.told.result.outcome
    assert isinstance(outcome, Failed | Errored)  # only failures are told
    return outcome.message


def _explanation(
    key: Saying | None,
    test: str | None,
    log: JobLog,
    scan: Scan,
    explained: Sequence[Explained],
    *,
    told: str = "",
) -> Explanation:
    failures = tuple(_failure(one) for one in explained)
    if key is None and test is None:
        return Explanation(Category.UNKNOWN, NOTHING_NAMED, failures=failures, cut=log.cut)
    quoted = None if key is None else Quoted(key.number, key.text)
    if key is not None and key.weight is Weight.WAITED and scan.quoted is not None and scan.running == test:
        quoted = Quoted(scan.quoted.number, scan.quoted.text)
        key = replace(key, said=quoted.text)
    return Explanation(
        category=Category.UNKNOWN if key is None else key.category,
        root_cause=sentence_of(key, test, told=told),
        key=quoted,
        test=test,
        consequences=_consequences(key, scan.sayings),
        failures=failures,
        cut=log.cut,
        is_cause=key is not None and key.weight is not Weight.ENDED,
    )


def _failure(one: Explained) -> FailureTold:
    key = None if one.key is None else Quoted(one.key.number, one.key.text)
    return FailureTold(one.told.printed, Category.UNKNOWN if one.key is None else one.key.category, key)


def _consequences(key: Saying | None, sayings: Sequence[Saying]) -> tuple[Quoted, ...]:
    """Lines of the same step that a cause like this brings on, each text once."""
    if key is None:
        return ()
    found: dict[str, Quoted] = {}
    for one in sayings:
        follows = one.weight > max(key.weight, Weight.CRASHED) and one.step == key.step
        if follows and one.number != key.number and len(found) < MOST_CONSEQUENCES:
            found.setdefault(one.said, Quoted(one.number, one.text))
    return tuple(found.values())
