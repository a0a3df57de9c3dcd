"""What the workbench keeps beside the record: groups of people, routes of turns, notes about units, and how studies are listed."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Upgrade only: a ledger is never downgraded."""
    op.create_table(
        "route",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("unit", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "seen",
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
    )
    op.create_table(
        "belongs",
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
    )
    op.create_table(
        "note",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("unit", sa.Text, primary_key=True),
        sa.Column("labeler", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
    )
    op.create_table(
        "listing",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("owner", sa.Text, nullable=True),
        sa.Column("archived", sa.Double, nullable=True),
    )
