"""Comments and issues as GitHub serves them."""

from app.standin.records import Pull, Repository
from app.standin.shapes.accounts import Addresses, Json, instant, node_id, user
from app.standin.talk import CommentRecord, IssueRecord


def comment(at: Addresses, of: Repository, record: CommentRecord) -> Json:
    url = f"{at.api}/repos/{of.name}/issues"
    return {
        "id": record.id,
        "node_id": node_id("IC", record.id),
        "url": f"{url}/comments/{record.id}",
        "html_url": f"{at.html}/{of.name}/issues/{record.number}#issuecomment-{record.id}",
        "issue_url": f"{url}/{record.number}",
        "body": record.body,
        "user": user(at, record.author),
        "created_at": instant(record.created_at),
        "updated_at": instant(record.updated_at),
        "author_association": "NONE" if record.author.endswith("[bot]") else "CONTRIBUTOR",
        "performed_via_github_app": None,
    }


def issue(at: Addresses, of: Repository, record: IssueRecord, *, comments: int) -> Json:
    return {
        **_thread(at, of, record.number, record.author),
        "title": record.title,
        "body": record.body,
        "state": record.state,
        "state_reason": record.state_reason,
        "labels": [_label(at, of, name) for name in record.labels],
        "comments": comments,
        "created_at": instant(record.created_at),
        "updated_at": instant(record.updated_at),
        "closed_at": instant(record.closed_at),
        "closed_by": None,
    }


def pull_as_issue(at: Addresses, of: Repository, record: Pull, *, comments: int) -> Json:
    """GitHub lists pull requests among the issues; the key `pull_request` tells them apart."""
    own, html = f"{at.api}/repos/{of.name}/pulls/{record.number}", f"{at.html}/{of.name}/pull/{record.number}"
    return {
        **_thread(at, of, record.number, record.author),
        "title": record.title,
        "body": None,
        "state": "open" if record.is_open else "closed",
        "state_reason": None,
        "labels": [],
        "comments": comments,
        "created_at": instant(record.at),
        "updated_at": instant(record.at),
        "closed_at": None if record.is_open else instant(record.merged_at or record.at),
        "closed_by": None,
        "draft": False,
        "pull_request": {
            "url": own,
            "html_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "merged_at": instant(record.merged_at),
        },
    }


def _thread(at: Addresses, of: Repository, number: int, author: str) -> Json:
    url = f"{at.api}/repos/{of.name}/issues/{number}"
    return {
        "id": 700_000 + number,
        "node_id": node_id("I", 700_000 + number),
        "number": number,
        "url": url,
        "repository_url": f"{at.api}/repos/{of.name}",
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": f"{at.html}/{of.name}/issues/{number}",
        "user": user(at, author),
        "author_association": "NONE" if author.endswith("[bot]") else "CONTRIBUTOR",
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "locked": False,
        "active_lock_reason": None,
        "performed_via_github_app": None,
    }


def _label(at: Addresses, of: Repository, name: str) -> Json:
    return {
        "id": 1 + sum(name.encode()),
        "node_id": node_id("LA", sum(name.encode())),
        "url": f"{at.api}/repos/{of.name}/labels/{name}",
        "name": name,
        "color": "ededed",
        "default": False,
        "description": None,
    }
