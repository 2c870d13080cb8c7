"""An opaque failure's source is linted, and what hides its cause is told; verdicts never wait for that."""

import re

import pytest
from fixtures_bundle import bundle, report
from fixtures_github import ManualClock
from pipeline import FOR_EVER, Pipeline
from scene import FAILING, HEAD, MERGE_OF_HEAD, ON_MAIN, PASSING, PULL, REPO, Case, Made, Ran, Scene, junit
from selectolax.lexbor import LexborHTMLParser
from weak_source import OPAQUE, SOURCE, SOURCE_PATH

from app.domain.lint.linted import lint
from app.standin.faults import SERVER_ERROR, Fault, answer
from app.standin.server import StandIn
from app.store import failures, lints, replays, retention
from app.store.lints import Linted
from app.store.session import read_only, unit_of_work
from app.store.tasks import TaskState
from worker.linted_sources import LINT_VERSION, MOST_REQUESTS

RED = Ran("test (a)", (PASSING, OPAQUE))
COUNT = len(lint(SOURCE, SOURCE_PATH))
TOLD = "Why this failure cannot say more: "
CONTENTS = f"*/contents/{SOURCE_PATH}"


@pytest.fixture
def weak(scene: Scene) -> Scene:
    """The repository holds the weak source wherever a run of the tests tests it."""
    scene.state.add_file(REPO, SOURCE_PATH, SOURCE.encode(), HEAD, MERGE_OF_HEAD, ON_MAIN)
    return scene


def failure_of(pipeline: Pipeline, run: int) -> int:
    with read_only(pipeline.deps.store) as session:
        found = failures.of_attempt(session, pipeline.attempt(run).id)
    (key,) = [one.id for one in found if one.opaque]
    return key


def linted(pipeline: Pipeline, run: int) -> Linted | None:
    key = failure_of(pipeline, run)
    with read_only(pipeline.deps.store) as session:
        return lints.of_failures(session, [key]).get(key)


def asked(pipeline: Pipeline) -> list[str]:
    return [one.partition("/contents/")[2] for one in pipeline.stand_in.requests if "/contents/" in one]


def body(pipeline: Pipeline) -> str:
    (comment,) = pipeline.comments(REPO, PULL)
    return comment.body


def page_of(pipeline: Pipeline, run: int) -> LexborHTMLParser:
    return LexborHTMLParser(pipeline.page(f"/failures/{failure_of(pipeline, run)}"))


def test_the_comment_says_how_many_weaknesses_hide_the_cause(pipeline: Pipeline, weak: Scene) -> None:
    pipeline.deliver(weak.run(1, RED)).drain()
    assert COUNT >= 3
    assert f"{TOLD}{COUNT} weaknesses in `{SOURCE_PATH}`" in body(pipeline)
    assert asked(pipeline) == [SOURCE_PATH]
    assert pipeline.tries.index("lint_sources") < pipeline.tries.index("judge_failures")


def test_the_page_names_each_by_line_with_its_mend(pipeline: Pipeline, weak: Scene) -> None:
    pipeline.deliver(weak.run(1, RED)).drain()
    page = page_of(pipeline, 1)
    found = lint(SOURCE, SOURCE_PATH)
    shown = page.css("#weaknesses ol.weaknesses > li")
    assert len(shown) == COUNT
    assert f"{TOLD}{COUNT} weaknesses" in page.css_first("#weaknesses h2").text()
    for one, finding in zip(shown, found, strict=True):
        assert finding.rule.value in one.text()
        assert finding.text in one.text()
        assert one.css_first("pre").text() == finding.mend
        link = one.css_first("a").attributes["href"]
        assert link == f"https://github.com/{REPO}/blob/{HEAD}/{SOURCE_PATH}#L{finding.line}"


def test_the_alert_links_to_the_page(pipeline: Pipeline, weak: Scene) -> None:
    pipeline.deliver(weak.run(1, RED, head=ON_MAIN, branch="main")).drain()
    (issue,) = pipeline.issues(REPO)
    assert f"{TOLD}{COUNT} weaknesses in `{SOURCE_PATH}`" in issue.body


