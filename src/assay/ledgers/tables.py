"""The ledger's tables as SQLAlchemy sees them; migrations/ holds how they came to be."""

import sqlalchemy as sa

METADATA = sa.MetaData()
HEAD = "0001"  # the newest migration; a test holds it against migrations/versions

ENTRY = sa.Table(
    "entry",
    METADATA,
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
