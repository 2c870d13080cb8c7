"""`not-explained`: none of the causes fits, or two readings stand equal; the raw timeline is shown.

A wrong cause costs more than none. What is certain is still said: how each rank ended, what the test saw.
"""

from app.domain.replay_words import CauseKind
from worker.replay.explain.aftermath import signal_name
from worker.replay.explain.answers import Answer
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import clean, exception


def find(scene: Scene) -> Answer:
    bad = [one for one in scene.lives.exits.values() if one.code != 0 and one.pid != scene.facts.main]
    bad.sort(key=lambda one: (one.t, one.pid))
    ends = [
        f"{scene.ranks.name(one.pid)} ended by {signal_name(one.signal)}"
        if one.signal is not None
        else f"{scene.ranks.name(one.pid)} ended with exit code {one.code}"
        for one in bad[:8]
    ]
    phase = scene.failed_phase()
    only = bad[0].pid if len(bad) == 1 else None
    return Answer(
        CauseKind.NOT_EXPLAINED,
        (
            "no cause of the closed set fits what was recorded",
            *ends,
            f"the test failed with {clean(phase.crash)}" if phase is not None and phase.crash else "",
            _ran_out(scene),
        ),
        pid=only,
        also=tuple(one.pid for one in bad),
        signal=bad[0].signal if only is not None else None,
        facts=_raised_by_test(scene),
    )


def _ran_out(scene: Scene) -> str:
    return "the trial ran into its own time limit" if scene.facts.timed_out else ""


def _raised_by_test(scene: Scene) -> dict[str, str | int | float | bool | None]:
    raised = [one for one in scene.exceptions if one.pid == scene.facts.main and one.got_out]
    return {"test_raised": exception(raised[0].raised.type, raised[0].raised.message)} if raised else {}
