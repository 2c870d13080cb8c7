"""What a person should do after a replay: one short sentence each, by verdict, cause and findings."""

from collections.abc import Iterator
from typing import Final

from app.domain.replay_words import CauseKind, FindingKind, ReplayVerdict
from worker.replay.engine import INTERRUPTED
from worker.replay.report import Replay
from worker.replay.trial import Explained

_VERDICTS: Final = {
    ReplayVerdict.CONFIRMED_FLAKE: "A re-run of the job may pass, and mends nothing: it failed and passed on "
    "this very commit, in this very environment.",
    ReplayVerdict.DETERMINISTIC: "A re-run will not help: it failed in every trial on this commit.",
    ReplayVerdict.REPRODUCED_ONCE: "Whether it fails every time is not known yet: a larger `--budget` says.",
    ReplayVerdict.NOT_REPRODUCED: "Re-run the job. It may still be a flake: the rate that these trials do "
    "not exclude stands above.",
    ReplayVerdict.OTHER_FAILURE: "It failed, and not as in the job: compare the two before either is mended.",
    ReplayVerdict.NO_TRIAL: "Mend what keeps the test from running by itself, as named above.",
    ReplayVerdict.BUDGET_EXHAUSTED: "Too few trials to say anything: give the step a larger `--budget`.",
}

_TOO_EARLY: Final = frozenset(
    {ReplayVerdict.REPRODUCED_ONCE, ReplayVerdict.NO_TRIAL, ReplayVerdict.BUDGET_EXHAUSTED}
)
_NOTHING: Final = _TOO_EARLY - {ReplayVerdict.REPRODUCED_ONCE}
_INTERRUPTED: Final = "Run the step again: it was interrupted before enough trials had ended to say more."

_CAUSES: Final = {
    CauseKind.RANK_EXCEPTION: "Look at the exception first: what the other ranks report follows from it.",
    CauseKind.RANK_DIVERGENCE: "Have all ranks agree on the outcome of what may raise before the next "
    "collective: a handler around both comes too late.",
    CauseKind.COLLECTIVE_MISMATCH: "Have every rank call the same operation there, with the same shape "
    "and root.",
    CauseKind.LATE_RANK: "Give the deadline room for a slow runner, or have the ranks meet before the work "
    "whose time differs.",
    CauseKind.EARLY_EXIT: "Put a barrier before a rank leaves, so that none is gone while another needs it.",
    CauseKind.INIT_FAILURE: "Look at how the ranks find each other: address, world size, and who calls init.",
    CauseKind.PORT_IN_USE: "Let the kernel choose the port where it is used, or hand the bound socket over: "
    "one that was found free may be taken by now.",
    CauseKind.CRASH_SIGNAL: "Look at the native code below that place: nothing that a worker prints tells of "
    "a signal.",
    CauseKind.OOM_KILL: "Let the test use less memory, or the runner have more.",
    CauseKind.TERMINATED_SLOW: "Give the worker more time, or less work: it was ended while it made "
    "progress, and did not crash.",
    CauseKind.DEADLOCK: "Have both take the two in the same order.",
    CauseKind.TEST_ASSERTION: "Nothing else went wrong than the assertion: look at its two sides.",
    CauseKind.NOT_EXPLAINED: "Look at the timeline in the bundle's page: no cause that we know fits.",
}

_FINDINGS: Final = {
    FindingKind.UNREAD_REPORT: "Read one report of every process before the exit codes are looked at: the "
    "traceback was put on a queue and never read.",
    FindingKind.REPORT_NOT_SHOWN: "Assert on the reports before the exit codes: the traceback was read and "
    "not shown.",
    FindingKind.INIT_OUTSIDE_TRY: "Move the init into the `try` that reports: else what it raises is lost.",
    FindingKind.LEAKED_PROCESS: "End every process that the test starts, also when it fails.",
    FindingKind.LEAKED_PORT: "Close what the test listens on, also when it fails.",
    FindingKind.PROBE_CHANGES_RATE: "Trust the bare trials: being looked at changes how often it fails.",
}


def advice(replay: Replay) -> Iterator[str]:
    """As Markdown, the most useful first."""
    cause = replay.explanation.cause
    if cause.kind in _CAUSES:
        yield _CAUSES[cause.kind]
    yield from dict.fromkeys(_FINDINGS[one.kind] for one in replay.findings if one.kind in _FINDINGS)
    is_too_early = INTERRUPTED in replay.decisions and replay.verdict in _TOO_EARLY
    yield _INTERRUPTED if is_too_early else _VERDICTS[replay.verdict]


def verdict_word(replay: Replay) -> str:
    """The verdict's; and that a signal ended the replay, which alone counts where nothing is known yet."""
    if INTERRUPTED not in replay.decisions:
        return replay.verdict.value
    return "interrupted" if replay.verdict in _NOTHING else f"{replay.verdict.value}, interrupted"


def window(cause: Explained) -> Iterator[str]:
    """Where a mend must stand, as plain text of the test's."""
    if cause.window is None:
        return
    if cause.window.after:
        yield f"after {cause.window.after}"
    if cause.window.before:
        yield f"before {cause.window.before}"
