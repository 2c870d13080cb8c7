"""keep what replays inside jobs claim, and what the lint finds in the source of opaque failures"""

import sqlalchemy as sa
from alembic import op

from app.store.base import RowId, UtcDateTime

revision = "20261201_app_6"
down_revision = "20261130_app_5"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _make_replays()
    _make_lints()


def _make_replays() -> None:
    op.create_table(
        "replays",
        sa.Column("id", RowId, nullable=False),
        sa.Column("attempt_id", RowId, nullable=False),
        sa.Column("job_id", RowId, nullable=True),
        sa.Column("artifact", RowId, nullable=False),
        sa.Column("artifact_name", sa.String(length=300), nullable=False),
        sa.Column("artifact_digest", sa.String(length=100), nullable=True),
        sa.Column("folder", sa.String(length=500), nullable=False),
        sa.Column("manifest", sa.String(length=64), nullable=False),
        sa.Column("own_word", sa.Boolean(), nullable=False),
        sa.Column("test", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("verdict", sa.String(length=30), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("cause", sa.String(length=40), nullable=False),
        sa.Column("rank", RowId, nullable=True),
        sa.Column("cause_sentence", sa.Text(), nullable=False),
        sa.Column("exception", sa.Text(), nullable=False),
        sa.Column("failures", RowId, nullable=False),
        sa.Column("trials", RowId, nullable=False),
        sa.Column("rate_low", sa.Double(), nullable=False),
        sa.Column("rate_high", sa.Double(), nullable=False),
        sa.Column("arms", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], name=op.f("fk_replays_attempt_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_replays_job_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replays")),
        sa.UniqueConstraint(
            "attempt_id", "artifact", "folder", name=op.f("uq_replays_attempt_id_artifact_folder")
        ),
    )
    op.create_index("ix_replays_job", "replays", ["job_id"])


def _make_lints() -> None:
    op.create_table(
        "lints",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("commit_sha", sa.String(length=64), nullable=False),
        sa.Column("path", sa.String(length=500), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=True),
        sa.Column("version", RowId, nullable=False),
        sa.Column("findings", sa.JSON(), nullable=False),
        sa.Column("found", RowId, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("noted_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_lints_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lints")),
        sa.UniqueConstraint("repo_id", "commit_sha", "path", name=op.f("uq_lints_repo_id_commit_sha_path")),
    )
    op.create_index("ix_lints_digest", "lints", ["repo_id", "digest"])
    op.create_table(
        "failure_lints",
        sa.Column("failure_id", RowId, nullable=False),
        sa.Column("lint_id", RowId, nullable=False),
        sa.Column("found", RowId, nullable=False),
        sa.ForeignKeyConstraint(
            ["failure_id"], ["failures.id"], name=op.f("fk_failure_lints_failure_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["lint_id"], ["lints.id"], name=op.f("fk_failure_lints_lint_id")),
        sa.PrimaryKeyConstraint("failure_id", name=op.f("pk_failure_lints")),
    )
    op.create_index(op.f("ix_failure_lints_lint_id"), "failure_lints", ["lint_id"])


def downgrade() -> None:
    op.drop_table("failure_lints")
    op.drop_table("lints")
    op.drop_table("replays")
