"""keep what is measured"""

import sqlalchemy as sa
from alembic import op

from app.store.base import RowId, UtcDateTime

revision = "20261130_app_5"
down_revision = "20261130_app_4"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "measures",
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("label", sa.String(length=200), nullable=False),
        sa.Column("value", RowId, nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", "label", name=op.f("pk_measures")),
    )
    op.add_column("attempts", sa.Column("raw_removed_at", UtcDateTime(), nullable=True))
    op.create_index("ix_attempts_recorded_at", "attempts", ["recorded_at"])
    op.create_index("ix_attempts_judged_at", "attempts", ["judged_at"])
    op.create_index(
        "ix_attempts_raw",
        "attempts",
        ["recorded_at"],
        sqlite_where=sa.text("raw_removed_at IS NULL"),
        postgresql_where=sa.text("raw_removed_at IS NULL"),
    )
    op.create_index("ix_artifacts_job", "artifacts", ["job_id"])
    op.create_index("ix_failures_text", "failures", ["text_blob"])
    op.create_index("ix_source_files_job", "source_files", ["job_id"])
    op.create_index("ix_source_files_blob", "source_files", ["blob"])
    op.create_table(
        "named_runs",
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("run", RowId, nullable=False),
        sa.Column("attempt_id", RowId, nullable=False),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_named_runs_repo_id")),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], name=op.f("fk_named_runs_attempt_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("repo_id", "run", "attempt_id", name=op.f("pk_named_runs")),
    )
    op.create_index(op.f("ix_named_runs_attempt_id"), "named_runs", ["attempt_id"])
    _name_known_runs()


def _name_known_runs() -> None:
    """Of the evidence that is there already."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    each = "json_each(evidence.runs)" if is_sqlite else "json_array_elements_text(evidence.runs)"
    op.execute(
        "INSERT INTO named_runs (repo_id, run, attempt_id) "  # noqa: S608 - words of our own
        "SELECT DISTINCT failures.repo_id, CAST(named.value AS BIGINT), failures.attempt_id "
        f"FROM evidence JOIN failures ON failures.id = evidence.failure_id CROSS JOIN {each} AS named"
    )


def downgrade() -> None:
    op.drop_table("named_runs")
    op.drop_index("ix_source_files_blob", table_name="source_files")
    op.drop_index("ix_source_files_job", table_name="source_files")
    op.drop_index("ix_failures_text", table_name="failures")
    op.drop_index("ix_artifacts_job", table_name="artifacts")
    op.drop_index("ix_attempts_raw", table_name="attempts")
    op.drop_index("ix_attempts_judged_at", table_name="attempts")
    op.drop_index("ix_attempts_recorded_at", table_name="attempts")
    op.drop_column("attempts", "raw_removed_at")
    op.drop_table("measures")
