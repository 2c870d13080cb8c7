"""Migrations make exactly the tables that the models describe, and can be taken back and done again."""

import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from fixtures_postgres import Server, driven
from sqlalchemy import inspect, text

from app.store import migrate
from app.store.base import Base, InboxBase
from app.store.migrate import Branch
from app.store.schema import METADATA, MODULES
from app.store.session import open_engine, sqlite_url

BRANCHES: list[Branch] = ["app", "inbox"]

AT = "'2026-11-30 12:00:00+00'"
OLD_EVIDENCE = f"""
INSERT INTO repos (id, full_name, shown_name, default_branch) VALUES (1, 'o/r', 'o/r', 'main');
INSERT INTO variants (id, repo_id, workflow_id, name) VALUES (1, 1, 1, 'linux');
INSERT INTO runs (id, repo_id, github_id, workflow_id, workflow, event, head_sha, from_fork, url, created_at)
VALUES (2, 1, 9, 1, 'ci', 'push', 'a', FALSE, '', {AT});
INSERT INTO attempts (id, run_id, number, started_at, completed_at, recorded_at)
VALUES (3, 2, 1, {AT}, {AT}, {AT});
INSERT INTO jobs (id, attempt_id, github_id, name, variant_id, labels, url, tree_source)
VALUES (4, 3, 1, 'linux', 1, '[]', '', '');
INSERT INTO failures
(id, repo_id, attempt_id, job_id, test_key, outcome, message, text_blob, cut, failed_at, record)
VALUES (5, 1, 3, 4, -1, 'failed', '', '', FALSE, {AT}, '{{}}');
INSERT INTO evidence (id, failure_id, digest, kind, strength, text, runs, found_at)
VALUES (6, 5, 'x', 'recurrence', 'weak', '', '[7, 18000000000]', {AT}),
(8, 5, 'y', 'recurrence', 'weak', '', '[7]', {AT}), (9, 5, 'z', 'recurrence', 'weak', '', '[]', {AT})
"""
"""One failure with three pieces of evidence, as it was stored before."""


@pytest.fixture(params=["sqlite", "postgresql"])
def urls(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[Branch, str]]:
    """Two files, or one database for both branches, brought to the newest schema from nothing."""
    found: dict[Branch, str]
    if request.param == "sqlite":
        found = {branch: sqlite_url(tmp_path / f"{branch}.db") for branch in BRANCHES}
        migrate.upgrade(found["app"], found["inbox"])
        yield found
        return
    server: Server = request.getfixturevalue("postgres")
    url = server.new_database(migrated=False)
    found = dict.fromkeys(BRANCHES, driven(url))
    migrate.upgrade(found["app"], found["inbox"])
    yield found
    server.drop(url)


def tables(url: str, branch: Branch) -> set[str]:
    """Without those of the other branch, which on PostgreSQL are in the same database."""
    (other,) = set(BRANCHES) - {branch}
    engine = open_engine(url)
    found = set(inspect(engine).get_table_names())
    engine.dispose()
    return found - set(METADATA[other].tables) - {f"alembic_version_{other}"}


@pytest.mark.parametrize("branch", BRANCHES)
def test_migrations_make_what_the_models_describe(urls: dict[Branch, str], branch: Branch) -> None:
    engine = open_engine(urls[branch])
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=migrate.options(branch))
        differences = compare_metadata(context, METADATA[branch])
    engine.dispose()
    assert differences == []


@pytest.mark.parametrize("branch", BRANCHES)
def test_migrations_are_taken_back_and_done_again(urls: dict[Branch, str], branch: Branch) -> None:
    made = tables(urls[branch], branch)
    assert set(METADATA[branch].tables) <= made
    command.downgrade(migrate._config(urls[branch], branch), "base")
    assert tables(urls[branch], branch) == {f"alembic_version_{branch}"}
    assert not migrate.is_current(urls[branch], branch)
    migrate.upgrade(urls["app"], urls["inbox"])
    assert tables(urls[branch], branch) == made


@pytest.mark.parametrize("branch", BRANCHES)
def test_upgrading_twice_changes_nothing(urls: dict[Branch, str], branch: Branch) -> None:
    made = tables(urls[branch], branch)
    migrate.upgrade(urls["app"], urls["inbox"])
    assert tables(urls[branch], branch) == made
    assert migrate.is_current(urls[branch], branch)


def test_two_hosts_that_upgrade_at_once_take_turns(postgres: Server) -> None:
    url = postgres.new_database(migrated=False)
    # As processes: Alembic's context is one a process.
    hosts = [multiprocessing.get_context("spawn").Process(target=_upgrade, args=(driven(url),)) for _ in "12"]
    for host in hosts:
        host.start()
    for host in hosts:
        host.join(60)
    assert [host.exitcode for host in hosts] == [0, 0]
    assert migrate.is_current(driven(url), "app")
    assert migrate.is_current(driven(url), "inbox")
    postgres.drop(url)


def _upgrade(url: str) -> None:
    migrate.upgrade(url, url)


def test_runs_that_evidence_named_before_are_known_after(urls: dict[Branch, str]) -> None:
    """Otherwise the first removal would take what verdicts of before rest on."""
    url = urls["app"]
    command.downgrade(migrate._config(url, "app"), "20261130_app_4")
    engine = open_engine(url)
    with engine.begin() as connection:
        for statement in OLD_EVIDENCE.split(";"):
            connection.exec_driver_sql(statement)
    engine.dispose()
    migrate.upgrade(urls["app"], urls["inbox"])
    engine = open_engine(url)
    with engine.connect() as connection:
        found = connection.execute(text("SELECT repo_id, run, attempt_id FROM named_runs ORDER BY run")).all()
    engine.dispose()
    assert [tuple(row) for row in found] == [(1, 7, 3), (1, 18_000_000_000, 3)]


def test_an_empty_database_is_not_current(tmp_path: Path) -> None:
    assert not migrate.is_current(sqlite_url(tmp_path / "new.db"), "app")


def test_every_module_with_tables_is_seen_by_the_migrations() -> None:
    mapped = {mapper.class_.__module__ for base in (Base, InboxBase) for mapper in base.registry.mappers}
    assert mapped == {module.__name__ for module in MODULES}
