"""A story as short as can be that passes through everything, to be told undisturbed and disturbed.

Its chapters: main is green, and results come of an unknown job; a push to the pull request's branch fails,
one test of it without a word why, so that its source is linted, and one that is replayed in the job; GitHub
fails with it, so that a try is made again: the comment; the pull request's own run of the same code
passes: the comment changes; main is red: the alert; main is green: it is closed. Letters come twice.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from fixtures_bundle import bundle
from fixtures_github import ManualClock
from scene import BASE, BRANCH, FAILING, HEAD, ON_MAIN, PASSING, REPO, Case, Made, Ran, Scene, junit
from weak_source import OPAQUE, OPAQUE_PASSES, SOURCE, SOURCE_PATH

from app.standin.faults import SERVER_ERROR
from app.standin.state import State
from app.standin.webhooks import Letter, Mailbox

BEGINS_AT = datetime(2026, 1, 5, 6, tzinfo=UTC)
"""Constant, so that two plays can be compared to the letter."""

MENDED = "9" * 40
RUNS = (1, 2, 3, 4, 5)

Chapter = Callable[[], list[Letter]]
"""Lets it happen at GitHub, and returns the letters about it in the order of their arrival."""


class ShortStory:
    """Keeps a time of its own: what happened when does not depend on how long the service takes."""

    def __init__(self, state: State, mailbox: Mailbox) -> None:
        clock = ManualClock()
        clock.at = BEGINS_AT
        self._scene, self._mailbox = Scene(state, clock), mailbox
        state.add_commit(REPO, MENDED, MENDED, (ON_MAIN,), "Mend it", "ann", at=clock.at)
        state.add_file(REPO, SOURCE_PATH, SOURCE.encode(), HEAD, ON_MAIN)

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        passed = Ran("test (a)", (PASSING, Case(FAILING.name), OPAQUE_PASSES))
        failed = Ran("test (a)", (PASSING, FAILING, OPAQUE))
        source = {f"source/{SOURCE_PATH}": SOURCE.encode()}
        evidence = (*failed.artifacts, Made("replay-test (a)", bundle(more=source)))
        replayed = Ran("test (a)", failed.cases, made=evidence)
        orphans = Made("everything", {"junit.xml": junit(PASSING)})
        built = Ran("build", made=(orphans,), conclusion="success")
        return (
            lambda: self._ends(1, passed, built, head=BASE, branch="main"),
            lambda: self._ends_in_trouble(2, replayed),
            lambda: self._ends(3, passed, event="pull_request"),
            lambda: self._ends(4, failed, head=ON_MAIN, branch="main"),
            lambda: self._ends(5, passed, head=MENDED, branch="main"),
        )

    def _ends(
        self, run: int, *jobs: Ran, event: str = "push", head: str = HEAD, branch: str = BRANCH
    ) -> list[Letter]:
        if branch == "main":
            self._scene.state.set_branch(REPO, "main", head)
        self._scene.run(run, *jobs, event=event, head=head, branch=branch)
        end = self._mailbox.workflow_run(run, "completed")
        return [end, self._mailbox.workflow_run(run, "in_progress"), end]

    def _ends_in_trouble(self, run: int, *jobs: Ran) -> list[Letter]:
        self._scene.state.faults.inject(f"*/runs/{run}/artifacts", SERVER_ERROR)
        return self._ends(run, *jobs)
