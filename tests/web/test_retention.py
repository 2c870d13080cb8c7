"""After a removal every page that is left can be shown, and every verdict says what it rests on."""

import re
import shutil
from collections import deque
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import web_story
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from page_reading import page, wired, words
from sqlalchemy import func, select, update
from starlette.testclient import TestClient

from app.deps import Wiring
from app.domain.ids import Sha
from app.domain.run import PullRequest
from app.main import create_app
from app.settings import Settings
from app.store import blobs, failures, repos, verdict_list, verdicts
from app.store.artifacts import SourceFileRow
from app.store.blobs import BlobRow
from app.store.failures import FailureRow
from app.store.groups import GroupRow
from app.store.reports import AlertRow
from app.store.repos import PullRow
from app.store.results import DailyCountRow, RunVectorRow
from app.store.retention import Removed
from app.store.runs import AttemptRow, RunRow
from app.store.session import read_only, unit_of_work
from app.store.verdicts import EvidenceRow, VerdictRow
from worker.housekeeping.horizon import Horizon
from worker.housekeeping.removal import Removal

LINK = re.compile(r'(?:href|action)="(/[^"#]*)"')
TAKES_ONLY_POST = re.compile(r"/tasks/|/retry")


def seen(days: float, *, tasks: float = 14, raw: float = 30, failures: float = 180) -> Horizon:
    """From so many days after the story, with other times to be kept than usual."""
    now = web_story.NOW + timedelta(days=days)
    return Horizon(
        now,
        tasks=now - timedelta(days=tasks),
        deliveries=now - timedelta(days=max(tasks, raw)),
        raw=now - timedelta(days=raw),
        failures=now - timedelta(days=failures),
    )


def remove(app: Wiring, horizon: Horizon, *, chunks: int | None = None) -> Removed:
    removed, _ = Removal(app.store, app.inbox, horizon, rest=lambda _s: None).run(chunks=chunks)
    return removed


def settle(app: Wiring) -> None:
    """Close what is open and judge what is not judged, so that nothing is needed."""
    with unit_of_work(app.store) as session:
        session.execute(
            update(AttemptRow).where(AttemptRow.judged_at.is_(None)).values(judged_at=web_story.NOW)
        )
        for pull in session.scalars(select(PullRow)):
            pull.is_open = False
        for alert in session.scalars(select(AlertRow)):
            alert.state = "closed"


def rows(app: Wiring, table: type) -> int:
    with read_only(app.store) as session:
        return session.scalars(select(func.count()).select_from(table)).one()


def every_page(client: TestClient) -> list[str]:
    """Walk all links of our own from the first page, each address with one query; all must be there."""
    known, waiting = {"/"}, deque(["/"])
    while waiting:
        path = waiting.popleft()
        answer = client.get(path, headers={"Accept": "text/html"})
        assert answer.status_code == 200, (path, answer.status_code)
        if not answer.headers["Content-Type"].startswith("text/html"):
            continue
        for found in LINK.findall(answer.text):
            link = found.partition("?")[0]
            if link not in known and not TAKES_ONLY_POST.search(link):
                known.add(link)
                waiting.append(link)
    return sorted(known)


