"""keep what is measured"""

revision = "20261130_app_5"
down_revision = "20261130_app_4"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
