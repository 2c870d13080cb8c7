"""The only reader of the environment. Every field is documented in README; names carry their unit."""

import difflib
import os
import re
from pathlib import Path

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.domain.address import LOOPBACK, NO_ADDRESS, as_postgres, is_on_loopback, is_web_address, password_in
from app.domain.errors import Rejected
from app.domain.repo_name import is_repo_name

PREFIX = "FLAKE_TRIAGE_"
OF_TESTS = frozenset({"FLAKE_TRIAGE_CORPUS", "FLAKE_TRIAGE_OPENAPI"})
"""Variables of this name that only the tests read."""

_APP_ID = re.compile(r"[A-Za-z0-9.]{1,64}")

_OUTLIVED = {
    "keep_deliveries_days": ("keep_tasks_days",),
    "keep_raw_days": ("evidence_window_days",),
    "keep_failures_days": ("keep_tasks_days", "keep_raw_days"),
}
"""By setting, those that are no longer than it."""


class WrongSettings(Rejected):
    """Settings that are right one by one, and do not go together; the subject is a variable."""


class Settings(BaseSettings):
    """Settings of all processes, from `FLAKE_TRIAGE_*` variables; frozen once read."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="ignore", hide_input_in_errors=True
    )

    data_dir: Path = Path("data")
    """Folder of the three SQLite files and the worker's lock; made if absent."""
    database_url: SecretStr | None = None
    """`postgresql://user:password@host/name`. None: the SQLite files of the data folder."""
    host: str = "127.0.0.1"
    port: int = Field(default=8077, ge=0, le=65535)
    public_url: str | None = None
    """Address people reach the dashboard under; used in links of comments. Default: from host and port."""
    webhook_secret: SecretStr | None = None
    """Required unless bound to loopback."""
    github_api_url: str = "https://api.github.com"
    github_url: str = "https://github.com"
    github_token: SecretStr | None = None
    github_app_id: str | None = None
    """Id or client id of a GitHub App; takes the token's place."""
    github_app_private_key: SecretStr | None = None
    """PEM, where the file below is not to be had; line ends may be written as `\\n`."""
    github_app_private_key_file: Path | None = None
    repositories: str = ""
    """Comma-separated `owner/name`; deliveries of others are recorded and left alone. Empty: all."""
    max_delivery_bytes: int = Field(default=25 * 1024 * 1024, gt=0)
    """GitHub sends nothing larger than 25 MB."""
    delivery_timeout_s: float = Field(default=10, gt=0)
    """How long the body of a delivery may take to arrive; GitHub gives up after 10 s."""
    allow_private_downloads: bool = False
    """Whether a download may be redirected to http or to a private address (GitHub Enterprise, tests)."""
    worker_threads: int = Field(default=4, ge=1, le=64)
    """Tasks of one queue that run at the same time; there are three queues."""
    poll_interval_s: float = Field(default=0.1, ge=0.01, le=10)
    """How often relay and queues look for work: half of it is the usual wait before a task starts."""
    stop_timeout_s: float = Field(default=20, ge=1)
    """How long running tasks may finish after a request to stop; what is cut off runs again at the start."""
    github_timeout_s: float = Field(default=20, gt=0)
    max_tries: int = Field(default=12, ge=1)
    """Tries of a task before it is a dead letter; with the waits below, GitHub may be away for 45 minutes."""
    retry_base_s: float = Field(default=2, gt=0)
    """First wait between tries; it doubles, up to 15 minutes, unless GitHub names a time."""
    artifact_wait_s: float = Field(default=20, ge=0)
    """How long a run without any artifact is asked again before that counts as a gap."""
    evidence_window_days: int = Field(default=14, gt=0)
    read_passed_logs: bool = True
    """Also read logs of passed jobs, for the commit they checked out: one request a job."""
    comment_bytes: int = Field(default=60_000, gt=1000, le=65_000)
    keep_tasks_days: int = Field(default=14, ge=2)
    """Of ended tasks. A worker's start asks again for the deliveries of the last day, so no less than two."""
    keep_deliveries_days: int = Field(default=30, ge=2, validate_default=True)
    """Of deliveries, and of dead tasks; no less than of tasks, so that a redelivery starts nothing twice."""
    keep_raw_days: int = Field(default=30, ge=1, validate_default=True)
    """Of texts, logs, results files and run vectors; no less than evidence is looked for."""
    keep_failures_days: int = Field(default=180, ge=2, validate_default=True)
    """Of attempts with their failures and verdicts. Groups and daily counters stay."""
    metrics_token: SecretStr | None = None
    """What a reader of `/metrics` has to show. None: only this machine may read it."""
    post: bool = True
    """Whether comments and alerts go to GitHub. If not they are kept, and shown on the dashboard."""
    reconcile_s: float = Field(default=300, ge=0)
    """How often each repository's list of runs is looked at, for runs whose delivery never came; 0: never."""
    first_look_days: float = Field(default=1, gt=0, le=35)
    """How far back the first look at a repository's runs goes."""
    first_look_runs: int = Field(default=100, ge=1, le=1000)
    """How many runs the first look takes at most; older ones stay unread."""

    @field_validator("webhook_secret", "metrics_token")
    @classmethod
    def refuse_placeholder(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and value.get_secret_value().strip().lower() in {"", "secret", "changeme"}:
            raise ValueError("is empty or a placeholder; make one with: openssl rand -hex 32")
        return value

    @field_validator("keep_deliveries_days", "keep_raw_days", "keep_failures_days")
    @classmethod
    def outlive(cls, value: int, info: ValidationInfo) -> int:
        """What others rest on has to stay as long as they do."""
        for other in _OUTLIVED[info.field_name or ""]:
            if value < info.data.get(other, 0):
                raise ValueError(f"must be at least {PREFIX}{other.upper()}, {info.data[other]}")
        return value

    @field_validator(
        "github_token",
        "github_app_id",
        "github_app_private_key",
        "github_app_private_key_file",
        mode="before",
    )
    @classmethod
    def take_empty_for_unset(cls, value: object) -> object:
        """Containers are given every variable of a list, those without a value too."""
        return None if value == "" else value

    @field_validator("github_app_id")
    @classmethod
    def require_app_id(cls, value: str | None) -> str | None:
        if value is not None and not _APP_ID.fullmatch(value):
            raise ValueError("must be the App's id, a number, or its client id, as its page shows them")
        return value

    @field_validator("public_url", "github_api_url", "github_url")
    @classmethod
    def require_address(cls, value: str | None) -> str | None:
        if value is not None and not is_web_address(value):
            raise ValueError("must be a whole address that begins with https:// or http://")
        return value

    @field_validator("database_url")
    @classmethod
    def require_postgres(cls, value: SecretStr | None) -> SecretStr | None:
        written = "" if value is None else value.get_secret_value().strip()
        if not written:
            return None
        url = as_postgres(written)
        if url is None:
            raise ValueError(
                "must begin with postgresql:// and name a database; empty is SQLite in the data folder"
            )
        return SecretStr(url)

    @field_validator("repositories")
    @classmethod
    def require_names(cls, value: str) -> str:
        names = [name.strip() for name in value.split(",") if name.strip()]
        if not all(map(is_repo_name, names)):
            raise ValueError("must be owner/name, or several of them with commas between")
        return value

    def refuse_open_door(self) -> None:
        """Raise WrongSettings where anyone who reaches the port could invent deliveries."""
        if self.webhook_secret is None and not self.is_loopback:
            raise WrongSettings(
                f"{PREFIX}WEBHOOK_SECRET",
                f"not set, and {self.host} can be reached from other machines; "
                f"set the secret of the webhook, or bind to 127.0.0.1 with {PREFIX}HOST",
            )

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown anywhere, by whatever way it got there."""
        known = [
            one.get_secret_value()
            for one in (
                self.webhook_secret,
                self.github_token,
                self.github_app_private_key,
                self.metrics_token,
            )
            if one is not None
        ]
        password = password_in(self._postgres_url)
        return tuple([*known, password] if password else known)

    @property
    def is_loopback(self) -> bool:
        return self.host in LOOPBACK

    @property
    def dashboard_url(self) -> str:
        return (self.public_url or f"http://{self.host}:{self.port}").rstrip("/")

    @property
    def linked_url(self) -> str | None:
        """What links in reports begin with; None where those who read them on GitHub could not follow."""
        is_read_here = not self.post or is_on_loopback(self.github_api_url)  # as the demo's is
        is_named = self.public_url is not None or self.host not in NO_ADDRESS
        return self.dashboard_url if is_named or is_read_here else None

    @property
    def on_postgres(self) -> bool:
        """Whether all tables are in one PostgreSQL database; else in SQLite files of the data folder."""
        return self.database_url is not None

    @property
    def database_shown(self) -> str:
        """Where the tables are, for people: an address without user and password, or a folder."""
        if not self.on_postgres:
            return str(self.data_dir)
        address, _, _ = self._postgres_url.partition("?")
        return "postgresql://" + address.partition("://")[2].rpartition("@")[2]

    @property
    def place(self) -> dict[str, str]:
        """Where the tables are, for programs."""
        return {"database" if self.on_postgres else "data_dir": self.database_shown}

    @property
    def app_database_url(self) -> str:
        return self._postgres_url or f"sqlite:///{self.data_dir / 'app.db'}"

    @property
    def inbox_database_url(self) -> str:
        """A file of its own on SQLite, so that a delivery never waits for another writer."""
        return self._postgres_url or f"sqlite:///{self.data_dir / 'inbox.db'}"

    @property
    def engine_database_url(self) -> str:
        """The queue's own tables; no other module reads them."""
        return self._postgres_url or f"sqlite:///{self.data_dir / 'engine.db'}"

    @property
    def _postgres_url(self) -> str:
        return "" if self.database_url is None else self.database_url.get_secret_value()

    def as_environment(self) -> dict[str, str]:
        """Our environment with these settings and no others, for a child process that reads its own."""
        own: dict[str, str] = {}
        for name in type(self).model_fields:
            value = getattr(self, name)
            if value is not None:
                plain = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
                own[f"{PREFIX}{name.upper()}"] = plain
        others = {
            name: value for name, value in _environment().items() if not name.upper().startswith(PREFIX)
        }
        return others | own

    @property
    def watched(self) -> frozenset[str]:
        """Names in lower case: GitHub's names do not distinguish case."""
        return frozenset(name.strip().lower() for name in self.repositories.split(",") if name.strip())

    def watches(self, repo: str) -> bool:
        return not self.watched or repo.lower() in self.watched


class StepOfJob(BaseSettings):
    """What GitHub Actions tells a step of the job that it is in; empty outside of one."""

    model_config = SettingsConfigDict(env_prefix="GITHUB_", frozen=True, extra="ignore")

    actions: str = ""
    step_summary: str = ""
    """File that the step's summary is written to."""
    output: str = ""
    """File that the step's outputs are written to."""
    workspace: str = ""
    repository: str = ""
    sha: str = ""
    ref: str = ""
    event_name: str = ""
    workflow: str = ""
    job: str = ""
    run_id: str = ""
    run_attempt: str = ""
    runner_name: str = Field(default="", validation_alias="RUNNER_NAME")
    """No two jobs run on one runner at a time, and GitHub tells a job's."""
    artifact: str = Field(default="", validation_alias="REPLAY_ARTIFACT")
    """The evidence's name, from the workflow that we print: GitHub tells a step no job index."""

    @property
    def is_in_job(self) -> bool:
        return self.actions == "true"

    @property
    def facts(self) -> dict[str, str]:
        """Which run this is, by name: the job's own word."""
        names = (
            "repository",
            "sha",
            "ref",
            "event_name",
            "workflow",
            "job",
            "run_id",
            "run_attempt",
            "runner_name",
        )
        return {name: value for name in names if (value := getattr(self, name))}


def unknown_variables() -> dict[str, str | None]:
    """Variables that look like settings and are none, each with the setting that may be meant."""
    known = [name.upper() for name in Settings.model_fields]
    found = {name: name.upper() for name in _environment() if name not in OF_TESTS}
    strange = {name: upper.removeprefix(PREFIX) for name, upper in found.items() if upper.startswith(PREFIX)}
    nearest = {
        name: next(iter(difflib.get_close_matches(rest, known, n=1)), None)
        for name, rest in sorted(strange.items())
        if rest not in known
    }
    return {name: None if meant is None else PREFIX + meant for name, meant in nearest.items()}


def _environment() -> dict[str, str]:
    return dict(os.environ)  # noqa: TID251 - this is the home of the ban