@given(
    days=st.integers(0, 400),
    raw=st.integers(1, 60),
    failures_more=st.integers(0, 300),
    needed=st.sampled_from(["by nobody", "by what is open"]),
    chunks=st.none() | st.integers(1, 6),
)
@settings(
    max_examples=6,
    deadline=None,
    phases=[Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_after_any_removal_all_pages_are_shown_and_all_verdicts_explained(
    told: Path,
    tmp_path_factory: pytest.TempPathFactory,
    days: int,
    raw: int,
    failures_more: int,
    needed: str,
    chunks: int | None,
) -> None:
    folder = tmp_path_factory.mktemp("after")
    shutil.copytree(told, folder, dirs_exist_ok=True)
    app: FastAPI = create_app(Settings(data_dir=folder))
    try:
        wiring: Wiring = app.state.wiring
        before = rows(wiring, GroupRow), rows(wiring, DailyCountRow)
        if needed == "by nobody":
            settle(wiring)
        remove(wiring, seen(days, raw=raw, failures=raw + failures_more), chunks=chunks)
        assert (rows(wiring, GroupRow), rows(wiring, DailyCountRow)) == before
        with TestClient(app, base_url="http://127.0.0.1:8077") as client:
            assert len(every_page(client)) > 4
        _require_explained(wiring)
    finally:
        app.state.wiring.dispose()


def _require_explained(app: Wiring) -> None:
    """Each verdict has its failure, its reasons and its facts; each text is there or known to be removed."""
    with read_only(app.store) as session:
        for verdict in session.scalars(select(VerdictRow.id)):
            listed = verdict_list.one(session, verdict)
            stored = verdicts.by_id(session, verdict)
            assert listed is not None
            assert stored is not None
            failure = failures.by_id(session, listed.failure)
            assert failure is not None
            assert len(blobs.texts(session, {failure.text_blob})) == 1
        named = {*session.scalars(select(FailureRow.text_blob)), *session.scalars(select(SourceFileRow.blob))}
        assert set(session.scalars(select(BlobRow.digest))) == named - {blobs.REMOVED}


def test_a_failure_without_its_text_says_so_and_keeps_its_verdicts(story: TestClient) -> None:
    settle(wired(story))
    verdicts_before = rows(wired(story), VerdictRow)
    removed = remove(wired(story), seen(40))
    assert removed.texts > 0
    assert rows(wired(story), RunVectorRow) == 0
    assert rows(wired(story), BlobRow) == 0
    assert rows(wired(story), VerdictRow) == verdicts_before
    text = words(page(story, "/failures/1").css_first("main"))
    assert "The text was removed, since it was past its time." in text


def test_a_run_without_its_results_says_so_instead_of_none(story: TestClient) -> None:
    settle(wired(story))
    with read_only(wired(story).store) as session:
        attempt = session.scalars(
            select(AttemptRow.id).where(AttemptRow.judged_at.is_not(None)).limit(1)
        ).one()
    remove(wired(story), seen(40))
    text = words(page(story, f"/runs/{attempt}").css_first("main"))
    assert "past their time and are removed" in text
    assert "results removed" in text
    assert "No test failed" not in text


def test_what_an_open_alert_or_an_open_pull_request_may_tell_again_stays(story: TestClient) -> None:
    app = wired(story)
    with unit_of_work(app.store) as session:
        told = {run.pull for run in session.scalars(select(RunRow))} - {None}
        for number in told:
            repos.remember_pull(session, 1, _open_pull(number))
        alert = session.scalars(select(AlertRow).where(AlertRow.state == "open")).one()
        needed = [
            attempt.id
            for attempt, run in session.execute(select(AttemptRow, RunRow).join(RunRow)).all()
            if run.pull in told or (run.head_branch == alert.branch and run.created_at >= alert.opened_at)
        ]
        assert len(needed) > 1
    remove(app, seen(400))
    with read_only(app.store) as session:
        assert set(session.scalars(select(AttemptRow.id))) >= set(needed)
        texts = set(session.scalars(select(FailureRow.text_blob).where(FailureRow.attempt_id.in_(needed))))
    assert texts
    assert blobs.REMOVED not in texts
    settle(app)
    remove(app, seen(400))
    assert rows(app, BlobRow) == 0


def _open_pull(number: int) -> PullRequest:
    return PullRequest(
        number=number,
        title="Combine",
        author="ann",
        head_sha=Sha("a" * 40),
        head_branch="topic",
        base_branch="main",
        is_open=True,
        merged_at=None,
    )


def test_the_newest_keys_stay_so_that_no_address_ever_leads_to_something_else(story: TestClient) -> None:
    app = wired(story)
    settle(app)
    with read_only(app.store) as session:
        newest = [
            session.scalars(select(func.max(key))).one()
            for key in (AttemptRow.id, FailureRow.id, VerdictRow.id)
        ]
    remove(app, seen(4000))
    with read_only(app.store) as session:
        assert newest == [
            session.scalars(select(func.max(key))).one()
            for key in (AttemptRow.id, FailureRow.id, VerdictRow.id)
        ]
    assert rows(app, AttemptRow) <= 3


def test_a_removal_cut_short_is_finished_by_the_next(story: TestClient) -> None:
    app = wired(story)
    settle(app)
    rounds, reached = 0, None
    while True:
        removal = Removal(app.store, app.inbox, seen(4000), reached=reached, rest=lambda _s: None)
        _, reached = removal.run(chunks=1)
        if reached is None:
            break
        rounds += 1
    assert rounds > 3
    assert not Removal(app.store, app.inbox, seen(4000)).would_go()


def test_what_would_go_is_what_goes(story: TestClient) -> None:
    app = wired(story)
    settle(app)
    told = Removal(app.store, app.inbox, seen(4000)).would_go()
    removed = remove(app, seen(4000))
    assert told.rows["attempts"] > 0
    assert told.texts == removed.texts > 0
    for name, count in told.rows.items():
        assert removed.rows[name] == count, name


def test_a_run_that_a_kept_verdict_names_stays_with_its_failures(story: TestClient) -> None:
    """Its own evidence is not held for its sake: a flake that comes back would hold all its past."""
    app = wired(story)
    settle(app)
    old, kept = _age_all_but_one(app)
    remove(app, seen(400))
    with read_only(app.store) as session:
        left = set(session.scalars(select(AttemptRow.id)))
    assert kept in left
    assert old in left


def _age_all_but_one(app: Wiring) -> tuple[int, int]:
    """Make one attempt new whose failure's evidence names another run; return that run's attempt and it."""
    with unit_of_work(app.store) as session:
        statement = (
            select(FailureRow.attempt_id, EvidenceRow.runs)
            .join(EvidenceRow, EvidenceRow.failure_id == FailureRow.id)
            .order_by(FailureRow.id)
        )
        run_of = dict(
            session.execute(
                select(RunRow.github_id, AttemptRow.id).join(AttemptRow, AttemptRow.run_id == RunRow.id)
            ).all()
        )
        for attempt, named in session.execute(statement):
            others = [run_of[run] for run in named if run in run_of and run_of[run] != attempt]
            if others:
                session.get_one(AttemptRow, attempt).recorded_at = _late()
                return others[0], attempt
    raise AssertionError("the story has no such evidence")


def _late() -> datetime:
    return web_story.NOW + timedelta(days=400)
