"""Snapshots of the state of a study, kept beside the record, which can be deleted at any time; indexes for many labels."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Upgrade only: a ledger is never downgraded."""
    op.create_table(
        "snapshot",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    notable = sa.text("kind NOT IN ('answer', 'correction', 'batch')")
    op.create_index("entry_sealed", "entry", ["study", "serial", "hash"])
    op.create_index("entry_notable", "entry", ["study", "serial"], sqlite_where=notable, postgresql_where=notable)
    op.drop_index("turn_of_labeler", "turn")
    op.create_index("turn_of_labeler", "turn", ["study", "labeler", "told"])
    op.create_index("turn_position", "turn", ["study", "position"])