def test_a_failure_that_names_its_cause_asks_for_no_source(pipeline: Pipeline, weak: Scene) -> None:
    pipeline.deliver(weak.run(1, Ran("test (a)", (PASSING, FAILING)))).drain()
    assert asked(pipeline) == []
    assert "lint_sources" not in pipeline.tries
    assert TOLD not in body(pipeline)


def test_the_commit_that_was_tested_is_asked_for_and_each_only_once(pipeline: Pipeline, weak: Scene) -> None:
    weak.run(1, RED, Ran("test (b)", (PASSING, OPAQUE)), event="pull_request")
    weak.run(2, RED, attempt=1)
    weak.run(3, RED)
    pipeline.deliver(1, 2, 3).drain(twice=True)
    assert len(asked(pipeline)) == 2
    page = pipeline.page(f"/failures/{_any(pipeline, 1)}")
    assert f"/blob/{MERGE_OF_HEAD}/" in page
    assert f"/blob/{HEAD}/" in pipeline.page(f"/failures/{failure_of(pipeline, 2)}")


def _any(pipeline: Pipeline, run: int) -> int:
    with read_only(pipeline.deps.store) as session:
        return failures.of_attempt(session, pipeline.attempt(run).id)[0].id


@pytest.mark.parametrize(
    ("told", "note"),
    [
        (answer(404, "Not Found"), "could not be read at that commit"),
        (answer(403, "Resource not accessible by integration"), "could not be read at that commit"),
        (Fault(200, b"[]", {"content-type": "application/json"}), "could not be read at that commit"),
    ],
)
def test_a_source_that_is_not_to_be_had_is_no_error(
    pipeline: Pipeline, weak: Scene, told: Fault, note: str
) -> None:
    for _ in range(3):
        weak.state.faults.inject("*/contents/*", told)
    pipeline.deliver(weak.run(1, RED)).drain()
    assert pipeline.dead() == []
    assert TOLD not in body(pipeline)
    section = page_of(pipeline, 1).css_first("#weaknesses")
    assert note in section.text()
    assert "The source of its test" in section.text()


@pytest.mark.parametrize(
    ("source", "note"),
    [
        (b"def broken(:\n", "could not be linted"),
        (b"def test_workers_end():\n    pass\n", "knows nothing in it"),
    ],
)
def test_a_source_without_findings_is_told_as_such(
    pipeline: Pipeline, scene: Scene, source: bytes, note: str
) -> None:
    scene.state.add_file(REPO, SOURCE_PATH, source, HEAD)
    pipeline.deliver(scene.run(1, RED)).drain()
    assert TOLD not in body(pipeline)
    assert note in page_of(pipeline, 1).css_first("#weaknesses").text()


def test_verdicts_do_not_wait_for_github_and_are_told_again_once_it_is_back(
    pipeline: Pipeline, weak: Scene
) -> None:
    for _ in range(3):
        weak.state.faults.inject(CONTENTS, SERVER_ERROR)
    pipeline.deliver(weak.run(1, RED)).drain()
    later = pipeline.task(f"lint:{pipeline.attempt(1).id}:later")
    assert later.state is TaskState.DONE
    assert pipeline.tries.count("judge_failures") == 1
    stages = [one for one in pipeline.tries if one in {"lint_sources", "publish_comment"}]
    assert stages[:2] == ["lint_sources", "publish_comment"]
    assert f"{TOLD}{COUNT} weaknesses" in body(pipeline)
    assert pipeline.stand_in.duplicate_effects == 0


def test_a_limit_of_github_is_respected(pipeline: Pipeline, weak: Scene, github_clock: ManualClock) -> None:
    weak.state.faults.inject(CONTENTS, answer(403, "secondary rate limit", retry_after="600"))
    began = github_clock.now()
    pipeline.deliver(weak.run(1, RED)).drain()
    assert (github_clock.now() - began).total_seconds() >= 600
    assert f"{TOLD}{COUNT} weaknesses" in body(pipeline)


def test_equal_bytes_are_linted_once(pipeline: Pipeline, weak: Scene) -> None:
    pipeline.deliver(weak.run(1, RED)).drain()
    pipeline.deliver(weak.run(2, RED, head=ON_MAIN, branch="main")).drain()
    first, second = linted(pipeline, 1), linted(pipeline, 2)
    assert first is not None
    assert second is not None
    assert (first.commit, second.commit) == (HEAD, ON_MAIN)
    assert (first.digest, first.findings) == (second.digest, second.findings)


