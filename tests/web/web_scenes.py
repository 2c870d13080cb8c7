"""What can happen next in the story of `web_story`: each adds to the databases that hold it."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import update
from sqlalchemy.orm import Session
from web_story import FLAKY, FLIP, HOSTILE, NOW, REPO, Seen, Story, sha, verdict

from app.deps import Wiring
from app.domain.gap import Gap, GapKind
from app.domain.ids import DeliveryId, RepoName
from app.domain.main_alert import AlertEvent, AlertStep
from app.domain.outcome import OutcomeKind
from app.domain.run import Conclusion, PullRequest
from app.domain.tested_tree import TestedTree, TreeSource
from app.domain.verdict import Kind, Strength, Whose
from app.store import (
    artifacts,
    blobs,
    failures,
    gaps,
    inbox,
    outbox,
    recording,
    reports,
    repos,
    runs,
    tasks,
    verdicts,
)
from app.store.base import Base
from app.store.inbox import DeliveryState, StoredDelivery


def waiting_task(session: Session) -> None:
    """A task whose first try found GitHub away."""
    order = outbox.Order("attempt:1:29538690203:1:fetch", "fetch_artifacts", {})
    tasks.note_once(session, [order], at=NOW)
    tasks.begin_try(session, order.key, number=1, at=NOW)
    then = NOW + timedelta(minutes=4)
    told = "GitHub answered 502"
    tasks.wait(session, order.key, at=NOW, next_at=then, family="unavailable", error=told)


LONG_REPO = RepoName("an-organisation-with-a-long-name/" + "repository-" * 8)


def more_gaps(session: Session, *, attempt: int, number: int) -> None:
    more = [Gap(GapKind.LOG_GONE, f"job {place}", "GitHub has dropped it") for place in range(number)]
    gaps.note(session, attempt, None, more, at=NOW)


def another_red_day(session: Session) -> None:
    """More of everything that lists are made of."""
    story, failed = Story(session), OutcomeKind.FAILED
    for hour in (1, 2):
        outcomes = {FLAKY: failed, HOSTILE: failed, "test_new_today": failed}
        at = NOW - timedelta(minutes=30 * hour)
        jobs = [Seen(f"test (3.{minor})", Conclusion.FAILURE, outcomes) for minor in (11, 12, 13, 14)]
        key, found = story.attempt(
            29538700000 + hour, "push", sha(f"{hour}abcdef"), at, Conclusion.FAILURE, *jobs
        )
        for failure in found.values():
            regression = verdict(Kind.REGRESSION, Strength.LIKELY, Whose.UNKNOWN, FLIP)
            verdicts.record_change(session, failure, regression, facts={}, at=at)
        more_gaps(session, attempt=key, number=2)


def many_red_tests(session: Session, *, number: int) -> None:
    """One job in which that many tests fail that never failed before."""
    outcomes = {f"test_case_{place}": OutcomeKind.FAILED for place in range(number)}
    job = Seen("test (3.11)", Conclusion.FAILURE, outcomes)
    Story(session).attempt(29538800000, "push", sha("cafe"), NOW, Conclusion.FAILURE, job)


def all_clear(session: Session) -> None:
    """A green run of main, and the alert closed by it."""
    story, head = Story(session), sha("9c0d2f4")
    at = NOW - timedelta(minutes=9)
    story.attempt(
        29541380766, "push", head, at, Conclusion.SUCCESS, Seen("test (3.11)", Conclusion.SUCCESS, {})
    )
    known = reports.open_alert(session, story.repo, "main")
    assert known is not None
    closed = AlertEvent(NOW, AlertStep.CLOSED, head, "green again", 29541380766)
    alert = replace(
        known,
        state=reports.AlertState.CLOSED,
        closed_on=head,
        closed_at=NOW,
        history=(*known.history, closed),
    )
    reports.save_alert(session, alert)


def rerun_of_one_job(session: Session) -> None:
    """A second attempt of main's red run that runs one of the two red jobs again, which passes."""
    outcomes = {"test_rotate_keys": OutcomeKind.PASSED}
    job = Seen("test (3.13)", Conclusion.SUCCESS, outcomes)
    at = NOW - timedelta(hours=1)
    Story(session).attempt(29538690201, "push", sha("df3a615"), at, Conclusion.FAILURE, job, number=2)


