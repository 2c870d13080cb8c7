"""The page and the scene of the made-up replay."""

from pathlib import Path

from told_trials import healthy_facts, lonely_facts, replay_of, trial

from app.domain.replay_words import Outcome
from worker.replay.bundle.named import Named
from worker.replay.bundle.page import Shown, page
from worker.replay.bundle.scene import Scene, scene_of

FAILED_BARE = trial(1, Path("001"), outcome=Outcome.FAILED, bare=True)
FAILED = trial(2, Path("002"), outcome=Outcome.FAILED, bare=False)
PASSED = trial(3, Path("003"), outcome=Outcome.PASSED, bare=False)


def shown_scene() -> Scene:
    return scene_of(lonely_facts(), FAILED.explanation)


def shown_page() -> str:
    facts = lonely_facts()
    named = Named(1_100_000_000, "provisional: rank 1 waits", ("rank 0 raised ValueError: no packing fits",))
    failed = Shown(FAILED, shown_scene(), facts.stderr_tail, (named,))
    control = Shown(PASSED, scene_of(healthy_facts(), PASSED.explanation), "")
    about = {"interpreter": "/project/.venv/bin/python", "package torch": "2.13.0"}
    return page(replay_of((FAILED_BARE, FAILED, PASSED)), failed, control, about)
