"""Repositories that are looked at: whose turn it is, how far they are covered, and what went wrong."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from desk import Desk
from sqlalchemy.orm import Session

from app.domain.ids import RepoName, RunId
from app.domain.look_trouble import LookTrouble
from app.domain.run_listing import Covered
from app.store import outbox, repos, watch
from app.store.outbox import Order
from app.store.watch import Seen, Watched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
NAME = RepoName("octo/Lib")


def claim(session: Session, *, at: datetime = NOW, name: RepoName = NAME) -> Watched | None:
    return watch.claim(session, name, since=NOW - timedelta(days=1), now=at, until=at + 5 * MINUTE)


def looked(session: Session, *, etags: Sequence[str] = (), left: int = 0, at: datetime = NOW) -> None:
    covered = Covered(NOW - timedelta(days=1), at, None, at)
    seen = Seen(covered, tuple(etags), found=3, ordered=2, left_unread=left, renamed_to=None)
    watch.looked(session, NAME, seen, spelt=RepoName("Octo/Lib"), now=at, due_at=at + 5 * MINUTE)


def only(session: Session) -> Watched:
    (one,) = watch.listed(session)
    return one


def test_turn_is_given_to_one_and_comes_again_when_it_is_due(desk: Desk) -> None:
    session = desk.session
    first = claim(session)
    assert first is not None
    assert first.seen.covered == Covered(NOW - timedelta(days=1))
    assert claim(session) is None
    looked(session)
    assert claim(session, at=NOW + 4 * MINUTE) is None
    assert claim(session, at=NOW + 5 * MINUTE) is not None


def test_look_is_noted_with_all_it_came_to(desk: Desk) -> None:
    claim(desk.session)
    looked(desk.session, etags=['W/"1"', 'W/"2"'], left=7)
    one = only(desk.session)
    assert (one.name, one.key) == ("Octo/Lib", "octo/lib")
    assert one.seen.etags == ('W/"1"', 'W/"2"')
    assert (one.seen.found, one.seen.ordered, one.seen.left_unread) == (3, 2, 7)
    assert one.seen.covered.seen_until == one.looked_at == one.tried_at == NOW


def test_what_was_left_unread_adds_up(desk: Desk) -> None:
    for left in (7, 0):
        looked_again = claim(desk.session, at=NOW + 5 * MINUTE * (7 - left))
        assert looked_again is not None
        looked(desk.session, left=left)
    assert only(desk.session).seen.left_unread == 7


def test_trouble_is_dated_from_when_it_began_and_ends_with_a_look(desk: Desk) -> None:
    session = desk.session
    claim(session)
    for minutes in (1, 2):
        at = NOW + minutes * MINUTE
        watch.failed(session, NAME, LookTrouble.GONE, "GitHub answered 404", now=at, due_at=at)
    one = only(session)
    assert (one.trouble, one.trouble_told) == (LookTrouble.GONE, "GitHub answered 404")
    assert (one.trouble_since, one.tried_at, one.looked_at) == (NOW + MINUTE, NOW + 2 * MINUTE, None)
    at = NOW + 3 * MINUTE
    watch.failed(session, NAME, LookTrouble.AWAY, "no answer", now=at, due_at=at)
    assert only(session).trouble_since == at
    looked(session)
    assert (only(session).trouble, only(session).trouble_since, only(session).trouble_told) == (
        None,
        None,
        "",
    )


def test_start_of_a_worker_makes_what_failed_due_and_frees_turns_of_the_dead(desk: Desk) -> None:
    session = desk.session
    claim(session)
    watch.start_over(session, alone=False)
    assert claim(session) is None, "another worker may be at it"
    watch.start_over(session, alone=True)
    assert claim(session) is not None
    watch.failed(session, NAME, LookTrouble.CREDENTIALS, "401", now=NOW, due_at=NOW + 60 * MINUTE)
    assert claim(session, at=NOW + MINUTE) is None
    watch.start_over(session, alone=False)
    assert claim(session, at=NOW + MINUTE) is not None


def test_looking_from_earlier_begins_anew_and_from_later_changes_nothing(desk: Desk) -> None:
    session = desk.session
    claim(session)
    looked(session, etags=["a"], left=3)
    watch.look_from(session, NAME, since=NOW)
    assert (only(session).seen.etags, only(session).due_at) == (("a",), None)
    week = NOW - timedelta(days=7)
    watch.look_from(session, NAME, since=week)
    one = only(session)
    assert one.seen.covered.is_first
    assert (one.seen.covered.since, one.seen.etags, one.seen.left_unread, one.looked_at) == (
        week,
        (),
        0,
        None,
    )


@pytest.mark.parametrize("there", [False, True])
def test_renamed_repository_goes_on_under_its_new_name_once(desk: Desk, *, there: bool) -> None:
    session, new = desk.session, RepoName("octo/New")
    claim(session)
    if there:
        claim(session, name=new)
    watch.rename(session, NAME, new)
    session.flush()
    session.expire_all()
    assert only(session).name == new


def test_only_repositories_that_github_told_of_are_known(desk: Desk) -> None:
    session = desk.session
    assert watch.known_names(session) == []
    repos.remember(session, RepoName("octo/lib"), github_id=5)
    repos.remember(session, RepoName("Octo/Abc"), github_id=6)
    assert watch.known_names(session) == ["Octo/Abc", "octo/lib"]


def test_repository_that_github_renamed_keeps_its_key(desk: Desk) -> None:
    session = desk.session
    assert repos.remember(session, RepoName("octo/lib"), github_id=5) == desk.repo
    assert repos.remember(session, RepoName("octo/New"), github_id=5) == desk.repo
    assert repos.name_of(session, desk.repo) == "octo/New"
    other = repos.remember(session, RepoName("octo/lib"), github_id=9)
    assert other != desk.repo, "who takes the old name later is somebody else"


def test_repository_made_anew_under_a_known_name_is_another_one(desk: Desk) -> None:
    session, name = desk.session, RepoName("octo/lib")
    assert repos.remember(session, name, github_id=5) == desk.repo, "what was ingested adopts an id"
    anew = repos.remember(session, name, github_id=9)
    assert anew != desk.repo
    assert repos.remember(session, name) == repos.key_of(session, name) == anew
    assert (repos.has_name(session, anew), repos.has_name(session, desk.repo)) == (True, False)
    assert repos.name_of(session, desk.repo) == f"octo/lib (former repository {desk.repo})"
    assert watch.known_names(session) == ["octo/lib"], "the old one is not asked for"


def test_repository_that_lost_its_name_by_a_rename_goes_on_under_the_new_one(desk: Desk) -> None:
    """Though another one took the old name before anything told of the new one."""
    session, name = desk.session, RepoName("octo/lib")
    repos.remember(session, name, github_id=5)
    repos.remember(session, name, github_id=9)
    assert repos.remember(session, RepoName("octo/moved"), github_id=5) == desk.repo
    assert repos.name_of(session, desk.repo) == "octo/moved"


def test_two_that_change_names_keep_their_histories(desk: Desk) -> None:
    session, here, there = desk.session, RepoName("octo/lib"), RepoName("octo/other")
    repos.remember(session, here, github_id=5)
    other = repos.remember(session, there, github_id=9)
    assert repos.remember(session, here, github_id=9) == other
    assert repos.remember(session, there, github_id=5) == desk.repo
    assert watch.known_names(session) == ["octo/lib", "octo/other"]


def test_repository_that_left_a_row_behind_can_be_renamed_again(desk: Desk) -> None:
    session = desk.session
    repos.remember(session, RepoName("octo/lib"), github_id=5)
    newest = repos.remember(session, RepoName("octo/New"))
    repos.remember(session, RepoName("octo/New"), github_id=5)
    assert repos.remember(session, RepoName("octo/Third"), github_id=5) == newest
    assert repos.name_of(session, desk.repo) == "octo/lib"


def test_two_histories_are_not_mixed_by_a_rename(desk: Desk) -> None:
    session = desk.session
    repos.remember(session, RepoName("octo/lib"), github_id=5)
    there = repos.remember(session, RepoName("octo/New"))
    assert repos.remember(session, RepoName("octo/New"), github_id=5) == there
    assert repos.name_of(session, desk.repo) == "octo/lib"


def test_ordered_keys_are_known_and_unrecorded_runs_are_absent(desk: Desk) -> None:
    outbox.ask(desk.session, Order("record:1:5:1", "record_run", {}))
    keys = {"record:1:5:1", *(f"record:1:{number}:1" for number in range(1000, 2000))}
    assert watch.ordered(desk.session, keys) == {"record:1:5:1"}
    assert watch.recorded(desk.session, desk.repo, {RunId(1), RunId(2**40)}) == {}
