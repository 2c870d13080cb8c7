"""Repositories, commits, comparisons and pull requests."""

from collections.abc import Callable

from app.domain.ids import Sha
from app.standin.exchange import NOT_FOUND, Answer, Asked, Refusal
from app.standin.records import Pull
from app.standin.shapes import code as shapes
from app.standin.shapes.accounts import repository as repository_shape
from app.standin.shapes.accounts import user

SHA_DIGITS = 40

_REPO = "/repos/{owner}/{repo}"


def whoami(asked: Asked) -> Answer:
    if not asked.is_ours:
        raise Refusal(401, "Requires authentication")
    if asked.caller.token is not None:
        raise Refusal(403, "Resource not accessible by integration")
    return Answer(200, user(asked.at, asked.state.login))


def repository(asked: Asked) -> Answer:
    return Answer(200, repository_shape(asked.at, asked.repository))


def commit(asked: Asked) -> Answer:
    sha = _resolve(asked, asked.names["ref"])
    return Answer(200, shapes.commit(asked.at, asked.repository, asked.repository.history.commits[sha]))


def _resolve(asked: Asked, ref: str) -> Sha:
    """A branch, or a SHA of which at least 7 digits are given; an unknown full SHA is 422, as at GitHub."""
    repository = asked.repository
    sha = repository.branches.get(ref)
    if sha is not None and sha in repository.history.commits:
        return sha
    shortest = 7
    named = [known for known in list(repository.history.commits) if known.startswith(ref)]
    if len(ref) >= shortest and len(named) == 1:
        return named[0]
    if len(ref) == SHA_DIGITS:
        raise Refusal(422, f"No commit found for SHA: {ref}")
    raise Refusal(NOT_FOUND, "Not Found")


def content(asked: Asked) -> Answer:
    """A file, or its bytes alone where they are asked for; folders are not served."""
    repository, path = asked.repository, asked.names["path"]
    ref = asked.query.get("ref", repository.default_branch)
    try:
        sha = _resolve(asked, ref)
        found = repository.files[sha, path]
    except Refusal:
        raise Refusal(NOT_FOUND, f"No commit found for the ref {ref}") from None
    except KeyError:
        raise Refusal(NOT_FOUND, "Not Found") from None
    if "raw" in asked.accept:
        return Answer(200, headers={"content-type": "application/vnd.github.raw+json"}, raw=found)
    return Answer(200, shapes.content(asked.at, repository, sha, path, found))


def compare(asked: Asked) -> Answer:
    base, dots, head = asked.names["basehead"].partition("...")
    if not dots:
        raise Refusal(NOT_FOUND, "Not Found")
    try:
        base_sha, head_sha = _resolve(asked, base), _resolve(asked, head)
    except Refusal:
        raise Refusal(NOT_FOUND, "Not Found") from None
    page, headers = asked.page_of(asked.repository.history.own(base_sha, head_sha))
    shown = shapes.comparison(asked.at, asked.repository, base_sha, head_sha, page)
    if shown is None:
        raise Refusal(NOT_FOUND, f"No common ancestor between {base} and {head}.")
    return Answer(200, shown, headers)


def list_pulls(asked: Asked) -> Answer:
    state, head = asked.query.get("state", "open"), asked.query.get("head")
    wanted = [
        pull
        for pull in _newest_first(asked)
        if state in {"all", "open" if pull.is_open else "closed"}
        and head in {None, f"{pull.head_owner}:{pull.head_branch}"}
        and asked.query.get("base", pull.base_branch) == pull.base_branch
    ]
    return _pulls(asked, wanted)


def pull(asked: Asked) -> Answer:
    return Answer(200, shapes.pull(asked.at, asked.repository, _pull(asked), full=True))


def _pull(asked: Asked) -> Pull:
    record = asked.repository.pulls.get(asked.number("pull_number"))
    if record is None:
        raise Refusal(NOT_FOUND, "Not Found")
    return record


def commits_of_pull(asked: Asked) -> Answer:
    """The head's own commits, also after the merge: measured from the side of the base that it met."""
    repository, record = asked.repository, _pull(asked)
    history = repository.history
    merge = None if record.merge_sha is None else history.commits[record.merge_sha]
    tip = repository.branches.get(record.base_branch, Sha(""))
    page, headers = asked.page_of(history.own(merge.parents[0] if merge else tip, record.head_sha))
    shown = [shapes.commit(asked.at, repository, history.commits[sha]) for sha in page]
    return Answer(200, shown, headers)


def pulls_of_commit(asked: Asked) -> Answer:
    """On the default branch the merged one only; nothing for the heads of forks."""
    repository, sha = asked.repository, _resolve(asked, asked.names["commit_sha"])
    history = repository.history
    if sha in history.ancestors(repository.branches.get(repository.default_branch, Sha(""))):
        return _pulls(asked, [one for one in _newest_first(asked) if sha in _brought(asked, one)])
    near = [one for one in _newest_first(asked) if one.head_owner == repository.owner]
    return _pulls(asked, [one for one in near if sha in history.ancestors(one.head_sha)])


def _brought(asked: Asked, record: Pull) -> list[Sha]:
    """The commits that a merged pull request brought into its base."""
    history = asked.repository.history
    merge = None if record.merge_sha is None else history.commits[record.merge_sha]
    return history.own(merge.parents[0], merge.sha) if merge else []


def _newest_first(asked: Asked) -> list[Pull]:
    return sorted(asked.repository.pulls.values(), key=lambda pull: pull.number, reverse=True)


def _pulls(asked: Asked, wanted: list[Pull]) -> Answer:
    page, headers = asked.page_of(wanted)
    shown = [shapes.pull(asked.at, asked.repository, record, full=False) for record in page]
    return Answer(200, shown, headers)


ROUTES: dict[tuple[str, str], Callable[[Asked], Answer]] = {
    ("GET", "/user"): whoami,
    ("GET", _REPO): repository,
    ("GET", _REPO + "/commits/{ref}"): commit,
    ("GET", _REPO + "/commits/{commit_sha}/pulls"): pulls_of_commit,
    ("GET", _REPO + "/compare/{basehead}"): compare,
    ("GET", _REPO + "/contents/{path}"): content,
    ("GET", _REPO + "/pulls"): list_pulls,
    ("GET", _REPO + "/pulls/{pull_number}"): pull,
    ("GET", _REPO + "/pulls/{pull_number}/commits"): commits_of_pull,
}
