"""Comments and issues: the only things that are written."""

from collections.abc import Callable
from dataclasses import replace

from app.standin.exchange import NOT_FOUND, Answer, Asked, Refusal
from app.standin.shapes import talk as shapes
from app.standin.shapes.accounts import Json
from app.standin.talk import CommentRecord, IssueRecord

LONGEST_BODY = 65_536
"""Characters; GitHub answers 422 beyond."""

_ISSUES = "/repos/{owner}/{repo}/issues"


def list_comments(asked: Asked) -> Answer:
    repository, number = asked.repository, _thread(asked)
    page, headers = asked.page_of(asked.state.talk.comments_on(repository, number))
    return Answer(200, [shapes.comment(asked.at, repository, record) for record in page], headers)


def create_comment(asked: Asked) -> Answer:
    repository, number = asked.repository, _thread(asked)
    body, now = _body(asked), asked.state.clock.now()
    record = asked.state.talk.add_comment(repository, number, body, by=asked.author, at=now)
    return Answer(201, shapes.comment(asked.at, repository, record))


def show_comment(asked: Asked) -> Answer:
    return Answer(200, shapes.comment(asked.at, asked.repository, _comment(asked)))


def edit_comment(asked: Asked) -> Answer:
    repository, record = asked.repository, _comment(asked)
    body, now = _body(asked), asked.state.clock.now()
    edited = asked.state.talk.edit_comment(repository, record, body, by=asked.author, at=now)
    return Answer(200, shapes.comment(asked.at, repository, edited))


def delete_comment(asked: Asked) -> Answer:
    record = _comment(asked)
    asked.state.talk.delete_comment(asked.repository, record, by=asked.author, at=asked.state.clock.now())
    return Answer(204)


def list_issues(asked: Asked) -> Answer:
    """Pull requests are listed among the issues, newest number first."""
    state = asked.query.get("state", "open")
    labels = {name for name in asked.query.get("labels", "").split(",") if name}
    shown = [_issue(asked, record) for record in asked.state.talk.issues_of(asked.repository)]
    shown += [
        shapes.pull_as_issue(asked.at, asked.repository, pull, comments=0)
        for pull in list(asked.repository.pulls.values())
    ]
    wanted = [one for one in shown if state in {"all", one["state"]} and labels <= _label_names(one)]
    page, headers = asked.page_of(sorted(wanted, key=_number, reverse=True))
    return Answer(200, page, headers)


def create_issue(asked: Asked) -> Answer:
    if not asked.repository.has_issues:
        raise Refusal(410, "Issues has been disabled in this repository.")
    labels = asked.body.get("labels", [])
    record = asked.state.talk.add_issue(
        asked.repository,
        title=asked.text("title"),
        body=_body(asked, default=""),
        labels=tuple(str(label) for label in labels) if isinstance(labels, list) else (),
        by=asked.author,
        at=asked.state.clock.now(),
    )
    return Answer(201, _issue(asked, record))


def edit_issue(asked: Asked) -> Answer:
    repository = asked.repository
    record = asked.state.talk.issues.get((repository.id, asked.number("issue_number")))
    if record is None:
        raise Refusal(NOT_FOUND, "Not Found")
    wanted = replace(
        record,
        title=asked.text("title", record.title),
        body=_body(asked, default=record.body),
        state=asked.text("state", record.state),
    )
    if wanted.state != record.state:
        given = asked.body.get("state_reason")
        wanted = replace(wanted, state_reason=given if isinstance(given, str) else _usual_reason(wanted))
    edited = asked.state.talk.edit_issue(repository, wanted, by=asked.author, at=asked.state.clock.now())
    return Answer(200, _issue(asked, edited))


def _usual_reason(wanted: IssueRecord) -> str:
    return "completed" if wanted.state == "closed" else "reopened"


def _thread(asked: Asked) -> int:
    """The number of an issue or a pull request that exists."""
    number = asked.number("issue_number")
    is_issue = (asked.repository.id, number) in asked.state.talk.issues
    if number not in asked.repository.pulls and not is_issue:
        raise Refusal(NOT_FOUND, "Not Found")
    return number


def _comment(asked: Asked) -> CommentRecord:
    record = asked.state.talk.comments.get(asked.number("comment_id"))
    if record is None or record.repository_id != asked.repository.id:
        raise Refusal(NOT_FOUND, "Not Found")
    return record


def _body(asked: Asked, *, default: str | None = None) -> str:
    body = asked.text("body", default)
    if len(body) > LONGEST_BODY:
        raise Refusal(422, "Body is too long (maximum is 65536 characters)")
    return body


def _issue(asked: Asked, record: IssueRecord) -> Json:
    comments = len(asked.state.talk.comments_on(asked.repository, record.number))
    return shapes.issue(asked.at, asked.repository, record, comments=comments)


def _label_names(issue: Json) -> set[str]:
    labels = issue["labels"]
    assert isinstance(labels, list)
    return {label["name"] for label in labels}


def _number(issue: Json) -> int:
    number = issue["number"]
    assert isinstance(number, int)
    return number


ROUTES: dict[tuple[str, str], Callable[[Asked], Answer]] = {
    ("GET", _ISSUES): list_issues,
    ("POST", _ISSUES): create_issue,
    ("PATCH", _ISSUES + "/{issue_number}"): edit_issue,
    ("GET", _ISSUES + "/{issue_number}/comments"): list_comments,
    ("POST", _ISSUES + "/{issue_number}/comments"): create_comment,
    ("GET", _ISSUES + "/comments/{comment_id}"): show_comment,
    ("PATCH", _ISSUES + "/comments/{comment_id}"): edit_comment,
    ("DELETE", _ISSUES + "/comments/{comment_id}"): delete_comment,
}
