"""The readers below `ingest`: no bytes break them, commits keep their time, doubt about code stays doubt."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fixtures_bundle import bundle
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ingest_story import sha

from app.domain.checkout import SEVERAL, Checkout
from app.domain.errors import Rejected
from app.domain.gap import GapKind
from app.domain.ids import Sha, TreeSha
from app.domain.tested_tree import UNKNOWN_TREE, TestedTree, ToldBy, TreeSource
from app.store.commits import CommitFacts
from worker.ingest.commit_lines import ALWAYS, DatedCommit, read_commits
from worker.ingest.job_identity import job_id_of
from worker.ingest.manifest import BadLine, Entry, entry_of, read_manifest
from worker.ingest.sources import gather_sources
from worker.ingest.tested_code import CodeFinder
from worker.ingest.timeline import units, unused

GOOD: dict[str, Any] = {
    "paths": ["a.xml"],
    "repo": "octo/lib",
    "workflow": "ci",
    "run": 5,
    "event": "push",
    "sha": sha("head"),
    "job": "test",
    "started_at": "2026-11-01T08:00:00Z",
    "conclusion": "success",
}
NOON = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def entry(**facts: Any) -> Entry:
    return entry_of(GOOD | facts, where="line 1", folder=Path())


@given(st.binary(max_size=2000))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_break_the_readers(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(content)
    assert all(isinstance(found, BadLine) for found in read_manifest(path))
    assert all("line" in bad.problem for bad in read_commits(path).bad)


@settings(suppress_health_check=[HealthCheck.too_slow])  # the first draw loads tables, slowly under load
@given(
    st.dictionaries(st.sampled_from([*GOOD, "tree", "parents", "pr", "shard", "log", "job_id", "note"]), JSON)
)
def test_any_value_of_a_field_is_taken_or_refused_by_name(facts: dict[str, Any]) -> None:
    refused_field = None
    try:
        entry_of(GOOD | facts, where="line 1", folder=Path())
    except Rejected as refused:
        refused_field = refused.subject
    assert refused_field is None or set(refused_field.split(", ")) <= set(facts)


def test_fields_are_read_as_they_are_meant() -> None:
    full = entry(
        run="29538418197",
        sha=sha("head").upper(),
        parents=[sha("a"), sha("b")],
        tree=None,
        shard=3,
        started_at="2026-11-01T10:00:00+02:00",
        completed_at="2026-11-01T07:00:00Z",
        paths="one.xml",
        unknown={"x": 1},
    )
    assert (full.run, full.sha, full.shard, full.paths) == (29538418197, sha("head"), "3", ("one.xml",))
    assert full.started_at == datetime(2026, 11, 1, 8, 0, tzinfo=UTC)
    assert full.ended_at == full.started_at, "a clock that ran backwards gives no negative time"
    assert (full.attempt, full.pull, full.tree, full.parents) == (1, None, None, (sha("a"), sha("b")))


def test_commits_are_sorted_by_the_time_they_are_known_from(tmp_path: Path) -> None:
    path = tmp_path / "commits.jsonl"
    told = [
        {"sha": sha("b"), "parents": [sha("a")], "at": "2026-11-02T00:00:00Z", "pr": 7},
        {"sha": sha("a"), "parents": [], "at": "2026-11-01T00:00:00Z", "tree": sha("t")},
        {"sha": sha("c"), "parents": None},
    ]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in told) + "[]\n")
    read = read_commits(path)
    assert [one.facts.sha for one in read.commits] == [sha("c"), sha("a"), sha("b")]
    assert [one.facts.parents for one in read.commits] == [None, (), (sha("a"),)]
    assert read.commits[0].known_from == ALWAYS
    assert [bad.problem for bad in read.bad] == [f"{path}, line 4: not a JSON object"]


TIMES = st.integers(min_value=0, max_value=20).map(lambda minutes: NOON + timedelta(minutes=minutes))


@given(st.lists(st.tuples(st.integers(1, 3), TIMES), max_size=12), st.lists(TIMES, max_size=12))
def test_each_commit_is_known_once_and_never_too_early(
    runs: list[tuple[int, datetime]], times: list[datetime]
) -> None:
    told = [entry(run=run, started_at=at.isoformat()) for run, at in runs]
    dated = [DatedCommit(at, CommitFacts(Sha(f"{number:040x}"))) for number, at in enumerate(sorted(times))]
    known_from = {one.facts.sha: one.known_from for one in dated}
    found = list(units(told, dated))
    last = found[-1].at if found else ALWAYS
    handed = [*(one for unit in found for one in unit.commits), *unused(dated, last)]
    assert [one.sha for one in handed] == [one.facts.sha for one in dated]
    assert all(known_from[one.sha] <= unit.at for unit in found for one in unit.commits)
    assert [unit.at for unit in found] == sorted(unit.at for unit in found)
    assert [one for unit in found for one in unit.entries] == told
    assert all(known_from[one.sha] > last for one in unused(dated, last))


HEAD, BASE, MERGE = (Sha(sha(word)) for word in ("head", "base", "merge"))
PARENTS = {HEAD: (BASE,), BASE: (), MERGE: (BASE, HEAD)}
FINDER = CodeFinder(PARENTS, {HEAD: TreeSha(sha("t-head")), MERGE: TreeSha(sha("t-merge"))})


def checkout(commit: Sha | None, *, merged: bool = False) -> Checkout:
    parents = {"merged_head": HEAD if merged else None, "merged_base": BASE if merged else None}
    return Checkout(repository="octo/lib", ref=None, commit=commit, short=None, **parents)


def pull(**facts: Any) -> Entry:
    return entry(event="pull_request", **facts)


def test_a_push_tests_its_own_tree() -> None:
    tested, gaps = FINDER.find(entry(), None)
    tree = TreeSha(sha("t-head"))
    assert (tested, gaps) == (TestedTree(TreeSource.HEAD, HEAD, tree, told_by=ToldBy.EVENT), ())
    assert FINDER.find(entry(tree=sha("told")), None)[0].tree == sha("told")


def test_a_pull_requests_tree_is_believed_without_its_commit() -> None:
    tested, gaps = FINDER.find(pull(tree=sha("told")), None)
    tree = TreeSha(sha("told"))
    assert (tested, gaps) == (TestedTree(TreeSource.MERGE_COMMIT, tree=tree, told_by=ToldBy.FILE), ())


def test_the_parents_of_a_merge_tell_its_base() -> None:
    tested, gaps = FINDER.find(pull(parents=[BASE, HEAD]), None)
    assert (tested.merge_base_parent, tested.base_in_head, gaps) == (BASE, True, ())


@pytest.mark.parametrize(
    ("graph", "expected"), [({HEAD: (), BASE: ()}, False), ({HEAD: (Sha(sha("gone")),)}, None)]
)
def test_a_merge_that_may_add_something_leaves_its_tree_unknown(
    graph: dict[Sha, tuple[Sha, ...]],
    expected: bool | None,  # noqa: FBT001 - a table's cell
) -> None:
    tested, gaps = CodeFinder(graph, {}).find(pull(parents=[HEAD, BASE]), None)
    assert tested.base_in_head is expected
    assert len(gaps) == 1


@pytest.mark.parametrize("parents", [None, [], [sha("x"), sha("y")], [sha("head")]])
def test_without_tree_merge_or_checkout_nothing_is_known(parents: list[str] | None) -> None:
    tested, gaps = FINDER.find(pull(parents=parents), None)
    assert tested.source is TreeSource.UNKNOWN
    assert len(gaps) == 1


def test_a_checkout_tells_head_or_merge() -> None:
    assert FINDER.find(pull(), checkout(HEAD))[0] == TestedTree(TreeSource.HEAD, HEAD, TreeSha(sha("t-head")))
    merged, gaps = FINDER.find(pull(), checkout(MERGE))
    assert (merged.commit, merged.tree, merged.merge_base_parent) == (MERGE, sha("t-merge"), BASE)
    assert gaps == ()
    told, _ = CodeFinder({}, {}).find(pull(), checkout(Sha(sha("new")), merged=True))
    assert told.merge_base_parent == BASE


@pytest.mark.parametrize("commit", [None, Sha(sha("stranger"))])
def test_a_checkout_of_something_else_proves_nothing(commit: Sha | None) -> None:
    tested, gaps = FINDER.find(pull(), checkout(commit))
    assert tested.source is TreeSource.UNKNOWN
    assert len(gaps) == 1


@pytest.mark.parametrize("event", ["push", "merge_group", "workflow_dispatch", "schedule"])
@pytest.mark.parametrize("shown", [checkout(Sha(sha("stranger"))), checkout(MERGE, merged=True), SEVERAL])
def test_a_log_of_another_commit_outweighs_the_event(event: str, shown: Checkout) -> None:
    for told in (None, sha("told")):
        tested, gaps = FINDER.find(entry(event=event, tree=told), shown)
        assert tested == UNKNOWN_TREE
        assert [gap.kind for gap in gaps] == [GapKind.TREE_UNKNOWN]


def test_a_log_that_agrees_with_the_event_is_who_told_it() -> None:
    tree = TreeSha(sha("t-head"))
    assert FINDER.find(entry(), checkout(HEAD)) == (TestedTree(TreeSource.HEAD, HEAD, tree), ())
    assert FINDER.find(entry(), checkout(None))[0].told_by is ToldBy.EVENT


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        ({"tree": sha("told")}, checkout(MERGE)),
        ({"parents": [HEAD, sha("other base")]}, checkout(MERGE)),
        ({"parents": [HEAD, sha("other base")]}, checkout(Sha(sha("new")), merged=True)),
        ({"parents": [BASE, HEAD]}, checkout(HEAD)),
        ({"parents": [BASE, HEAD]}, SEVERAL),
    ],
)
def test_a_pull_requests_log_that_denies_what_was_told_leaves_it_unknown(
    facts: dict[str, Any], shown: Checkout
) -> None:
    tested, gaps = FINDER.find(pull(**facts), shown)
    assert tested == UNKNOWN_TREE
    assert len(gaps) == 1


def test_a_pull_requests_log_that_agrees_changes_nothing() -> None:
    for facts in ({"tree": sha("t-merge")}, {"parents": [BASE, HEAD]}):
        assert FINDER.find(pull(**facts), checkout(MERGE)) == FINDER.find(pull(**facts), None)


def test_a_job_without_an_id_gets_a_stable_negative_one() -> None:
    one = job_id_of(entry(), ())
    assert one < 0
    assert one == job_id_of(entry(), ())
    others = {
        job_id_of(entry(**facts), ()) for facts in ({"job": "x"}, {"shard": 1}, {"variant": "v"}, {"run": 6})
    }
    assert len(others | {one}) == 5
    assert job_id_of(entry(job_id=9), ()) == 9


def test_results_of_a_replays_trials_are_none_of_the_job(tmp_path: Path) -> None:
    for name, content in {
        **bundle(folder="left/replay/1-test_x/"),
        "left/junit.xml": b"<testsuite/>",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    found = gather_sources(entry_of(GOOD | {"paths": ["left"]}, where="line 1", folder=tmp_path))
    assert [file.path for file in found.files] == ["left/junit.xml"]
