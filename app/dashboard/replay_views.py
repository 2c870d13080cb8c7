"""What replays inside jobs claim, as the parts of pages."""

import shlex
from collections.abc import Iterable, Sequence
from typing import Final

from app.dashboard import links
from app.dashboard.evidence_parts import Replay, ReplayArm
from app.dashboard.parts import Link, Mark
from app.domain.replay_claim import ReplayClaim
from app.domain.replay_words import CauseKind, ReplayVerdict
from app.store.artifacts import FileKind
from app.store.replays import ArrivedReplay
from app.store.screens.one_test import FileLine

OF_VERDICT: Final = {
    ReplayVerdict.CONFIRMED_FLAKE: ("wave", "flake"),
    ReplayVerdict.REPRODUCED_ONCE: ("bang", "bad"),
    ReplayVerdict.DETERMINISTIC: ("cross", "bad"),
    ReplayVerdict.NOT_REPRODUCED: ("question", "open"),
    ReplayVerdict.OTHER_FAILURE: ("question", "open"),
    ReplayVerdict.NO_TRIAL: ("dash", "quiet"),
    ReplayVerdict.BUDGET_EXHAUSTED: ("clock", "quiet"),
}
"""Shape and tone; the word is the verdict's own."""

_OWN_WORD: Final = (
    "The job's own word: code from a fork, or of unknown origin, ran there and can have written anything. "
    "It proves nothing and excuses nothing."
)
_OWN_CLAIM: Final = (
    "A claim of the run itself, from the repository's own code. It can confirm a flake; it excuses nothing."
)


def replay(arrived: ArrivedReplay, files: Sequence[FileLine], failure: Link | None = None) -> Replay:
    """`files` are those kept from its attempt, among them its report."""
    claim = arrived.claim
    glyph, tone = OF_VERDICT[claim.verdict]
    return Replay(
        mark=Mark(claim.verdict.value.replace("-", " "), glyph, tone),
        test=claim.test,
        failure=failure,
        sentence=claim.sentence,
        cause="" if claim.cause is CauseKind.NONE else claim.cause.value,
        cause_sentence=claim.cause_sentence,
        exception=claim.exception,
        rate=_rate(claim),
        arms=tuple(ReplayArm(one.arm, f"{one.failures} of {one.trials}", one.limits) for one in claim.arms),
        worth=_OWN_WORD if arrived.own_word else _OWN_CLAIM,
        artifact=arrived.artifact_name,
        digest=arrived.artifact_digest or "not told by GitHub",
        manifest=f"sha256:{arrived.manifest}",
        report=_report(arrived, files),
        check=f"flake-triage bundle verify {_to_paste(arrived.folder)}",
    )


def _to_paste(folder: str) -> str:
    """A stranger's name of a folder, as one word of a command that people paste into a shell."""
    place = folder.rstrip("/") or "."
    return shlex.quote(f"./{place}" if place.startswith("-") else place)


def _rate(claim: ReplayClaim) -> str:
    if not claim.trials:
        return "no trial counts"
    low, high = 100 * claim.rate_low, 100 * claim.rate_high
    return (
        f"{claim.failures} of {claim.trials} trials failed, a rate between {low:.1f} % and {high:.1f} % "
        "(95 % confidence)"
    )


def _report(arrived: ArrivedReplay, files: Iterable[FileLine]) -> Link | None:
    """None once it is past its time."""
    path = f"{arrived.folder}report.json"[-500:]
    for file in files:
        is_its = file.kind is FileKind.REPLAY_REPORT and file.origin == arrived.artifact_name
        if is_its and file.path == path and file.job == arrived.job:
            return Link("its report", links.to_file(file.key))
    return None