def other_pulls(session: Session) -> None:
    """Pull requests 1 to 6: green, cancelled, red without a failure, red with one that is not judged,
    cancelled with a failure, green with a failure.
    """
    story, at = Story(session), NOW - timedelta(hours=1)
    red = {"test_case": OutcomeKind.FAILED}
    for number, conclusion, outcomes in (
        (1, Conclusion.SUCCESS, {}),
        (2, Conclusion.CANCELLED, {}),
        (3, Conclusion.FAILURE, {}),
        (4, Conclusion.FAILURE, red),
        (5, Conclusion.CANCELLED, red),
        (6, Conclusion.SUCCESS, red),
    ):
        head = sha(f"{number}ead")
        job = Seen("test (3.11)", conclusion, outcomes)
        key, _ = story.attempt(29539000000 + number, "pull_request", head, at, conclusion, job, pull=number)
        recording.mark_judged(session, key, at=NOW)


def commented(session: Session, *, comment: int) -> None:
    reports.remember_comment(
        session,
        Story(session).repo,
        83,
        comment=reports.PublishedComment(comment, "", published_at=NOW, is_posted=True),
    )


def green_push_at_the_same_head(session: Session, *passed: str, judged: bool = True) -> None:
    """The red run of pull request 83 fails again, then its workflow runs for the same commit and passes."""
    story, head, red = Story(session), sha("bd47e80"), Conclusion.FAILURE
    failing = Seen("test (3.12)", red, {FLAKY: OutcomeKind.FAILED, HOSTILE: OutcomeKind.FAILED})
    at = NOW - timedelta(hours=2)
    again, _ = story.attempt(29538416045, "push", head, at, red, failing, pull=83, number=2)
    judged_attempts(session, 12, 13, again)
    job = Seen("test (3.12)", Conclusion.SUCCESS, dict.fromkeys(passed, OutcomeKind.PASSED))
    at = NOW - timedelta(hours=1)
    key, _ = story.attempt(29538420000, "push", head, at, Conclusion.SUCCESS, job, pull=83)
    if judged:
        recording.mark_judged(session, key, at=NOW)


def reported_green_over_a_red_job(session: Session) -> None:
    """A re-run of pull request 83's red run that GitHub calls a success, and that left the red job out."""
    story, head = Story(session), sha("bd47e80")
    job = Seen("test (3.11)", Conclusion.SUCCESS, {FLAKY: OutcomeKind.PASSED})
    at = NOW - timedelta(hours=1)
    story.attempt(29538416045, "push", head, at, Conclusion.SUCCESS, job, pull=83, number=2)


def green_main_with_its_alert_open(session: Session) -> None:
    at = NOW - timedelta(minutes=9)
    job = Seen("test (3.11)", Conclusion.SUCCESS, {})
    Story(session).attempt(29541380766, "push", sha("9c0d2f4"), at, Conclusion.SUCCESS, job)


def cancelled_rerun(session: Session) -> None:
    """A second attempt of the red run of pull request 83 that is cancelled before it says anything."""
    job = Seen("test (3.12)", Conclusion.CANCELLED, {})
    at = NOW - timedelta(hours=1)
    story, head = Story(session), sha("bd47e80")
    story.attempt(29538416045, "push", head, at, Conclusion.CANCELLED, job, pull=83, number=2)


def pushed(session: Session, head: str, *, number: int = 83) -> None:
    """The pull request is heard of, with that head."""
    told = PullRequest(number, "Hand over", "grace", sha(head), "dcp-handoff", "main", True, None)  # noqa: FBT003
    repos.remember_pull(session, Story(session).repo, told)


def red_push(session: Session, head: str) -> None:
    """A red run of a branch for which GitHub names no pull request."""
    job = Seen("test (3.11)", Conclusion.FAILURE, {"test_case": OutcomeKind.FAILED})
    Story(session).attempt(29539100000, "push", sha(head), NOW, Conclusion.FAILURE, job)


def other_main(session: Session, case: str) -> None:
    """A second repository whose red main has no alert yet; `case` says what else is known of it."""
    story, at = Story(session, RepoName("octo/other")), NOW - timedelta(hours=1)
    head = sha("0ddba11")
    if case != "never green":
        before = head if case == "same commit" else sha("600d")
        story.attempt(1, "push", before, at - timedelta(hours=1), Conclusion.SUCCESS)
    outcomes = (
        {}
        if case in {"gap", "being read", "silent"}
        else {f"test_{n}": OutcomeKind.FAILED for n in range(10)}
    )
    key, found = story.attempt(
        2, "push", head, at, Conclusion.FAILURE, Seen("test", Conclusion.FAILURE, outcomes)
    )
    if case == "gap":
        more_gaps(session, attempt=key, number=1)
    if case == "silent":
        recording.mark_judged(session, key, at=NOW)
    if case == "judged":
        regression = verdict(Kind.REGRESSION, Strength.CONFIRMED, Whose.UNKNOWN, FLIP)
        for failure in found.values():
            verdicts.record_change(session, failure, regression, facts={}, at=NOW)


