"""watch repositories"""

import sqlalchemy as sa
from alembic import op

from app.store.base import Json, RowId, UtcDateTime

revision = "20261130_app_4"
down_revision = "20261130_app_3"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "watched",
        sa.Column("full_name", sa.String(length=300), nullable=False),
        sa.Column("shown_name", sa.String(length=300), nullable=False),
        sa.Column("since", UtcDateTime(), nullable=False),
        sa.Column("seen_until", UtcDateTime(), nullable=True),
        sa.Column("open_since", UtcDateTime(), nullable=True),
        sa.Column("deep_at", UtcDateTime(), nullable=True),
        sa.Column("etags", Json, nullable=False),
        sa.Column("found", RowId, nullable=False),
        sa.Column("ordered", RowId, nullable=False),
        sa.Column("left_unread", RowId, nullable=False),
        sa.Column("renamed_to", sa.String(length=300), nullable=True),
        sa.Column("looked_at", UtcDateTime(), nullable=True),
        sa.Column("tried_at", UtcDateTime(), nullable=True),
        sa.Column("trouble", sa.String(length=20), nullable=True),
        sa.Column("trouble_told", sa.Text(), nullable=True),
        sa.Column("trouble_since", UtcDateTime(), nullable=True),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("claimed_until", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("full_name", name=op.f("pk_watched")),
    )
    # A report that is only kept has no id of GitHub's, or the id of what holds an older text.
    with op.batch_alter_table("pull_comments") as comments:
        comments.alter_column("github_id", existing_type=RowId, nullable=True)
    for reports in ("alerts", "pull_comments"):
        op.add_column(
            reports, sa.Column("is_posted", sa.Boolean(), server_default=sa.text("true"), nullable=False)
        )


def downgrade() -> None:
    for reports in ("alerts", "pull_comments"):
        op.drop_column(reports, "is_posted")
    op.execute("DELETE FROM pull_comments WHERE github_id IS NULL")
    with op.batch_alter_table("pull_comments") as comments:
        comments.alter_column("github_id", existing_type=RowId, nullable=False)
    op.drop_table("watched")