def test_a_bundle_has_the_source_already(pipeline: Pipeline, scene: Scene) -> None:
    told = report(f"{SOURCE_PATH}::{OPAQUE.name}")
    files = bundle(told, more={f"source/{SOURCE_PATH}": SOURCE.encode()})
    made = (Made("junit-test (a)", {"junit.xml": junit(OPAQUE)}), Made("replay-test (a)", files))
    pipeline.deliver(scene.run(1, Ran("test (a)", made=made, conclusion="failure"))).drain()
    assert asked(pipeline) == []
    assert f"{TOLD}{COUNT} weaknesses" in body(pipeline)


def test_a_strangers_bundle_does_not_say_what_the_source_was(
    stand_in: StandIn, pipeline: Pipeline, github_clock: ManualClock
) -> None:
    scene = Scene(stand_in.state, github_clock, from_fork=True)
    files = bundle(report(f"{SOURCE_PATH}::{OPAQUE.name}"), more={f"source/{SOURCE_PATH}": SOURCE.encode()})
    made = (Made("junit-test (a)", {"junit.xml": junit(OPAQUE)}), Made("replay-test (a)", files))
    pipeline.deliver(scene.run(1, Ran("test (a)", made=made, conclusion="failure"), from_fork=True)).drain()
    assert asked(pipeline)[0] == SOURCE_PATH
    assert TOLD not in body(pipeline)


def test_so_many_files_are_asked_for_and_no_more(pipeline: Pipeline, scene: Scene) -> None:
    text = OPAQUE.fails or ""
    told = "".join(
        f'<testcase classname="tests.test_{number}" name="test_workers_end" file="tests/test_{number}.py">'
        f'<failure message="assert False">{re.sub("[<>&]", "", text)}</failure></testcase>'
        for number in range(MOST_REQUESTS + 5)
    )
    results = f'<testsuite name="pytest" tests="9">{told}</testsuite>'.encode()
    scene.run(1, Ran("test (a)", made=(Made("junit", {"junit.xml": results}),), conclusion="failure"))
    pipeline.deliver(1).drain()
    assert len(asked(pipeline)) == MOST_REQUESTS
    assert pipeline.dead() == []


def test_hostile_names_lead_nowhere(pipeline: Pipeline, scene: Scene) -> None:
    hostile = Case("test_workers_end", OPAQUE.fails)
    results = junit(hostile).replace(
        b'classname="tests.test_combine"', b'classname="..%2f..%2f.etc" file="../../x.py"'
    )
    scene.run(1, Ran("test (a)", made=(Made("junit", {"junit.xml": results}),), conclusion="failure"))
    pipeline.deliver(1).drain()
    assert [one for one in asked(pipeline) if ".." in one.split("/")] == []
    assert pipeline.dead() == []


def test_findings_go_with_the_last_failure_they_are_about(pipeline: Pipeline, weak: Scene) -> None:
    evidence = (*RED.artifacts, Made("replay-test (a)", bundle(more={"source/tests/other.py": b""})))
    weak.run(1, Ran("test (a)", RED.cases, made=evidence))
    pipeline.deliver(1, weak.run(2, RED)).drain()
    keys = [failure_of(pipeline, run) for run in (1, 2)]
    one, other = (pipeline.attempt(run).id for run in (1, 2))
    with unit_of_work(pipeline.deps.store) as session:
        assert lints.counts_of(session, keys).keys() == set(keys)
        places = {(HEAD, SOURCE_PATH)}
        retention.remove_some_failures(session, one)
        assert lints.at(session, 1, places, version=LINT_VERSION).keys() == places
        retention.remove_some_failures(session, other)
        assert lints.at(session, 1, places, version=LINT_VERSION) == {}
        assert len(replays.of_attempt(session, one)) == 1
        (old,) = retention.old_among(session, [one], before=FOR_EVER)
        while retention.remove_some_files(session, one):
            pass
        retention.remove_attempt(session, old)
        assert replays.of_attempt(session, one) == []
