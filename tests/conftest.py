"""What every test shares: no settings of the person who runs them, and the stand-in GitHub."""

import os

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # no test of ours fails because a machine is busy
settings.load_profile("untimed")

pytest_plugins = ["fixtures_github", "fixtures_app", "fixtures_postgres"]

OUTSIDE = ("FLAKE_TRIAGE_CORPUS", "FLAKE_TRIAGE_OPENAPI")
"""Folders of other projects' data that some tests read, and say so where they are absent."""

ON_BOTH = frozenset(
    {
        *("test_alert_flow", "test_attempts_and_clocks", "test_bundle_flow", "test_lint_flow"),
        *("test_failure_evidence", "test_pipeline_faults"),
        *("test_daily_removal", "test_proven_green", "test_reading_flow", "test_repository_anew"),
        *("test_ingest", "test_ingest_judging", "test_ingest_replacing"),
        *("test_lost_claims", "test_relay", "test_runner"),
        *("test_metrics", "test_removal_in_parts", "test_retention", "test_retention_command"),
        *("test_verdicts", "test_every_page", "test_filters", "test_first_screen", "test_test_pages"),
    }
)
"""Modules whose tests run on SQLite and on PostgreSQL; together they ask every question of the store."""

BY_SQLITES_MEANS = frozenset(
    {
        "test_no_figure_reads_a_large_table_from_end_to_end",
        "test_an_ingest_that_dies_at_any_commit_is_completed_by_the_next",
        "test_death_before_any_of_its_writes_loses_nothing_and_repeats_nothing",
        "test_end_of_a_try_is_recorded_once_the_database_can_be_used_again",
    }
)
"""Tests among them that take the database away as only a file can be."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    is_meant = metafunc.module.__name__ in ON_BOTH and metafunc.function.__name__ not in BY_SQLITES_MEANS
    if is_meant and "database_url" in metafunc.fixturenames:
        metafunc.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture(autouse=True)
def _no_settings_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = [name for name in os.environ if name.startswith("FLAKE_TRIAGE_")]  # noqa: TID251 - to be wiped
    for name in set(ours) - set(OUTSIDE):
        monkeypatch.delenv(name)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)  # of a job of ours that runs the tests
