"""Play the story: tell GitHub's side of it step by step, every webhook twice and out of order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from app.standin.server import StandIn
from app.standin.webhooks import Letter, Mailbox
from worker.demo import facts
from worker.demo.facts import Story, StoryRun
from worker.demo.stage_set import StageSet
from worker.quiet import Quiet

STEP_WITHIN_S = 120.0


@dataclass(slots=True)
class Player:
    """`tell` gets a sentence a step; a step ends when the service is quiet again."""

    standin: StandIn
    mailbox: Mailbox
    stage: StageSet
    quiet: Quiet
    tell: Callable[[str], None]
    late: list[Letter] = field(default_factory=list)
    """Second copies, which arrive one step late and in reverse order."""

    def play(self, story: Story) -> None:
        for sentence, step in self._steps(story):
            self.tell(sentence)
            letters = step()
            self._deliver(letters)
            self.quiet.wait(within_s=STEP_WITHIN_S)
        self._deliver([])
        self.quiet.wait(within_s=STEP_WITHIN_S)

    def _steps(self, story: Story) -> Iterator[tuple[str, Callable[[], list[Letter]]]]:
        runs = self._run
        yield "main is green, and a branch had this failure once", lambda: runs(*story.before)
        yield (
            f"pull request {facts.PULL} is opened; the push run fails on Python {story.push.fails_on}",
            lambda: [*self._opened(), *runs(story.push)],
        )
        yield "the pull request's own run of the same commit passes", lambda: runs(story.pull_request)
        yield (
            f"it is merged; main fails on Python {story.merged.fails_on}",
            lambda: [*runs(*story.between), *self._merged(story)],
        )
        yield "the next commit on main is green", lambda: runs(story.green)

    def _run(self, *runs: StoryRun) -> list[Letter]:
        letters: list[Letter] = []
        for run in runs:
            if run.branch == facts.MAIN:
                self.stage.move_main(run.head)
            self.stage.run(run)
            # GitHub does not keep the order: the end arrives before the beginning.
            actions = ("completed", "requested", "in_progress")
            letters += [self.mailbox.workflow_run(run.id, action) for action in actions]
        return letters

    def _opened(self) -> list[Letter]:
        self.stage.open_pull()
        return [self.mailbox.pull_request(facts.REPO, facts.PULL, "opened")]

    def _merged(self, story: Story) -> list[Letter]:
        self.stage.merge_pull()
        return [
            *self._run(story.merged),
            self.mailbox.pull_request(facts.REPO, facts.PULL, "closed"),
        ]

    def _deliver(self, letters: list[Letter]) -> None:
        for letter in letters:
            self.mailbox.send(letter)
        for letter in reversed(self.late):
            self.mailbox.send(letter)
        self.late = letters
