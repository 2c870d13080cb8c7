"""What counts as doing a thing twice."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import RepoName
from app.standin.records import Repository
from app.standin.talk import Author, Talk
from app.standin.writes import duplicate_effects, markers

NOW = datetime(2026, 11, 30, tzinfo=UTC)
US, ANN = Author("flake-triage[bot]", ours=True), Author("ann")
MARK = "<!-- flake-triage:pr:acme/gefen:87 -->"
OTHER_MARK = "<!-- flake-triage:main:acme/gefen:main -->"


@pytest.fixture
def talk() -> Talk:
    return Talk()


@pytest.fixture
def repository() -> Repository:
    return Repository(42, RepoName("acme/gefen"), "main")


def test_one_comment_edited_to_new_words_is_no_duplicate(talk: Talk, repository: Repository) -> None:
    comment = talk.add_comment(repository, 87, f"{MARK} red", by=US, at=NOW)
    talk.edit_comment(repository, comment, f"{MARK} green", by=US, at=NOW)
    assert duplicate_effects(talk.writes) == 0


def test_second_comment_with_our_marker_is_one(talk: Talk, repository: Repository) -> None:
    talk.add_comment(repository, 87, f"{MARK} red", by=US, at=NOW)
    talk.add_comment(repository, 87, f"{MARK} redder", by=US, at=NOW)
    talk.add_comment(repository, 88, f"{MARK} elsewhere", by=US, at=NOW)
    assert duplicate_effects(talk.writes) == 1


def test_second_comment_with_the_same_words_is_one(talk: Talk, repository: Repository) -> None:
    talk.add_comment(repository, 87, "red", by=US, at=NOW)
    talk.add_comment(repository, 87, "red", by=US, at=NOW)
    assert duplicate_effects(talk.writes) == 1


def test_comment_after_a_person_deleted_ours_is_none(talk: Talk, repository: Repository) -> None:
    comment = talk.add_comment(repository, 87, f"{MARK} red", by=US, at=NOW)
    talk.delete_comment(repository, comment, by=ANN, at=NOW)
    talk.add_comment(repository, 87, f"{MARK} red", by=US, at=NOW)
    assert duplicate_effects(talk.writes) == 0


def test_words_of_other_people_are_not_counted(talk: Talk, repository: Repository) -> None:
    talk.add_comment(repository, 87, f"{MARK} quoted", by=ANN, at=NOW)
    talk.add_comment(repository, 87, f"{MARK} quoted", by=ANN, at=NOW)
    talk.add_comment(repository, 87, f"{MARK} red", by=US, at=NOW)
    assert duplicate_effects(talk.writes) == 0


def test_edit_that_changes_nothing_is_one(talk: Talk, repository: Repository) -> None:
    comment = talk.add_comment(repository, 87, "red", by=US, at=NOW)
    same = talk.edit_comment(repository, comment, "red", by=US, at=NOW)
    talk.edit_comment(repository, same, "red", by=ANN, at=NOW)
    assert duplicate_effects(talk.writes) == 1


def test_second_alert_while_one_is_open_is_one(talk: Talk, repository: Repository) -> None:
    for words in ("red", "still red"):
        body = f"{OTHER_MARK} {words}"
        talk.add_issue(repository, title="main is red", body=body, labels=(), by=US, at=NOW)
    assert duplicate_effects(talk.writes) == 1


def test_alert_after_the_last_was_closed_is_none(talk: Talk, repository: Repository) -> None:
    first = talk.add_issue(repository, title="red", body=OTHER_MARK, labels=(), by=US, at=NOW)
    closed = talk.edit_issue(repository, replace(first, state="closed"), by=US, at=NOW)
    assert closed.closed_at == NOW
    talk.add_issue(repository, title="red", body=OTHER_MARK, labels=(), by=US, at=NOW)
    assert duplicate_effects(talk.writes) == 0


def test_issue_that_was_opened_again_counts_as_open(talk: Talk, repository: Repository) -> None:
    first = talk.add_issue(repository, title="red", body=OTHER_MARK, labels=(), by=US, at=NOW)
    closed = talk.edit_issue(repository, replace(first, state="closed"), by=US, at=NOW)
    talk.edit_issue(repository, replace(closed, state="open", closed_at=None), by=ANN, at=NOW)
    talk.add_issue(repository, title="red", body=OTHER_MARK, labels=(), by=US, at=NOW)
    assert duplicate_effects(talk.writes) == 1


def test_closing_twice_is_one(talk: Talk, repository: Repository) -> None:
    issue = talk.add_issue(repository, title="red", body=OTHER_MARK, labels=(), by=US, at=NOW)
    closed = talk.edit_issue(repository, replace(issue, state="closed"), by=US, at=NOW)
    talk.edit_issue(repository, closed, by=US, at=NOW)
    assert duplicate_effects(talk.writes) == 1


def test_marker_is_found_in_any_body() -> None:
    assert markers(f"{MARK}\n# red\n{OTHER_MARK}") == {MARK, OTHER_MARK}
    assert markers("<!-- flake-triage: --> <!-- other:x -->") == set()


@given(st.lists(st.sampled_from(["red", "green", f"{MARK} x", f"{MARK} y"]), max_size=8))
def test_only_what_came_again_is_counted(bodies: list[str]) -> None:
    talk, repository = Talk(), Repository(42, RepoName("acme/gefen"), "main")
    for body in bodies:
        talk.add_comment(repository, 87, body, by=US, at=NOW)
    kinds = {MARK if MARK in body else body for body in bodies}
    assert duplicate_effects(talk.writes) == len(bodies) - len(kinds)
