"""A file of a repository as the client reads it: at a commit, of any size within bounds, and nothing else."""

import json

import pytest
from fixtures_github import BASE, HEAD, REPO

from app.domain.errors import Gone, Rejected
from app.github.client import GitHub
from app.standin.faults import Fault
from app.standin.server import StandIn
from app.standin.state import State

SOURCE = "def test_a():\n    assert \u00e9\n".encode()


@pytest.mark.parametrize("path", ["tests/test_a.py", "t \u00e9st/a%2Fb?ref=x#y.py"])
def test_file_is_read_at_a_commit(github: GitHub, story: State, path: str) -> None:
    story.add_file(REPO, path, SOURCE, HEAD)
    assert github.content(REPO, path, HEAD, limit_bytes=100) == SOURCE
    for other, ref in ((path, BASE), ("tests", HEAD), (path, "e" * 40)):
        with pytest.raises(Gone):
            github.content(REPO, other, ref, limit_bytes=100)


def test_file_over_a_megabyte_is_asked_for_as_it_is(github: GitHub, story: State, stand_in: StandIn) -> None:
    large = b"# " + b"x" * 1_100_000
    story.add_file(REPO, "large.py", large, HEAD)
    assert github.content(REPO, "large.py", HEAD, limit_bytes=2_000_000) == large
    assert [one for one in stand_in.requests if "contents" in one] == [
        f"GET /repos/{REPO}/contents/large.py"
    ] * 2
    with pytest.raises(Rejected, match="1100002 bytes, more than"):
        github.content(REPO, "large.py", HEAD, limit_bytes=1_000_000)
    assert len([one for one in stand_in.requests if "contents" in one]) == 3


@pytest.mark.usefixtures("story")
@pytest.mark.parametrize("path", ["../secrets", "a/../../b", "/etc/passwd", "a//b", "", ".", "./a.py"])
def test_what_is_no_path_in_a_repository_is_not_asked_for(
    github: GitHub, stand_in: StandIn, path: str
) -> None:
    with pytest.raises(Rejected, match="no path in a repository"):
        github.content(REPO, path, HEAD, limit_bytes=100)
    assert stand_in.requests == []


def told(plain: object) -> Fault:
    return Fault(200, json.dumps(plain).encode(), {"content-type": "application/json"})


def told_file(**changes: object) -> Fault:
    return told({"type": "file", "size": 3, "encoding": "base64", "content": "eA=="} | changes)


@pytest.mark.parametrize(
    ("says", "error", "reason"),
    [
        (told_file(type="submodule"), Gone, "it is a submodule"),
        (told_file(content="e"), Rejected, "not base64"),
        (told_file(content="eHh4eHg=", size=1), Rejected, "more than 3 bytes"),
        (told_file(size="x"), Rejected, "not understood at size"),
        (told([]), Rejected, "not understood"),
    ],
)
@pytest.mark.usefixtures("story")
def test_what_is_no_file_or_not_what_it_says_is_refused(
    github: GitHub, stand_in: StandIn, says: Fault, error: type[Exception], reason: str
) -> None:
    stand_in.state.faults.inject("*/contents/a.py", says)
    with pytest.raises(error, match=reason):
        github.content(REPO, "a.py", HEAD, limit_bytes=3)
