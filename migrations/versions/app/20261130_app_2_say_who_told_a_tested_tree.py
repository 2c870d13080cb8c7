"""say who told a tested tree"""

import sqlalchemy as sa
from alembic import op

revision = "20261130_app_2"
down_revision = "20261130_app_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    told_by = sa.Column("tree_told_by", sa.String(length=20), server_default="checkout-step", nullable=False)
    op.add_column("jobs", told_by)


def downgrade() -> None:
    op.drop_column("jobs", "tree_told_by")
