"""What a step has to tell, made up: incident 2's shape, calm or with hostile text wherever a test writes."""

from dataclasses import replace
from pathlib import Path

from told_trials import divergence, lonely_facts, replay_of, trial

from app.domain.replay_words import CauseKind, FindingKind, Outcome, ReplayVerdict
from worker.commands.in_job.told import JobReport, Replayed
from worker.replay.bundle.scene import scene_of
from worker.replay.facts import Raised
from worker.replay.report import Replay
from worker.replay.trial import Explained, Explanation, Finding, Trial

FAILED = trial(4, Path("004"), outcome=Outcome.FAILED, bare=False)
BARE = trial(1, Path("001"), outcome=Outcome.FAILED, bare=True)
PASSED = trial(5, Path("005"), outcome=Outcome.PASSED, bare=False)


def diverged() -> Replayed:
    return Replayed(replay_of((BARE, FAILED, PASSED)), FAILED, scene_of(lonely_facts(), FAILED.explanation))


def not_reproduced(test: str = "test_calm.py::test_calm") -> Replayed:
    calm = replace(
        replay_of((FAILED,)),
        trials=(PASSED,),
        test=test,
        verdict=ReplayVerdict.NOT_REPRODUCED,
        sentence="it passed 31 of 31 trials: a rate up to 9.2 % is not excluded",
        explanation=Explanation(Explained(CauseKind.NONE)),
        findings=(),
        collateral=(),
    )
    return Replayed(calm)


def job(*replayed: Replayed, red: int | None = None, **more: object) -> JobReport:
    told = JobReport(300.0, red=len(replayed) if red is None else red, replayed=replayed, is_ended=True)
    return replace(told, **more)  # type: ignore[arg-type]  # fields by name, as the caller needs


def hostile(text: str) -> Replayed:
    """The same replay with `text` in every place that a test, a log or a path can write to."""
    cause = divergence()
    assert cause.exception is not None
    assert cause.collective is not None
    cause = replace(
        cause,
        sentence=text,
        exception=replace(cause.exception, type=text, message=text),
        collective=replace(cause.collective, group=text, op=text, call_site=text),
        consequences=(text,),
    )
    failed: Trial = replace(
        FAILED,
        reason=text,
        failure_text=text,
        held=replace(FAILED.held, notes=(text,)),
        explanation=Explanation(cause, matched={text: 3}),
    )
    facts = lonely_facts()
    scene = scene_of(
        replace(
            facts,
            raised=tuple(_saying(one, text) for one in facts.raised),
            collectives=tuple(replace(one, op=text, group=text) for one in facts.collectives),
            groups=tuple(replace(one, name=text) for one in facts.groups),
            processes=tuple(replace(one, name=text) for one in facts.processes),
        ),
        failed.explanation,
    )
    replay: Replay = replace(
        replay_of((failed,)),
        test=f"test_a.py::{text}",
        sentence=text,
        explanation=failed.explanation,
        findings=(Finding(FindingKind.UNREAD_REPORT, text),),
        collateral=(replace(cause, sentence=text),),
    )
    return Replayed(replay, failed, scene)


def _saying(raised: Raised, text: str) -> Raised:
    return replace(raised, message=text, type=text)
