"""Incident 1 as `flake-triage demo` plays it: what the service must show, read from what it prints."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser
from sharing import Share

from app.domain.lint.linted import lint
from app.domain.weaknesses import weaknesses_of
from app.standin.state import TOKEN
from worker.demo import facts, sources
from worker.demo.service import SECRET

DEMO = (sys.executable, "-m", "worker", "demo", "--json")
WITHIN_S = 90


@dataclass(frozen=True, slots=True)
class Played:
    """What one demo printed, what its service logged, and the pages it named, by path."""

    told: dict[str, Any]
    progress: str
    log: str = ""
    pages: tuple[tuple[str, str], ...] = ()

    @property
    def verdict(self) -> dict[str, Any]:
        (verdict,) = self.told["verdicts"]
        assert verdict["test"] == facts.TEST
        return verdict

    @property
    def reasons(self) -> str:
        return "\n".join(reason["text"] for reason in self.verdict["reasons"])

    def reason(self, *words: str) -> dict[str, Any]:
        """The one reason that says all of this."""
        (found,) = [one for one in self.verdict["reasons"] if all(word in one["text"] for word in words)]
        return found


def play(share: Share, variant: str, make: Callable[[], Played]) -> Played:
    """Played once for all tests, and no two at a time: each demo likes to have the usual port."""
    told, progress, log, pages = share("demo", variant, lambda: list(astuple(make())))
    return Played(told, progress, log, tuple((path, page) for path, page in pages))


def run_demo(*options: str) -> Played:
    """The command as people run it: it ends by itself, with one object on stdout."""
    demo = [*DEMO, "--exit", *options]
    ended = subprocess.run(demo, capture_output=True, check=False, timeout=WITHIN_S, text=True)
    assert ended.returncode == 0, ended.stderr
    (line,) = ended.stdout.splitlines()
    return Played(json.loads(line), ended.stderr)


def visit_demo(folder: Path) -> Played:
    """Without `--exit` it stays, so that its pages and its service's log can be read before Ctrl-C."""
    environment = os.environ | {"TMPDIR": str(folder)}  # noqa: TID251 - where this demo keeps its folder
    with subprocess.Popen(
        DEMO, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as demo:
        try:
            assert demo.stdout is not None
            told = json.loads(demo.stdout.readline())
            log = "".join(path.read_text() for path in folder.glob("flake-triage-demo-*/service.log"))
            pages = tuple((httpx.URL(url).path, httpx.get(url).text) for url in told["pages"])
            demo.send_signal(signal.SIGINT)
            rest, progress = demo.communicate(timeout=WITHIN_S)
        finally:
            demo.kill()
    assert (demo.returncode, rest) == (0, ""), progress
    assert list(folder.iterdir()) == [], "the demo leaves nothing behind"
    return Played(told, progress, log, pages)


@pytest.fixture(scope="module")
def demo(share: Share, tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(share, "as it was", lambda: visit_demo(tmp_path_factory.mktemp("demo")))


@pytest.fixture(scope="module")
def no_history(share: Share) -> Played:
    return play(share, "no history", lambda: run_demo("--no-history"))


@pytest.fixture(scope="module")
def base_moved(share: Share) -> Played:
    return play(share, "base moved", lambda: run_demo("--base-moved"))


def seen(played: Played) -> Iterator[tuple[int, str, str, str]]:
    (group,) = played.told["groups"]
    assert group["test"] == facts.TEST
    assert group["signature"]
    for one in group["observations"]:
        yield one["run"], one["sha"], one["event"], one["outcome"]


def test_one_group_holds_the_failures_and_the_pass_at_the_same_commit(demo: Played) -> None:
    assert set(seen(demo)) == {
        (facts.EARLIER_RUN, facts.ELSEWHERE, "push", "failed"),
        (facts.PUSH_RUN, facts.HEAD, "push", "failed"),
        (facts.PULL_RUN, facts.HEAD, "pull_request", "passed"),
        (facts.MAIN_RUN, facts.MERGE, "push", "failed"),
    }
    assert (facts.HEAD[:7], facts.MERGE[:7]) == ("bd47e80", "df3a615")


def test_it_moves_between_python_versions(demo: Played) -> None:
    (group,) = demo.told["groups"]
    failed = {one["run"]: one["job"] for one in group["observations"] if one["outcome"] == "failed"}
    assert failed == {
        facts.EARLIER_RUN: "test (3.13)",
        facts.PUSH_RUN: "test (3.12)",
        facts.MAIN_RUN: "test (3.11)",
    }


def test_verdict_is_a_likely_flake(demo: Played) -> None:
    assert (demo.verdict["kind"], demo.verdict["strength"]) == ("flaky", "likely")


def test_reason_names_both_runs_their_events_the_commit_and_how_the_tree_is_known(demo: Played) -> None:
    reason = demo.reason(f"Run {facts.PULL_RUN} (pull_request", f"run {facts.PUSH_RUN} (push")
    assert set(reason["runs"]) == {facts.PULL_RUN, facts.PUSH_RUN}
    assert "passed" in reason["text"]
    assert "failed at bd47e80" in reason["text"]
    assert "both tested the same tree" in reason["text"]
    assert f"the merge commit {facts.TEST_MERGE[:7]} in the checkout step" in reason["text"]


def test_it_is_not_yours_because_of_the_earlier_failure_elsewhere_which_is_named(demo: Played) -> None:
    assert demo.verdict["whose"] == "not-yours"
    reason = demo.reason("without this pull request's change")
    assert reason["runs"] == [facts.EARLIER_RUN]
    assert f"run {facts.EARLIER_RUN}" in reason["text"]
    assert facts.ELSEWHERE[:7] in reason["text"]


def test_siblings_of_the_matrix_and_the_recurrence_on_main_are_named(demo: Played) -> None:
    demo.reason("In the same run it passed in", "test (3.11)", "test (3.13)")
    recurrence = demo.reason(f"run {facts.MAIN_RUN}", "df3a615", "test (3.11)")
    assert recurrence["runs"] == [facts.MAIN_RUN]


def test_failure_is_opaque_and_says_so(demo: Played) -> None:
    assert demo.verdict["opaque"] is True
    demo.reason("holds no cause", "the cause is not known to be the same")
    assert demo.verdict["gaps"] == []


def test_comment_is_created_once_then_edited(demo: Played) -> None:
    comment = demo.told["comment"]
    assert comment["creates"] == 1
    assert comment["updates"] >= 1
    assert comment["body"].startswith("**1 failure, not yours**: a likely flake\n")
    runs = (facts.PUSH_RUN, facts.PULL_RUN, facts.EARLIER_RUN, facts.MAIN_RUN)
    missing = [run for run in runs if f"/gefen/gefen/actions/runs/{run})" not in comment["body"]]
    assert missing == [], "every run is a link"
    assert f"/commit/{facts.HEAD})" in comment["body"]
    assert "re-run the failed job" in comment["body"]


def test_alert_opens_as_a_suspected_flake_and_closes_on_green(demo: Played) -> None:
    alert = demo.told["alert"]
    assert (alert["state"], alert["opened_on"]) == ("closed", facts.MERGE)
    opened, closed = alert["history"]
    assert (opened["step"], opened["sha"], opened["run"]) == ("opened", facts.MERGE, facts.MAIN_RUN)
    assert opened["text"] == (
        "a suspected flake: the same failure flipped at bd47e80; a regression is not excluded"
    )
    assert (closed["step"], closed["sha"], closed["run"]) == ("closed", facts.MENDED, facts.GREEN_RUN)


@pytest.mark.parametrize("variant", ["demo", "no_history", "base_moved"])
def test_no_effect_is_doubled_though_every_webhook_came_twice(
    variant: str, request: pytest.FixtureRequest
) -> None:
    told = request.getfixturevalue(variant).told
    assert told["webhooks"]["sent"] == 2 * told["webhooks"]["distinct"] > 0
    assert told["duplicate_effects"] == 0
    assert told["replays"] == []


def test_failure_never_seen_elsewhere_excuses_nobody(no_history: Played) -> None:
    verdict = no_history.verdict
    assert (verdict["kind"], verdict["strength"], verdict["whose"]) == ("flaky", "likely", "unknown")
    assert str(facts.EARLIER_RUN) not in no_history.reasons
    assert facts.EARLIER_RUN not in {run for run, *_ in seen(no_history)}
    assert "not yours" not in no_history.told["comment"]["body"].partition("\n")[0]


def test_different_trees_leave_a_suspicion(base_moved: Played) -> None:
    verdict = base_moved.verdict
    assert (verdict["kind"], verdict["strength"], verdict["whose"]) == ("flaky", "suspected", "unknown")
    base_moved.reason(f"run {facts.PUSH_RUN}", f"un {facts.PULL_RUN}", "on different trees; the trees are ")
    opened, _ = base_moved.told["alert"]["history"]
    assert "passed and failed at bd47e80, on different trees" in opened["text"]
    assert "flipped" not in opened["text"]


def test_pages_that_it_names_show_the_test(demo: Played) -> None:
    pages = dict(demo.pages)
    assert {"/", "/tests"} < pages.keys()
    of_test, of_failure = sorted(pages.keys() - {"/", "/tests"}, reverse=True)
    assert of_test.startswith("/tests/")
    assert facts.TEST_NAME in pages[of_test]
    assert str(facts.PUSH_RUN) in pages[of_test]
    assert of_failure.startswith("/failures/")


def test_the_weaknesses_that_hide_the_cause_are_named_by_line_with_their_mend(demo: Played) -> None:
    found = weaknesses_of(
        facts.TEST_ID, sources.PATH, lint(sources.checkpoint_test(on_main=False), sources.PATH)
    )
    assert {"init-outside-try", "one-item-drained", "terminate-counts-as-crash"} <= {
        one.rule for one in found
    }
    ((path, page),) = [(path, page) for path, page in demo.pages if path.startswith("/failures/")]
    told = f"Why this failure cannot say more: [{len(found)} weaknesses in `{sources.PATH}`]("
    assert re.search(re.escape(told) + rf"http://[^)]+{path}#weaknesses\)", demo.told["comment"]["body"])
    items = LexborHTMLParser(page).css("#weaknesses ol.weaknesses > li")
    assert [one.css_first("a").text() for one in items] == [f"line {one.line}" for one in found]
    assert [one.css_first("pre").text() for one in items] == [one.mend for one in found]
    sister = "test_full_dcp_handoff_rejects_other_world_size"
    assert all(sister in one.text() for one in items if "init-outside-try" in one.text())


def test_service_logs_no_secret_and_no_traceback(demo: Played) -> None:
    entries = [json.loads(line) for line in demo.log.splitlines()]
    assert "worker is ready" in {entry.get("event") for entry in entries}
    found = re.findall(rf"{re.escape(TOKEN)}|{re.escape(SECRET)}|Traceback|sig=[0-9a-f]+", demo.log)
    assert found == []
    assert {entry["level"] for entry in entries} <= {"info", "warning"}
