"""Runs, jobs and results are stored once however often they come, and counted once."""

from dataclasses import replace
from datetime import date, timedelta

from desk import NOON, Desk
from sqlalchemy import select, update

from app.domain.ids import RepoName, RunId, Sha, TreeSha
from app.domain.outcome import OutcomeKind
from app.domain.run import Conclusion, PullRequest
from app.domain.run_vector import Cell
from app.domain.tested_tree import TestedTree, TreeSource
from app.store import known_attempt, recording, repos, results, runs, workflows
from app.store.observations import Observations
from app.store.results import DailyCountRow, JobCells
from app.store.runs import AttemptRow, JobRow

PASSED, FAILED, SKIPPED = OutcomeKind.PASSED, OutcomeKind.FAILED, OutcomeKind.SKIPPED
DAY = date(2026, 11, 30)


def test_an_attempt_that_comes_twice_is_one(desk: Desk) -> None:
    first, second = desk.attempt(jobs=("a", "b")), desk.attempt(jobs=("a", "b"))
    assert first == second
    assert [job.name for job in runs.jobs_of(desk.session, first.id)] == ["a", "b"]


def test_shards_of_one_job_share_a_variant(desk: Desk) -> None:
    jobs = runs.jobs_of(desk.session, desk.attempt(jobs=("test (1/2)", "test (2/2)", "test (py3.12)")).id)
    assert [(job.variant, job.shard) for job in jobs] == [
        ("test", "1/2"),
        ("test", "2/2"),
        ("test (py3.12)", None),
    ]
    assert jobs[0].variant_id == jobs[1].variant_id != jobs[2].variant_id


def test_an_orphan_job_is_adopted_once_under_a_negative_id(desk: Desk) -> None:
    attempt = desk.attempt()
    adopted = recording.adopt_job(desk.session, attempt, "artifact reports")
    assert adopted == recording.adopt_job(desk.session, attempt, "artifact reports")
    assert adopted.github_id < 0
    assert adopted.conclusion is None


def test_what_a_job_tested_is_read_as_it_was_written(desk: Desk) -> None:
    job = desk.stored_job()
    assert job.tested.source is TreeSource.UNKNOWN
    tested = TestedTree(
        TreeSource.MERGE_COMMIT, Sha("c" * 40), TreeSha("d" * 40), Sha("e" * 40), base_in_head=True
    )
    recording.set_tested_tree(desk.session, job.id, tested)
    desk.session.expire_all()
    assert runs.jobs_of(desk.session, job.attempt)[0].tested == tested


def test_attempts_are_found_by_head_and_by_branch(desk: Desk) -> None:
    attempt = desk.attempt()
    assert runs.attempts_at(desk.session, desk.repo, attempt.head_sha) == [attempt]
    assert runs.attempts_at(desk.session, desk.repo, Sha("b" * 40)) == []
    assert runs.attempts_on(desk.session, desk.repo, "main", limit=5) == [attempt]
    assert runs.attempts_on(desk.session, desk.repo, "topic", limit=5) == []


def test_the_last_green_is_another_commit_that_succeeded_by_then(desk: Desk) -> None:
    attempt = desk.attempt()
    desk.session.execute(update(AttemptRow).values(conclusion="success"))
    after = replace(attempt, head_sha=Sha("b" * 40))
    observations = Observations(desk.session)
    assert observations.last_green(attempt, "main") is None
    assert observations.last_green(after, "main") == attempt.head_sha
    assert observations.last_green(after, "topic") is None
    assert observations.last_green(replace(after, workflow_id=6), "main") is None
    earlier = replace(after, started_at=NOON - timedelta(seconds=1))
    assert observations.last_green(earlier, "main") is None


def test_counting_is_claimed_once(desk: Desk) -> None:
    job = desk.stored_job()
    assert recording.claim_counting(desk.session, [job.id], at=NOON) == {job.id}
    assert recording.claim_counting(desk.session, [job.id], at=NOON) == set()


def test_an_attempt_is_known_with_its_jobs_and_reopened(desk: Desk) -> None:
    assert known_attempt.find(desk.session, desk.repo, RunId(1), 1) is None
    attempt = desk.attempt()
    recording.mark_judged(desk.session, attempt.id, at=NOON)
    known = known_attempt.find(desk.session, desk.repo, RunId(1), 1)
    assert known is not None
    assert known.attempt == replace(attempt, is_judged=True)
    assert [job.name for job in known.jobs] == ["test"]
    known_attempt.reopen(desk.session, attempt.id)
    assert desk.session.scalars(select(AttemptRow.judged_at)).all() == [None]
    assert known_attempt.count(desk.session, attempt.id, []) == known_attempt.Counts(0, 0, 0)


