"""Settings: what a child process is given, and which addresses and names are taken."""

import pytest
from pydantic import ValidationError

from app.settings import Settings, WrongSettings, unknown_variables


def test_child_gets_these_settings_and_none_of_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_PUBLIC_URL", "https://mine.example")
    monkeypatch.setenv("FLAKE_TRIAGE_POTR", "1")
    monkeypatch.setenv("OTHER", "kept")
    environment = Settings(public_url=None, port=99).as_environment()
    own = {name for name in environment if name.startswith("FLAKE_TRIAGE_")}
    assert "FLAKE_TRIAGE_PUBLIC_URL" not in own
    assert "FLAKE_TRIAGE_POTR" not in own
    assert (environment["FLAKE_TRIAGE_PORT"], environment["OTHER"]) == ("99", "kept")


@pytest.mark.parametrize("url", ["https://triage.example.org/", "http://127.0.0.1:8077", "https://[::1]:80"])
def test_whole_addresses_are_taken(url: str) -> None:
    assert Settings(public_url=url).dashboard_url == url.rstrip("/")


@pytest.mark.parametrize(
    ("changes", "linked"),
    [
        ({}, None),
        ({"host": "0.0.0.0"}, None),
        ({"host": "10.0.0.5"}, "http://10.0.0.5:8077"),
        ({"public_url": "https://triage.example"}, "https://triage.example"),
        ({"post": False}, "http://127.0.0.1:8077"),
        ({"github_api_url": "http://localhost:9000"}, "http://127.0.0.1:8077"),
    ],
)
def test_reports_link_to_the_dashboard_only_where_their_readers_reach_it(
    changes: dict[str, object], linked: str | None
) -> None:
    assert Settings.model_validate(changes).linked_url == linked


@pytest.mark.parametrize(
    "url", ["triage.example.org", "ftp://x", "https://", "https://[half", "https://x:99999"]
)
def test_other_addresses_are_refused(url: str) -> None:
    for name in ("public_url", "github_api_url", "github_url"):
        with pytest.raises(ValueError, match="must be a whole address"):
            Settings.model_validate({name: url})


@pytest.mark.parametrize("name", ["octo/lib", "octo/.github", "o/a.b-c_d", "octo/..."])
def test_names_of_repositories_are_taken(name: str) -> None:
    assert Settings(repositories=f" {name}, other/one ").watches(name.upper())


@pytest.mark.parametrize(
    "name",
    ["octo", "octo/", "/lib", "octo/.", "octo/..", "../lib", "./lib", "a/../b", "a/b/c", "a b/c"],
)
def test_what_means_something_else_in_an_address_is_no_name(name: str) -> None:
    with pytest.raises(ValueError, match="must be owner/name"):
        Settings(repositories=f"octo/lib, {name.strip()}")


def test_door_is_open_only_to_this_machine_or_with_a_secret() -> None:
    Settings(host="::1").refuse_open_door()
    Settings.model_validate({"host": "0.0.0.0", "webhook_secret": "a secret of this test"}).refuse_open_door()
    with pytest.raises(WrongSettings, match="FLAKE_TRIAGE_WEBHOOK_SECRET: not set"):
        Settings(host="0.0.0.0").refuse_open_door()


def test_variables_of_the_tests_are_no_misspelt_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_CORPUS", "somewhere")
    monkeypatch.setenv("FLAKE_TRIAGE_DATADIR", "data")
    assert unknown_variables() == {"FLAKE_TRIAGE_DATADIR": "FLAKE_TRIAGE_DATA_DIR"}


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_postgres_is_named_with_or_without_its_driver_and_shown_without_its_user(scheme: str) -> None:
    settings = Settings.model_validate(
        {"database_url": f"{scheme}://me:p%40ss-word@db:5433/triage?sslmode=require"}
    )
    url = "postgresql+psycopg://me:p%40ss-word@db:5433/triage?sslmode=require"
    assert {settings.app_database_url, settings.inbox_database_url, settings.engine_database_url} == {url}
    assert settings.database_shown == "postgresql://db:5433/triage"
    assert settings.secrets == ("p@ss-word",)
    assert "ss-word" not in repr(settings)
    assert Settings.model_validate({"database_url": "postgresql:///x?password=abcdef"}).secrets == ("abcdef",)
    in_query = Settings.model_validate({"database_url": "postgresql:///x?password=a%2541+b"})
    assert in_query.secrets == ("a%41 b",), "decoded once, as the driver is told it"


@pytest.mark.parametrize(
    "url", ["mysql://me:geheim@db/x", "postgresql://me:geheim@db", "geheim", "postgres://h:x/y"]
)
def test_other_databases_are_refused_without_showing_what_was_written(url: str) -> None:
    with pytest.raises(ValueError, match="must begin with postgresql://") as refused:
        Settings.model_validate({"database_url": url})
    assert "geheim" not in str(refused.value)


def test_no_database_is_sqlite_in_the_data_folder() -> None:
    settings = Settings.model_validate({"database_url": " ", "data_dir": "here"})
    assert not settings.on_postgres
    assert settings.app_database_url == "sqlite:///here/app.db"
    assert settings.place == {"data_dir": "here"}


@pytest.mark.parametrize(
    ("chosen", "wrong"),
    [
        ({"evidence_window_days": 60}, "keep_raw_days"),
        ({"keep_tasks_days": 40}, "keep_deliveries_days"),
        ({"keep_failures_days": 20}, "keep_failures_days"),
    ],
)
def test_what_others_rest_on_is_kept_as_long_as_they_are(chosen: dict[str, int], wrong: str) -> None:
    """Also where the value that is too small is the default: it is told which setting to raise."""
    with pytest.raises(ValidationError, match=f"{wrong}\\n.*must be at least FLAKE_TRIAGE_"):
        Settings.model_validate(chosen)
