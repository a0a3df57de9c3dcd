"""Tables beside the record: turns, what labelers are shown, and who may sign in."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Upgrade only: a ledger is never downgraded."""
    op.create_table(
        "turn",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("unit", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("labeler", sa.Text, nullable=True),
        sa.Column("taken", sa.Double, nullable=True),
        sa.Column("until", sa.Double, nullable=True),
        sa.Column("told", sa.Double, nullable=True),
        sa.Column("seconds", sa.Double, nullable=True),
    )
    op.create_index("turn_waiting", "turn", ["study", "told", "position"])
    op.create_index("turn_of_labeler", "turn", ["study", "labeler"])
    op.create_table(
        "content",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("unit", sa.Text, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table("sheet", sa.Column("study", sa.Text, primary_key=True), sa.Column("body", sa.Text, nullable=False))
    op.create_table(
        "person",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("is_owner", sa.Boolean, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
    )
    op.create_table(
        "member",
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
    )
    op.create_table(
        "secret",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("until", sa.Double, nullable=True),
    )
    op.create_index("secret_of_person", "secret", ["person"])
