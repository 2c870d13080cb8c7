"""A story for pages to tell: a red main, a known flake, a hostile test, gaps and a dead letter."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import web_evidence
from sqlalchemy.orm import Session

from app.deps import Wiring
from app.domain.category import Category
from app.domain.gap import Gap, GapKind
from app.domain.ids import DeliveryId, JobId, RepoName, RunId, Sha, TreeSha
from app.domain.main_alert import AlertEvent, AlertStep
from app.domain.outcome import OutcomeKind, TestId
from app.domain.run import Conclusion, Job, WorkflowRun
from app.domain.run_vector import Cell
from app.domain.tested_tree import TestedTree, TreeSource
from app.domain.verdict import EvidenceKind, EvidenceStrength, Kind, Reason, Strength, Verdict, Whose
from app.store import (
    artifacts,
    blobs,
    commits,
    failures,
    gaps,
    groups,
    identities,
    inbox,
    outbox,
    recording,
    reports,
    repos,
    results,
    runs,
    tasks,
    verdicts,
)
from app.store.inbox import DeliveryState, StoredDelivery
from app.store.session import unit_of_work

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
REPO = RepoName("octo/gefen")
HOSTILE = "test_<img src=x onerror=alert(1)>[\u202egnp.exe]\x1b[31m"
FLAKY = "test_full_dcp_handoff_is_exact_on_same_dtensor_topology[muon_normuon]"
TEXT = """\
    def test_full_dcp_handoff_is_exact_on_same_dtensor_topology(case):
        rank_checks = result_queue.get(timeout=180)
        assert rank_checks is not None, "distributed checkpoint workers timed out"
>       assert all(process.exitcode == 0 for process in processes)
E       assert False
E        +  where False = all(<generator object at 0x7f1c2e>)

