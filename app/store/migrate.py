"""Bring both databases to the newest schema: `app` and `inbox`, each with migrations of its own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from app.store.schema import METADATA
from app.store.session import open_engine, read_only

Branch = Literal["app", "inbox"]


def upgrade(app_url: str, inbox_url: str) -> None:
    """Apply what is missing to each database. Safe to repeat; on PostgreSQL also from several hosts at once,
    of which the later ones wait.
    """
    command.upgrade(_config(app_url, "app"), "head")
    command.upgrade(_config(inbox_url, "inbox"), "head")


def is_current(url: str, branch: Branch) -> bool:
    """Whether a database stands at the newest schema of its branch."""
    script = ScriptDirectory.from_config(_config(url, branch))
    engine = open_engine(url)
    try:
        with read_only(engine) as session:
            connection = session.connection()
            context = MigrationContext.configure(connection, opts=options(branch))
            return context.get_current_heads() == tuple(script.get_heads())
    finally:
        engine.dispose()


def options(branch: Branch) -> dict[str, Any]:
    """How Alembic looks at one branch; on PostgreSQL both are in one database, beside the queue's tables."""
    metadata = METADATA[branch]

    def is_ours(name: str | None, kind: str, parents: Mapping[str, str | None]) -> bool:
        table = name if kind == "table" else parents.get("table_name")
        return kind == "schema" or table in metadata.tables

    return {
        "target_metadata": metadata,
        "version_table": f"alembic_version_{branch}",
        "include_name": is_ours,
        "compare_type": True,
    }


def _config(url: str, branch: Branch) -> Config:
    config = Config()
    folder = str(migrations_folder()).replace("%", "%%")
    config.set_main_option("script_location", folder)
    config.set_main_option("version_locations", f"{folder}/versions/{branch}")
    config.set_main_option("path_separator", "os")
    config.attributes |= {"url": url, "branch": branch}
    return config


def migrations_folder() -> Path:
    """Beside `app` in a checkout, inside it in an installed wheel."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_migrations"
    return installed if installed.is_dir() else package.parent / "migrations"
