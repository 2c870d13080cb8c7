"""What is known to be gone or unread of a repository's past."""

from datetime import UTC, datetime, timedelta

from desk import Desk
from sqlalchemy import select

from app.domain.ids import RepoName
from app.domain.run_listing import Covered
from app.store import out_of_sight, repos, watch
from app.store.out_of_sight import LeftUnread
from app.store.repos import RepoRow
from app.store.watch import Seen

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def test_the_newest_removal_stands_whatever_is_removed_after_it(desk: Desk) -> None:
    session = desk.session
    other = repos.remember(session, RepoName("octo/other"))
    repo = session.scalars(select(RepoRow.id).where(RepoRow.full_name == "octo/lib")).one()
    assert out_of_sight.removed_until(session, repo) is None
    for at in (NOON - DAY, NOON, NOON - 2 * DAY):
        out_of_sight.note_removed(session, repo, recorded_at=at)
    assert out_of_sight.removed_until(session, repo) == NOON
    assert out_of_sight.removed_until(session, other) is None


def test_runs_left_unread_are_told_with_their_border(desk: Desk) -> None:
    session, name = desk.session, RepoName("octo/lib")
    repo = repos.remember(session, name)
    assert out_of_sight.left_unread(session, repo) is None
    for left, expected in ((0, None), (45, LeftUnread(45, NOON - DAY))):
        watch.claim(session, name, since=NOON - DAY, now=NOON, until=NOON)
        seen = Seen(Covered(NOON - DAY, NOON), (), found=50, ordered=5, left_unread=left, renamed_to=None)
        watch.looked(session, name, seen, spelt=name, now=NOON, due_at=NOON)
        assert out_of_sight.left_unread(session, repo) == expected
