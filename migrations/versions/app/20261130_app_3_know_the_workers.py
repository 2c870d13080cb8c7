"""know the workers"""

revision = "20261130_app_3"
down_revision = "20261130_app_2"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