tests/test_gefen_fsdp2_checkpoint.py:412: AssertionError
"""


def sha(of: str) -> Sha:
    return Sha((of * 40)[:40])


@dataclass(frozen=True, slots=True)
class Seen:
    """One job: its outcome of each test that it reports."""

    name: str
    conclusion: Conclusion
    outcomes: dict[str, OutcomeKind]


class Story:
    """Writes rows as the stages would; verdicts and signatures are given, not computed."""

    def __init__(self, session: Session, name: RepoName = REPO) -> None:
        self.session = session
        self.name = name
        self.repo = repos.remember(session, name, default_branch="main")
        self.jobs = 5000

    def attempt(
        self,
        run: int,
        event: str,
        head: Sha,
        at: datetime,
        conclusion: Conclusion,
        *seen: Seen,
        pull: int | None = None,
        number: int = 1,
    ) -> tuple[int, dict[str, int]]:
        """Record one attempt; returns its key and the keys of its failures by `job::test`."""
        jobs = tuple(self._job(run, number, one, at) for one in seen)
        recorded = WorkflowRun(
            id=RunId(run),
            repo=self.name,
            attempt=number,
            workflow_id=11,
            workflow="CI",
            event=event,
            head_sha=head,
            head_branch="main" if event == "push" and pull is None else "dcp-handoff",
            conclusion=conclusion,
            started_at=at,
            completed_at=at + timedelta(minutes=9),
            actor="octo",
            from_fork=False,
            pulls=(),
            url=f"https://github.com/{REPO}/actions/runs/{run}",
        )
        key = recording.record_attempt(self.session, self.repo, recorded, jobs, pull=pull, recorded_at=at)
        by_name = {job.name: job for job in runs.jobs_of(self.session, key)}
        found: dict[str, int] = {}
        cells = []
        for one in seen:
            job = by_name[one.name]
            source = TreeSource.MERGE_COMMIT if event == "pull_request" else TreeSource.HEAD
            recording.set_tested_tree(
                self.session,
                job.id,
                TestedTree(source, commit=head, tree=TreeSha(sha("1a2b3c4")), base_in_head=True),
            )
            cells.append(self._cells(job.id, job.variant_id, one.outcomes))
            if one.outcomes:
                results.store_vector(self.session, cells[-1], day=at.date())
            found |= self._failures(key, job.id, one, at)
        results.add_to_days(self.session, cells, day=at.date())
        return key, found

    def _job(self, run: int, number: int, seen: Seen, at: datetime) -> Job:
        self.jobs += 1
        return Job(
            id=JobId(self.jobs),
            run_id=RunId(run),
            attempt=number,
            name=seen.name,
            conclusion=seen.conclusion,
            started_at=at,
            completed_at=at + timedelta(minutes=8),
            runner="ubuntu-24.04",
            labels=("ubuntu-latest",),
            failed_step="pytest" if seen.conclusion.is_red else None,
            url=f"https://github.com/{REPO}/actions/runs/{run}/job/{self.jobs}",
        )

    def test(self, name: str) -> int:
        test = TestId(file="", suite="", classname="tests.test_gefen_fsdp2_checkpoint", name=name)
        return identities.keys_of(self.session, self.repo, [test])[test]

    def _cells(self, job: int, variant: int, outcomes: dict[str, OutcomeKind]) -> results.JobCells:
        return results.JobCells(
            job, variant, tuple(Cell(self.test(name), kind, 1200) for name, kind in outcomes.items())
        )

    def _failures(self, attempt: int, job: int, seen: Seen, at: datetime) -> dict[str, int]:
        red = [name for name, kind in seen.outcomes.items() if kind.is_red]
        text = blobs.pack(TEXT + f"\n# \u202e{HOSTILE}\x1b[0m</pre><script>alert(1)</script>\n")
        blobs.keep(self.session, text)
        new = [
            failures.NewFailure(
                job=job,
                test=self.test(name),
                outcome=OutcomeKind.FAILED,
                message="assert False",
                text_blob=text.digest,
                cut=name == HOSTILE,
                path=None,
                line=None,
                failed_at=at + timedelta(minutes=8),
            )
            for name in red
        ]
        failures.record_once(self.session, self.repo, attempt, new)
        stored = {(one.job, one.test): one.id for one in failures.of_attempt(self.session, attempt)}
        found = {}
        for name in red:
            key = stored[(job, self.test(name))]
            self._sign(key, name, at)
            found[f"{seen.name}::{name}"] = key
        return found

    def _sign(self, failure: int, name: str, at: datetime) -> None:
        group = groups.place(
            self.session,
            self.repo,
            key=f"v1:group:{name[:40]}",
            test=self.test(name),
            algorithm=1,
            category=Category.ASSERTION,
            title=f"assert all(process.exitcode == 0 for process in processes)  {name[:12]}",
            opaque=name == FLAKY,
            seen_at=at,
        )
        signing = failures.Signing(
            group=group,
            algorithm=1,
            keys={"group": f"v1:group:{name[:40]}"},
            category=Category.ASSERTION,
            generic=False,
            opaque=name == FLAKY,
            title="assert all(process.exitcode == 0 for process in processes)",
            record={},
        )
        failures.sign(self.session, failure, signing)


FLIP = Reason(
    EvidenceKind.SAME_TREE_FLIP,
    EvidenceStrength.STRONG,
    "run 29538418197 (pull_request, job test (3.12)) passed and run 29538416045 (push, job test (3.12)) "
    "failed at bd47e80; both checked out tree 1a2b3c4 (merge commit and the head itself)",
    (29538416045, 29538418197),
)
ELSEWHERE = Reason(
    EvidenceKind.FLIPPED_ELSEWHERE,
    EvidenceStrength.WEAK,
    "the same failure flipped at bd47e80: run 29538418197 passed and run 29538416045 failed there",
    (29538416045, 29538418197),
)
WITHOUT = Reason(
    EvidenceKind.SEEN_WITHOUT_CHANGE,
    EvidenceStrength.WEAK,
    "the same failure happened without the change: run 29538690201 failed at df3a615",
    (29538690201,),
)
OPAQUE = Reason(EvidenceKind.OPAQUE, EvidenceStrength.CONTEXT, "the text of this failure holds no cause")
TREE_GAP = Gap(GapKind.TREE_UNKNOWN, "test (3.12)", "the checkout step's lines were not found in its log")


def verdict(kind: Kind, strength: Strength, whose: Whose, *reasons: Reason, opaque: bool = False) -> Verdict:
    return Verdict(kind, strength, whose, reasons, (TREE_GAP,), opaque=opaque, policy_version="1")


def tell(wired: Wiring) -> None:
    """Write the whole story into both databases."""
    with unit_of_work(wired.store) as session:
        _main(Story(session))
        order = outbox.Order("attempt:1:29538690201:1:fetch", "fetch_artifacts", {})
        tasks.note_once(session, [order], at=NOW)
        tasks.begin_try(session, order.key, number=1, at=NOW)
        tasks.bury(
            session,
            order.key,
            at=NOW - timedelta(minutes=3),
            family="Rejected",
            error="artifact junit-3.13: the entry ../../etc/passwd leads out of the archive",
        )
    with unit_of_work(wired.inbox) as session:
        for place, (state, note) in enumerate(
            [
                (DeliveryState.RELAYED, "run 29538690201, attempt 1, is completed"),
                (DeliveryState.IGNORED, "the run is in progress; it is read once it is completed"),
                (DeliveryState.UNREADABLE, "workflow_run is not an object, so the run is not known"),
                (DeliveryState.WAITING, "run 29538690777, attempt 1, is completed"),
            ]
        ):
            inbox.record_once(
                session,
                StoredDelivery(
                    DeliveryId(f"72d3162e-cc78-11e3-81ab-4c9367dc095{place}"),
                    "workflow_run",
                    "completed",
                    REPO,
                    state,
                    note,
                    NOW - timedelta(minutes=20 - place),
                    1,
                    b"{}",
                ),
                {},
            )


def _main(story: Story) -> None:
    passed, failed, skipped = OutcomeKind.PASSED, OutcomeKind.FAILED, OutcomeKind.SKIPPED
    variants = ("test (3.11)", "test (3.12)", "test (3.13)")
    green = {FLAKY: passed, "test_rotate_keys": passed, HOSTILE: passed, "test_gpu_only": skipped}
    for day in range(12, 1, -1):
        at = NOW - timedelta(days=day, hours=3)
        head = sha(f"{day:02x}c0ffee")
        seen = [Seen(name, Conclusion.SUCCESS, green) for name in variants]
        conclusion = Conclusion.SUCCESS if day != 7 else Conclusion.CANCELLED
        story.attempt(29538000000 + day, "push", head, at, conclusion, *seen)
    head, merged = sha("bd47e80"), sha("df3a615")
    story.attempt(
        29538418197,
        "pull_request",
        head,
        NOW - timedelta(hours=9),
        Conclusion.SUCCESS,
        *(Seen(name, Conclusion.SUCCESS, green) for name in variants),
        pull=83,
    )
    _, pushed = story.attempt(
        29538416045,
        "push",
        head,
        NOW - timedelta(hours=9, minutes=1),
        Conclusion.FAILURE,
        Seen(variants[0], Conclusion.SUCCESS, green),
        Seen(variants[1], Conclusion.FAILURE, green | {FLAKY: failed, HOSTILE: failed}),
        Seen(variants[2], Conclusion.SUCCESS, green),
        pull=83,
    )
    attempt, on_main = story.attempt(
        29538690201,
        "push",
        merged,
        NOW - timedelta(hours=3),
        Conclusion.FAILURE,
        Seen(variants[0], Conclusion.FAILURE, green | {FLAKY: failed}),
        Seen(variants[1], Conclusion.SUCCESS, green),
        Seen(variants[2], Conclusion.FAILURE, green | {"test_rotate_keys": OutcomeKind.ERRORED}),
    )
    _judge(story, attempt, pushed, on_main)
    _around(story, attempt, merged)
    web_evidence.tell(story, pushed[f"test (3.12)::{FLAKY}"], head)
    web_evidence.tell(story, on_main[f"test (3.11)::{FLAKY}"], merged, own_word=True)


def _judge(story: Story, attempt: int, pushed: dict[str, int], on_main: dict[str, int]) -> None:
    session = story.session
    suspected = verdict(Kind.FLAKY, Strength.SUSPECTED, Whose.UNKNOWN, FLIP, OPAQUE, opaque=True)
    on_main_too = verdict(Kind.FLAKY, Strength.SUSPECTED, Whose.UNKNOWN, ELSEWHERE, OPAQUE, opaque=True)
    likely = verdict(Kind.FLAKY, Strength.LIKELY, Whose.NOT_YOURS, FLIP, OPAQUE, WITHOUT, opaque=True)
    new = verdict(
        Kind.NEW_FAILURE,
        Strength.SUSPECTED,
        Whose.UNKNOWN,
        Reason(
            EvidenceKind.FIRST_SEEN,
            EvidenceStrength.CONTEXT,
            "this failure of this test was never seen before",
        ),
    )
    flaky = pushed[f"test (3.12)::{FLAKY}"]
    verdicts.record_change(session, flaky, suspected, facts={}, at=NOW - timedelta(hours=8))
    verdicts.record_change(session, flaky, likely, facts={}, at=NOW - timedelta(hours=2))
    verdicts.record_change(
        session, pushed[f"test (3.12)::{HOSTILE}"], new, facts={}, at=NOW - timedelta(hours=8)
    )
    verdicts.record_change(
        session, on_main[f"test (3.11)::{FLAKY}"], on_main_too, facts={}, at=NOW - timedelta(hours=2)
    )
    verdicts.record_change(
        session, on_main["test (3.13)::test_rotate_keys"], new, facts={}, at=NOW - timedelta(hours=2)
    )
    recording.mark_judged(session, attempt, at=NOW - timedelta(hours=2))


def _around(story: Story, attempt: int, merged: Sha) -> None:
    session, green = story.session, sha("02c0ffee")
    own = (merged, sha("bd47e80"))
    commits.remember(
        session,
        story.repo,
        [
            commits.CommitFacts(
                merged, subject="Merge pull request #83 from octo/dcp-handoff", author="ada", pull=83
            ),
            commits.CommitFacts(
                own[1], subject="Hand over whole checkpoints <b>exactly</b>", author="grace", pull=83
            ),
        ],
    )
    commits.remember_relation(
        session, story.repo, commits.CommitRelation(green, merged, green, 2, 0, own, complete=True)
    )
    gaps.note(
        session,
        attempt,
        None,
        [Gap(GapKind.ARTIFACT_EXPIRED, "junit-3.10", "it had expired before it was fetched")],
        at=NOW - timedelta(hours=3),
    )
    log = blobs.pack("rank 1 begins\nterminate called without an active exception\n\x1b[31mAborted\x1b[0m\n")
    blobs.keep(session, log)
    job = runs.jobs_of(session, attempt)[0]
    files = [
        artifacts.SourceFile(job.id, "ranks-3.11", "logs/rank1.log", artifacts.FileKind.RANK_LOG, log.digest),
        artifacts.SourceFile(job.id, "log", "job.log", artifacts.FileKind.JOB_LOG, log.digest, cut=True),
    ]
    artifacts.add_files(session, attempt, files)
    told = "a suspected flake: the same failure flipped at bd47e80; a regression is not excluded"
    opened = AlertEvent(NOW - timedelta(hours=2), AlertStep.OPENED, merged, told, 29538690201)
    reports.save_alert(
        session,
        reports.Alert(
            story.repo,
            "main",
            reports.AlertState.OPEN,
            merged,
            NOW - timedelta(hours=2),
            issue=91,
            title="main is red",
            history=(opened,),
        ),
    )
