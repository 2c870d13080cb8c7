"""make the inbox tables"""

import sqlalchemy as sa
from alembic import op

from app.store.base import Json, RowId, UtcDateTime

revision = "20261130_inbox_1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "deliveries",
        sa.Column("guid", sa.String(length=100), nullable=False),
        sa.Column("event", sa.String(length=100), nullable=False),
        sa.Column("action", sa.String(length=100), nullable=True),
        sa.Column("repo", sa.String(length=300), nullable=True),
        sa.Column("headers", Json, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("received_at", UtcDateTime(), nullable=False),
        sa.Column("relayed_at", UtcDateTime(), nullable=True),
        sa.Column("deliveries_seen", RowId, nullable=False),
        sa.PrimaryKeyConstraint("guid", name=op.f("pk_deliveries")),
    )
    op.create_index("ix_deliveries_received_at", "deliveries", ["received_at"], unique=False)
    op.create_index(
        "ix_deliveries_waiting",
        "deliveries",
        ["received_at"],
        unique=False,
        sqlite_where=sa.text("state = 'waiting'"),
        postgresql_where=sa.text("state = 'waiting'"),
    )


def downgrade() -> None:
    op.drop_index(
        "ix_deliveries_waiting",
        table_name="deliveries",
        sqlite_where=sa.text("state = 'waiting'"),
        postgresql_where=sa.text("state = 'waiting'"),
    )
    op.drop_index("ix_deliveries_received_at", table_name="deliveries")
    op.drop_table("deliveries")