def unknown_trees(session: Session) -> None:
    for job in runs.jobs_of(session, 14):
        recording.set_tested_tree(session, job.id, TestedTree(TreeSource.UNKNOWN))
    for job in runs.jobs_of(session, 12):
        recording.set_tested_tree(session, job.id, TestedTree(TreeSource.MERGE_COMMIT))


def judged_attempts(session: Session, *attempts: int) -> None:
    for key in attempts:
        recording.mark_judged(session, key, at=NOW)


def green_with_lint(session: Session) -> int:
    """A judged green run, one of whose jobs leaves no results; another was skipped."""
    tested = Seen("test (3.11)", Conclusion.SUCCESS, {FLAKY: OutcomeKind.PASSED})
    others = (Seen("lint", Conclusion.SUCCESS, {}), Seen("deploy", Conclusion.SKIPPED, {}))
    story = Story(session)
    key, _ = story.attempt(29538900000, "push", sha("9ee"), NOW, Conclusion.SUCCESS, tested, *others)
    recording.mark_judged(session, key, at=NOW)
    return key


def hostile_file(session: Session, *, path: str) -> int:
    log = blobs.pack("<script>alert(1)</script>")
    blobs.keep(session, log)
    file = artifacts.SourceFile(None, "log", path, artifacts.FileKind.RANK_LOG, log.digest)
    artifacts.add_files(session, 14, [file])
    return 5


def long_texts(session: Session, *, characters: int) -> None:
    """One more failure whose text is that long, and a log of ten times that."""
    text, log = blobs.pack("x" * characters), blobs.pack(b"\xff" * (10 * characters))
    blobs.keep(session, text, log)
    at = NOW - timedelta(minutes=1)
    job = Seen("test (3.11)", Conclusion.FAILURE, {FLAKY: OutcomeKind.FAILED})
    key, found = Story(session).attempt(29549000000, "push", sha("10ng"), at, Conclusion.FAILURE, job)
    session.execute(
        update(failures.FailureRow)
        .where(failures.FailureRow.id.in_(found.values()))
        .values(text_blob=text.digest)
    )
    file = artifacts.SourceFile(None, "log", "job.log", artifacts.FileKind.JOB_LOG, log.digest, cut=True)
    artifacts.add_files(session, key, [file])


def another_delivery(session: Session) -> None:
    guid = DeliveryId("72d3162e-cc78-11e3-81ab-4c9367dc0959")
    state, note = DeliveryState.WAITING, "run 3, attempt 1, is completed"
    inbox.record_once(
        session, StoredDelivery(guid, "workflow_run", "completed", REPO, state, note, NOW, 1, b"{}"), {}
    )


def drop_tables(wired: Wiring) -> None:
    Base.metadata.drop_all(wired.store)


def long_names(session: Session) -> None:
    """A repository, a workflow's jobs, tests and a pull request with names as long as they come."""
    story, at = Story(session, LONG_REPO), NOW
    head, red, name = sha("10a6"), Conclusion.FAILURE, "test_" + "a_name_without_end_" * 12
    jobs = [
        Seen(
            "tests (ubuntu-24.04-arm64, 3.13-free-threading, nccl-2.28) / run", red, {one: OutcomeKind.FAILED}
        )
        for one in (name, name.replace("_", "") + "[" + "x" * 200 + "]")
    ]
    story.attempt(29539500000, "push", head, at, red, jobs[0])
    _, found = story.attempt(29539500001, "pull_request", head, at, red, jobs[1], pull=100_001)
    unproven = verdict(Kind.ORDER_DEPENDENT, Strength.CONFIRMED, Whose.UNKNOWN, FLIP, opaque=True)
    for failure in found.values():
        verdicts.record_change(session, failure, unproven, facts={}, at=at)
    infrastructure = verdict(Kind.INFRASTRUCTURE, Strength.SUSPECTED, Whose.UNKNOWN, FLIP, opaque=True)
    for key in (1, 2):
        verdicts.record_change(session, key, infrastructure, facts={}, at=at)
