"""know the workers"""

import sqlalchemy as sa
from alembic import op

from app.store.base import RowId, UtcDateTime

revision = "20261130_app_3"
down_revision = "20261130_app_2"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "workers",
        sa.Column("executor_id", sa.String(length=200), nullable=False),
        sa.Column("host", sa.String(length=100), nullable=False),
        sa.Column("pid", RowId, nullable=False),
        sa.Column("version", sa.String(length=60), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("beat_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("executor_id", name=op.f("pk_workers")),
    )
    op.add_column("tasks", sa.Column("executor", sa.String(length=200), nullable=True))


def downgrade() -> None:
    op.drop_column("tasks", "executor")
    op.drop_table("workers")
