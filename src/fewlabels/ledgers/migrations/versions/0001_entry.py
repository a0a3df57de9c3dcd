"""The first schema: one append-only table."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Upgrade only: a ledger is never downgraded."""
    op.create_table(
        "entry",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("serial", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("seal", sa.Text, nullable=True),
        sa.Column("hash", sa.Text, nullable=False),
        sa.UniqueConstraint("study", "key", name="entry_key"),
    )
