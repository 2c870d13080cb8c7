"""Commits, comparisons and pull requests as GitHub serves them."""

import base64
import hashlib
from urllib.parse import quote

from app.domain.ids import Sha
from app.standin.history import Commit
from app.standin.records import Pull, Repository
from app.standin.shapes.accounts import Addresses, Json, instant, node_id, repository, user

INLINE_BYTES = 1024 * 1024
"""Files up to this size come inside the answer."""


def commit(at: Addresses, of: Repository, record: Commit) -> Json:
    url, html = f"{at.api}/repos/{of.name}", f"{at.html}/{of.name}"
    person = {"name": record.author, "email": f"{record.author}@example.com", "date": instant(record.at)}
    return {
        "sha": record.sha,
        "node_id": f"C_{record.sha}",
        "url": f"{url}/commits/{record.sha}",
        "html_url": f"{html}/commit/{record.sha}",
        "comments_url": f"{url}/commits/{record.sha}/comments",
        "commit": {
            "author": person,
            "committer": person,
            "message": record.message,
            "tree": {"sha": record.tree, "url": f"{url}/git/trees/{record.tree}"},
            "url": f"{url}/git/commits/{record.sha}",
            "comment_count": 0,
        },
        "author": user(at, record.author),
        "committer": user(at, record.author),
        "parents": [
            {"sha": parent, "url": f"{url}/commits/{parent}", "html_url": f"{html}/commit/{parent}"}
            for parent in record.parents
        ],
    }


def comparison(at: Addresses, of: Repository, base: Sha, head: Sha, page: list[Sha]) -> Json | None:
    """How `head` stands to `base`, with the commits of one page; None where they share no history."""
    meeting = of.history.merge_base(base, head)
    if meeting is None:
        return None
    ahead, behind = len(of.history.own(base, head)), len(of.history.own(head, base))
    commits = of.history.commits
    path = f"{of.name}/compare/{base}...{head}"
    return {
        "url": f"{at.api}/repos/{path}",
        "html_url": f"{at.html}/{path}",
        "permalink_url": f"{at.html}/{path}",
        "diff_url": f"{at.html}/{path}.diff",
        "patch_url": f"{at.html}/{path}.patch",
        "base_commit": commit(at, of, commits[base]),
        "merge_base_commit": commit(at, of, commits[meeting]),
        "status": _standing(ahead, behind),
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": [commit(at, of, commits[sha]) for sha in page],
        "files": [],
    }


def content(at: Addresses, of: Repository, sha: Sha, path: str, found: bytes) -> Json:
    """A file. Over 1 MB its content is left out (docs.github.com, REST, "Get repository content")."""
    is_large = len(found) > INLINE_BYTES
    blob = hashlib.sha1(b"blob %d\0" % len(found) + found, usedforsecurity=False).hexdigest()
    url, name = f"{at.api}/repos/{of.name}", quote(path)
    git, html = f"{url}/git/blobs/{blob}", f"{at.html}/{of.name}/blob/{sha}/{name}"
    own = f"{url}/contents/{name}?ref={sha}"
    return {
        "type": "file",
        "encoding": "none" if is_large else "base64",
        "size": len(found),
        "name": path.rpartition("/")[2],
        "path": path,
        "content": "" if is_large else base64.encodebytes(found).decode(),
        "sha": blob,
        "url": own,
        "git_url": git,
        "html_url": html,
        "download_url": f"{at.html}/{of.name}/raw/{sha}/{name}",
        "_links": {"self": own, "git": git, "html": html},
    }


def _standing(ahead: int, behind: int) -> str:
    if ahead and behind:
        return "diverged"
    if ahead:
        return "ahead"
    return "behind" if behind else "identical"


def pull(at: Addresses, of: Repository, record: Pull, *, full: bool) -> Json:
    """The form of lists, or with `full` the one of a single pull request, which has some fields more."""
    number = 600_000 + record.number
    url, html = f"{at.api}/repos/{of.name}", f"{at.html}/{of.name}/pull/{record.number}"
    own, issue = f"{url}/pulls/{record.number}", f"{url}/issues/{record.number}"
    links = {
        "self": own,
        "html": html,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{own}/comments",
        "review_comment": f"{url}/pulls/comments{{/number}}",
        "commits": f"{own}/commits",
        "statuses": f"{url}/statuses/{record.head_sha}",
    }
    closed_at = None if record.is_open else instant(record.merged_at or record.at)
    return {
        "id": number,
        "node_id": node_id("PR", number),
        "number": record.number,
        "url": own,
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        **{f"{name}_url": href for name, href in links.items() if name not in {"self", "html"}},
        "_links": {name: {"href": href} for name, href in links.items()},
        "state": "open" if record.is_open else "closed",
        "locked": False,
        "draft": False,
        "title": record.title,
        "body": None,
        "user": user(at, record.author),
        "author_association": "CONTRIBUTOR",
        "labels": [],
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "auto_merge": None,
        "requested_reviewers": [],
        "requested_teams": [],
        "created_at": instant(record.at),
        "updated_at": instant(record.merged_at or record.at),
        "closed_at": closed_at,
        "merged_at": instant(record.merged_at),
        "merge_commit_sha": record.merge_sha,
        "head": _head(at, of, record),
        "base": _side(at, of, record.base_branch, of.branches.get(record.base_branch, Sha("0" * 40))),
        **(_only_alone(at, record) if full else {}),
    }


def _only_alone(at: Addresses, record: Pull) -> Json:
    merged = record.merged_at is not None
    counts = ("additions", "deletions", "changed_files", "comments", "commits", "review_comments")
    return {
        **dict.fromkeys(counts, 0),
        "merged": merged,
        "merged_by": user(at, record.author) if merged else None,
        "mergeable": None,
        "mergeable_state": "unknown",
        "maintainer_can_modify": False,
    }


def _head(at: Addresses, of: Repository, record: Pull) -> Json:
    fork = None if record.head_owner == of.owner else record.head_owner
    return _side(at, of, record.head_branch, record.head_sha, fork_of=fork)


def _side(at: Addresses, of: Repository, ref: str, sha: str, *, fork_of: str | None = None) -> Json:
    owner = fork_of or of.owner
    return {
        "label": f"{owner}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": user(at, owner),
        "repo": repository(at, of, fork_of=fork_of),
    }