def test_a_workflow_known_by_name_alone_gets_githubs_id_and_keeps_its_history(desk: Desk) -> None:
    placeholder = workflows.id_of(desk.session, desk.repo, "ci")
    assert placeholder < 0
    old = desk.attempt(workflow_id=placeholder)
    before = runs.jobs_of(desk.session, old.id)
    workflows.adopt(desk.session, desk.repo, 5, "ci")
    desk.session.expire_all()
    assert runs.attempt(desk.session, old.id).workflow_id == 5
    new = desk.attempt(2)
    assert runs.jobs_of(desk.session, new.id)[0].variant_id == before[0].variant_id
    assert workflows.id_of(desk.session, desk.repo, "ci") == 5
    assert workflows.id_of(desk.session, desk.repo, "docs") < 0


def test_adopting_a_workflow_leaves_a_variant_that_is_taken(desk: Desk) -> None:
    desk.attempt(1)
    old = desk.attempt(2, workflow_id=workflows.placeholder_id("workflow", "ci"))
    workflows.adopt(desk.session, desk.repo, 5, "ci")
    desk.session.expire_all()
    assert runs.attempt(desk.session, old.id).workflow_id < 0


def test_a_vector_replaces_itself(desk: Desk) -> None:
    job = desk.stored_job()
    for outcome in (PASSED, FAILED):
        cells = (Cell(7, outcome, 12),)
        results.store_vector(desk.session, JobCells(job.id, job.variant_id, cells), day=DAY)
    assert results.vectors(desk.session, [job.id])[job.id].cells() == (Cell(7, FAILED, 12),)
    assert results.tallies(desk.session, [job.id]) == {job.id: (1, 1)}
    assert results.vectors(desk.session, [job.id + 1]) == {}


def test_counters_sum_jobs_and_days(desk: Desk) -> None:
    cells = (Cell(1, PASSED, 10), Cell(2, FAILED, None), Cell(3, SKIPPED, 5))
    shards = [JobCells(1, 4, cells), JobCells(2, 4, cells[:2])]
    results.add_to_days(desk.session, shards, day=DAY)
    results.add_to_days(desk.session, shards[1:], day=DAY)
    results.add_to_days(desk.session, shards[1:], day=date(2026, 12, 1))
    rows = desk.session.scalars(select(DailyCountRow).order_by(DailyCountRow.day, DailyCountRow.test_id))
    counts = [(row.day.day, row.test_id, row.ran, row.red, row.skipped, row.duration_ms) for row in rows]
    assert counts == [
        (30, 1, 3, 0, 0, 30),
        (30, 2, 3, 3, 0, 0),
        (30, 3, 0, 0, 1, 5),
        (1, 1, 1, 0, 0, 10),
        (1, 2, 1, 1, 0, 0),
    ]


def test_a_repository_is_one_whatever_its_case(desk: Desk) -> None:
    assert repos.remember(desk.session, RepoName("Octo/LIB")) == desk.repo
    assert repos.key_of(desk.session, RepoName("OCTO/lib")) == desk.repo
    assert repos.name_of(desk.session, desk.repo) == "octo/lib"
    repos.remember(desk.session, RepoName("Octo/Lib"), github_id=9, default_branch="trunk")
    assert repos.name_of(desk.session, desk.repo) == "Octo/Lib"
    assert repos.default_branch(desk.session, desk.repo) == "trunk"


def test_a_pull_request_is_kept_as_last_seen(desk: Desk) -> None:
    opened = PullRequest(7, "Add", "ada", Sha("a" * 40), "topic", "main", is_open=True, merged_at=None)
    assert repos.pull(desk.session, desk.repo, 7) is None
    repos.remember_pull(desk.session, desk.repo, opened)
    merged = replace(opened, is_open=False, merged_at=NOON)
    repos.remember_pull(desk.session, desk.repo, merged)
    assert repos.pull(desk.session, desk.repo, 7) == merged


def test_the_conclusion_of_a_job_follows_what_came_last(desk: Desk) -> None:
    attempt = desk.attempt()
    job = replace(desk.job(100, 1, "test"), conclusion=Conclusion.SUCCESS)
    recording.record_jobs(desk.session, desk.repo, attempt.workflow_id, attempt.id, [job])
    assert desk.session.scalars(select(JobRow.conclusion)).all() == ["success"]
