"""What pages ask of the database: a fixed number of statements, each served by an index."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import web_scenes
from sqlalchemy import Engine, event
from starlette.testclient import TestClient

from app.store.session import unit_of_work

PAGES = [
    "/",
    "/pulls",
    "/pulls/octo/gefen/83",
    "/tests",
    "/tests?repo=octo/gefen&branch=main&kind=flaky&q=test&sort=rate",
    "/tests/1",
    "/failures/1",
    "/runs/14",
    "/files/1",
    "/problems",
]

LARGE = {
    "attempts",
    "blobs",
    "commits",
    "commit_relations",
    "daily_counts",
    "evidence",
    "failure_lints",
    "failures",
    "gaps",
    "groups",
    "jobs",
    "lints",
    "replays",
    "run_vectors",
    "runs",
    "source_files",
    "tests",
    "verdicts",
}
"""Tables that grow with every run."""

WALKED = {"attempts", "gaps"}
"""Read from the newest row backwards and stopped by the limit, so their size does not matter."""


Statement = tuple[str, Any]


@contextmanager
def statements_of(store: Engine) -> Iterator[list[Statement]]:
    seen: list[Statement] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_rest: Any) -> None:
        seen.append((statement, parameters))

    event.listen(store, "before_cursor_execute", note)
    yield seen
    event.remove(store, "before_cursor_execute", note)


def asked_by(client: TestClient, path: str) -> list[Statement]:
    with statements_of(client.app.state.wiring.store) as seen:  # type: ignore[attr-defined]  # any ASGI app
        assert client.get(path).status_code == 200
    asked = [one for one in seen if one[0].startswith(("SELECT", "WITH"))]
    assert asked
    return asked


@pytest.mark.parametrize("path", PAGES)
def test_the_number_of_statements_does_not_grow_with_the_rows(story: TestClient, path: str) -> None:
    before = len(asked_by(story, path))
    with unit_of_work(story.app.state.wiring.store) as session:  # type: ignore[attr-defined]  # any ASGI app
        web_scenes.another_red_day(session)
    assert len(asked_by(story, path)) == before
    assert before <= 18


@pytest.mark.parametrize("path", PAGES)
def test_no_statement_reads_a_large_table_from_end_to_end(story: TestClient, path: str) -> None:
    asked = asked_by(story, path)
    connection = story.app.state.wiring.store.raw_connection()  # type: ignore[attr-defined]  # any ASGI app
    cursor = connection.cursor()
    for statement, parameters in asked:
        plan = [row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()]
        scanned = {step.split()[1] for step in plan if step.startswith("SCAN ")} & LARGE
        sorted_whole = any("TEMP B-TREE FOR ORDER BY" in step for step in plan)
        assert scanned - WALKED == set(), (statement, plan)
        assert not (scanned and sorted_whole), (statement, plan)
    connection.close()


@pytest.mark.parametrize("path", PAGES)
def test_every_list_has_a_limit(story: TestClient, path: str) -> None:
    whole = [
        statement
        for statement, _parameters in asked_by(story, path)
        if "LIMIT" not in statement and "count(*)" not in statement and " IN (" not in statement
    ]
    by_key = [
        one
        for one in whole
        if ".id = ?" in one or "digest = ?" in one or "_id = ?" in one or "full_name = ?" in one
    ]
    assert set(whole) == set(by_key)


@pytest.mark.parametrize("path", [*PAGES, "/readyz"])
def test_a_page_neither_waits_for_a_writer_nor_stops_one(story: TestClient, path: str) -> None:
    wired = story.app.state.wiring  # type: ignore[attr-defined]  # any ASGI app
    with unit_of_work(wired.store) as session, unit_of_work(wired.inbox) as deliveries:
        web_scenes.another_red_day(session)
        web_scenes.another_delivery(deliveries)
        assert story.get(path).status_code == 200
    assert story.get(path).status_code == 200
