"""What files and logs say reaches the verdict as it is: no pass that was none, no text that acts."""

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import cmarkgfm
from cmarkgfm.cmark import Options
from pipeline import Pipeline
from scene import FAILING, PASSING, PULL, REPO, Case, Made, Ran, Scene, junit
from selectolax.lexbor import LexborHTMLParser

from app.domain.gap import GapKind
from app.domain.verdict import Kind, Whose
from app.github.client import GitHub
from app.github.facts import DownloadedFile

NAME = "junit-test (a)"
HOSTILE = "test_<img src=x onerror=alert(1)>[@everyone #1 ](//evil.example) \u202e|`~~~`"

OUR_TAGS = {"p", "strong", "a", "code", "pre", "ul", "li", "details", "summary"}
OURS = "http://127.0.0.1:8077/"
ACTS = r"@\w|(?:^|\s)#\d"
"""What GitHub turns into a mention or a reference, wherever it stands outside code."""


def test_rank_logs_of_an_artifact_stand_in_the_verdict(pipeline: Pipeline, scene: Scene) -> None:
    crash = (
        b"rank 1 starts\nTraceback (most recent call last):\n"
        b'  File "worker.py", line 5, in main\n    connect()\nRuntimeError: INJECTED_RANK1_FAILURE\n'
    )
    left = {"junit.xml": junit(FAILING), "logs/rank0.log": b"rank 0 is done\n", "logs/rank1.log": crash}
    scene.run(1, Ran("test (a)", made=(Made(NAME, left),), conclusion="failure"))
    pipeline.deliver(1).drain()
    told = [reason.text for reason in pipeline.verdict(1, FAILING.label).reasons]
    (of_rank,) = [text for text in told if "rank 1" in text.lower()]
    assert "RuntimeError: INJECTED_RANK1_FAILURE" in of_rank
    assert not [text for text in told if "rank 0" in text.lower()]
    (comment,) = pipeline.comments(REPO, PULL)
    assert "INJECTED_RANK1_FAILURE" in comment.body


class Watched:
    """The GitHub that stages are given, and the folders to which they had it download."""

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self.folders: list[Path] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._github, name)

    def download_artifact(self, repo: str, key: int, path: Path, **limits: int) -> DownloadedFile:
        self.folders.append(path.parent)
        return self._github.download_artifact(repo, key, path, **limits)

    def download_job_log(self, repo: str, key: int, path: Path, **limits: int) -> DownloadedFile:
        self.folders.append(path.parent)
        return self._github.download_job_log(repo, key, path, **limits)


def test_downloads_stand_in_the_folder_of_the_worker_and_are_gone_after(
    pipeline: Pipeline, scene: Scene, tmp_path: Path
) -> None:
    scratch, watched = tmp_path / "scratch", Watched(pipeline.deps.github)
    scratch.mkdir()
    pipeline.deps = replace(pipeline.deps, github=watched, scratch=scratch)
    pipeline.deliver(scene.run(1, Ran("test (a)", (FAILING,)))).drain()
    assert [folder.parent for folder in watched.folders] == [scratch, scratch], "an artifact and a log"
    assert list(scratch.iterdir()) == []


def test_skipped_test_is_not_a_pass(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1, Ran("test (a)", (FAILING,)))
    scene.run(2, Ran("test (a)", (PASSING, Case(FAILING.name, skipped=True))), event="pull_request")
    pipeline.deliver(1, 2).drain()
    assert pipeline.verdict(1, FAILING.label).kind is not Kind.FLAKY
    assert pipeline.counted(FAILING.label) == (1, 1)


def test_file_without_tests_is_not_a_pass(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1, Ran("test (a)", (FAILING,)))
    empty = Made(NAME, {"junit.xml": junit()})
    scene.run(2, Ran("test (a)", made=(empty,), conclusion="success"), event="pull_request")
    pipeline.deliver(1, 2).drain()
    verdict = pipeline.verdict(1, FAILING.label)
    assert verdict.kind is not Kind.FLAKY
    assert verdict.whose is not Whose.NOT_YOURS


def test_pass_on_another_tree_is_a_suspicion_only(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1, Ran("test (a)", (FAILING,)))
    scene.run(2, Ran("test (a)", (Case(FAILING.name),), log=None), event="pull_request")
    pipeline.deliver(1, 2).drain()
    verdict = pipeline.verdict(1, FAILING.label)
    assert (verdict.kind.value, verdict.strength.value, verdict.whose.value) == (
        "flaky",
        "suspected",
        "unknown",
    )


def test_job_that_passed_though_a_test_failed_is_a_contradiction(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1, Ran("test (a)", (FAILING,), conclusion="success"), conclusion="success")
    pipeline.deliver(1).drain()
    assert GapKind.RESULTS_CONTRADICT_JOB in {gap.kind for gap in pipeline.gaps(1)}
    assert pipeline.lines(1).keys() == {FAILING.label}


def test_hostile_names_act_nowhere(pipeline: Pipeline, scene: Scene) -> None:
    case = Case(HOSTILE, "E   AssertionError: </details><script>alert(1)</script> @octocat fixes #1\n")
    scene.run(1, Ran("test (a)", (case,)))
    pipeline.deliver(1).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert not re.search(ACTS, _told_outside_code(comment.body))
    assert "\u202e" not in comment.body
    attempt = pipeline.attempt(1).id
    for path in ("/", "/tests", f"/runs/{attempt}", "/problems"):
        page = pipeline.page(path)
        assert "<img src=x" not in page, path
        assert "<script>alert" not in page, path
    assert "<img src=x" in html.unescape(pipeline.page("/tests"))


def test_hostile_log_lines_and_job_names_act_nowhere(pipeline: Pipeline, scene: Scene) -> None:
    name = "<b>@everyone</b> `x` [y](//evil.example)"
    prints = ("\x1b[31m##[error]<script>alert(1)</script> @octocat", "FAILED ../../../etc/passwd::t - x")
    scene.run(1, Ran(name, conclusion="failure", prints=prints))
    pipeline.deliver(1).drain()
    assert pipeline.dead() == []
    (comment,) = pipeline.comments(REPO, PULL)
    assert not re.search(ACTS, _told_outside_code(comment.body))
    assert "\x1b" not in comment.body
    for path in ("/", f"/runs/{pipeline.attempt(1).id}", "/problems"):
        page = pipeline.page(path)
        assert "<b>@everyone" not in page, path
        assert "<script>alert" not in page, path


def _told_outside_code(body: str) -> str:
    """A comment as GitHub's own parser reads it, without code; fails on tags or links that are not ours."""
    page = LexborHTMLParser(cmarkgfm.github_flavored_markdown_to_html(body, Options.CMARK_OPT_UNSAFE))
    assert {node.tag for node in page.css("body *")} <= OUR_TAGS
    links = [node.attributes["href"] or "" for node in page.css("a")]
    assert [link for link in links if not link.startswith(("https://github.com/acme/gefen/", OURS))] == []
    for code in page.css("code"):
        code.decompose()
    assert page.body is not None
    return page.body.text()
