"""Addresses: our own pages, and GitHub's as far as they can be trusted."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from app.dashboard.parts import Link
from app.domain.ids import RepoName, Sha
from app.domain.wording import short


@dataclass(frozen=True, slots=True)
class GitHubLinks:
    """`site` is GitHub's own address, or that of an installation, without a slash at the end."""

    site: str

    def commit(self, repo: RepoName, sha: Sha) -> Link:
        return Link(short(sha), f"{self.site}/{quote(repo)}/commit/{quote(sha)}")

    def pull(self, repo: RepoName, number: int) -> Link:
        return Link(f"#{number}", f"{self.site}/{quote(repo)}/pull/{number}")

    def comment(self, repo: RepoName, number: int, comment: int) -> Link:
        page = f"{self.site}/{quote(repo)}/pull/{number}"
        return Link("its comment", f"{page}#issuecomment-{comment}")

    def file(self, repo: RepoName, commit: Sha, path: str, *, line: int | None = None) -> Link:
        """A file as it was at a commit; with a line, that line of it."""
        place, anchor = (path, "") if line is None else (f"line {line}", f"#L{line}")
        return Link(place, f"{self.site}/{quote(repo)}/blob/{quote(commit)}/{quote(path)}{anchor}")

    def issue(self, repo: RepoName, number: int) -> Link:
        return Link(f"issue #{number}", f"{self.site}/{quote(repo)}/issues/{number}")


def alert(repo: RepoName, issue: int | None, github: GitHubLinks) -> Link:
    """Its issue, or its text as it is kept here where there is none."""
    return Link("its text", to_reports(repo)) if issue is None else github.issue(repo, issue)


def outside(text: str, url: str) -> Link:
    """A link to an address that came from outside: only http and https are followed."""
    return Link(text, url if url.startswith(("https://", "http://")) else None)


def to_run(attempt: int) -> str:
    return f"/runs/{attempt}"


def to_pull(repo: RepoName, number: int) -> str:
    return f"/pulls/{quote(repo)}/{number}"


def to_reports(repo: RepoName, pull: int | None = None) -> str:
    return with_query("/reports", {"repo": repo, "pull": "" if pull is None else str(pull)})


def to_test(test: int) -> str:
    return f"/tests/{test}"


def to_failure(failure: int) -> str:
    return f"/failures/{failure}"


def to_file(file: int) -> str:
    return f"/files/{file}"


def to_download(file: int) -> str:
    return f"/files/{file}/download"


def with_query(path: str, parameters: Mapping[str, str]) -> str:
    """The address with those parameters that say something."""
    said = {name: value for name, value in parameters.items() if value}
    return f"{path}?{urlencode(said)}" if said else path
