"""Accounts and repositories as GitHub serves them; every other shape is made of these."""

import zlib
from dataclasses import dataclass
from datetime import datetime

from app.standin.records import Repository

Json = dict[str, object]

FOUNDED = "2020-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the API and the pages are, without a slash at the end."""

    api: str
    html: str = "https://github.com"


def instant(at: datetime | None) -> str | None:
    return None if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")


def node_id(kind: str, number: int) -> str:
    return f"{kind}_{number:x}"


_USER_LINKS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}


def user(at: Addresses, login: str, *, kind: str = "User") -> Json:
    """An account; its id follows from the login, and `name[bot]` is a bot."""
    number = zlib.crc32(login.lower().encode())
    url = f"{at.api}/users/{login.replace('[', '%5B').replace(']', '%5D')}"
    return {
        "login": login,
        "id": number,
        "node_id": node_id("U", number),
        "avatar_url": f"{at.html}/identicons/{number}.png",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{at.html}/{login.removesuffix('[bot]')}",
        **{key: url + suffix for key, suffix in _USER_LINKS.items()},
        "type": "Bot" if login.endswith("[bot]") else kind,
        "site_admin": False,
        "user_view_type": "public",
    }


_REPOSITORY_LINKS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}

_QUIET: Json = {
    "private": False,
    "description": None,
    "homepage": None,
    "language": "Python",
    "license": None,
    "mirror_url": None,
    "archived": False,
    "disabled": False,
    "visibility": "public",
    "is_template": False,
    "topics": [],
    "web_commit_signoff_required": False,
    "allow_forking": True,
    "has_projects": True,
    "has_wiki": False,
    "has_pages": False,
    "has_discussions": False,
    "has_downloads": True,
    "size": 1024,
    **dict.fromkeys(("forks", "forks_count", "open_issues", "open_issues_count", "network_count"), 0),
    **dict.fromkeys(("stargazers_count", "subscribers_count", "watchers", "watchers_count"), 0),
    **dict.fromkeys(("created_at", "updated_at", "pushed_at"), FOUNDED),
}


def repository(at: Addresses, record: Repository, *, fork_of: str | None = None) -> Json:
    """The full form, which is also good where GitHub serves a shorter one; `fork_of` names a fork's owner."""
    name = record.name.partition("/")[2]
    owner = fork_of or record.owner
    full_name = f"{owner}/{name}"
    number = record.id if fork_of is None else zlib.crc32(full_name.encode())
    url, html = f"{at.api}/repos/{full_name}", f"{at.html}/{full_name}"
    return {
        "id": number,
        "node_id": node_id("R", number),
        "name": name,
        "full_name": full_name,
        "owner": user(at, owner, kind="Organization" if fork_of is None else "User"),
        "fork": fork_of is not None,
        "url": url,
        "html_url": html,
        **{key: url + suffix for key, suffix in _REPOSITORY_LINKS.items()},
        "git_url": f"git://github.com/{full_name}.git",
        "ssh_url": f"git@github.com:{full_name}.git",
        "clone_url": f"{html}.git",
        "svn_url": html,
        "default_branch": record.default_branch,
        "has_issues": record.has_issues,
        **_QUIET,
    }
