"""Put the story's repository, commits and runs into the stand-in GitHub, as they come to be."""

from datetime import datetime, timedelta

from app.standin.state import State
from worker.demo import facts, sources, texts
from worker.demo.facts import Story, StoryRun
from worker.demo.texts import StoryJob

_TREE_DIGITS = 40
_ON_MAIN = frozenset({facts.MERGE, facts.MENDED})
"""Commits that have the longer form of the test's file."""


class StageSet:
    """`begins_at` is the story's first moment; everything else is told from there."""

    def __init__(self, state: State, story: Story, *, begins_at: datetime) -> None:
        self._state, self._story, self._begins_at = state, story, begins_at

    def build(self) -> None:
        """The repository with all its commits, and the failing test's file in each; runs come later."""
        self._state.add_repository(facts.REPO, facts.REPO_ID, facts.MAIN)
        for commit in self._story.commits:
            tree = commit.tree.encode().hex().ljust(_TREE_DIGITS, "0")[:_TREE_DIGITS]
            self._state.add_commit(
                facts.REPO,
                commit.sha,
                tree,
                commit.parents,
                commit.subject,
                commit.author,
                at=self._begins_at + commit.after,
            )
            source = sources.checkpoint_test(on_main=commit.sha in _ON_MAIN)
            self._state.add_file(facts.REPO, sources.PATH, source.encode(), commit.sha)
        self._state.set_branch(facts.REPO, facts.MAIN, facts.BASE)

    def open_pull(self) -> None:
        self._state.add_pull(
            facts.REPO,
            facts.PULL,
            facts.PULL_BRANCH,
            facts.HEAD,
            facts.MAIN,
            "Make the DCP handoff exact",
            "tamar",
            at=self._begins_at + timedelta(hours=26),
        )

    def move_main(self, sha: str) -> None:
        self._state.set_branch(facts.REPO, facts.MAIN, sha)

    def merge_pull(self) -> None:
        at = self._begins_at + timedelta(hours=28)
        self._state.merge_pull(facts.REPO, facts.PULL, facts.MERGE, at=at)

    def run(self, run: StoryRun) -> None:
        """Add a run with its whole matrix, finished."""
        started_at = self._begins_at + run.after
        pulls = () if run.pull is None else (run.pull,)
        self._state.add_run(
            facts.REPO,
            run.id,
            event=run.event,
            head_sha=run.head,
            head_branch=run.branch,
            at=started_at,
            pulls=pulls,
            actor="tamar",
        )
        ended = [self._job(run, python, index, started_at) for index, python in enumerate(facts.PYTHONS)]
        self._state.complete_run(run.id, 1, run.conclusion, at=max(ended))

    def _job(self, run: StoryRun, python: str, index: int, run_started_at: datetime) -> datetime:
        commit = next(one for one in self._story.commits if one.sha == run.checked_out)
        merged = None if run.checked_out == run.head else (run.head, commit.parents[0])
        job = StoryJob(run, python, run_started_at + timedelta(seconds=6 + index), commit.sha, merged)
        self._state.add_job(
            facts.REPO,
            run.id,
            1,
            run.id * 10 + index,
            f"test ({python})",
            "failure" if job.fails else "success",
            started_at=job.started_at,
            completed_at=job.completed_at,
            log=texts.log(job),
            failed_step="Run the tests" if job.fails else None,
        )
        self._state.add_artifact(
            facts.REPO,
            run.id,
            f"junit-{python}",
            {"junit.xml": texts.junit(job)},
            created_at=job.completed_at - timedelta(seconds=4),
        )
        return job.completed_at
