"""watch repositories"""

revision = "20261130_app_4"
down_revision = "20261130_app_3"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
