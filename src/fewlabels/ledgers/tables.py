"""The ledger's tables as SQLAlchemy sees them; migrations/ holds their history.

`entry` is the record. No number depends on the others, which are stored beside it: turns and what labelers are shown while they work (can
be deleted), and who may sign in to the workbench.
"""

import sqlalchemy as sa

METADATA = sa.MetaData()
HEAD = "0004"  # the newest migration; a test compares it with migrations/versions

# Entries of kinds that do not come with every label; spelled out, as a database uses the index only for the same words.
NOTABLE = sa.text("kind NOT IN ('answer', 'correction', 'batch')")

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
    sa.Index("entry_sealed", "study", "serial", "hash"),  # a seal reads all hashes, and nothing else of an entry
    sa.Index("entry_notable", "study", "serial", sqlite_where=NOTABLE, postgresql_where=NOTABLE),
)

# One look that one labeler has, or is to have, at one unit. Times are seconds since 1970; nobody holds it if `labeler` is null.
TURN = sa.Table(
    "turn",
    METADATA,
    sa.Column("study", sa.Text, primary_key=True),
    sa.Column("unit", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False),  # label, double, again, check, adjudication
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("labeler", sa.Text, nullable=True),
    sa.Column("taken", sa.Double, nullable=True),
    sa.Column("until", sa.Double, nullable=True),
    sa.Column("told", sa.Double, nullable=True),
    sa.Column("seconds", sa.Double, nullable=True),
    sa.Index("turn_waiting", "study", "told", "position"),
    sa.Index("turn_of_labeler", "study", "labeler", "told"),
    sa.Index("turn_position", "study", "position"),
)

# What labelers are shown of a unit, and the labeling form.
CONTENT = sa.Table(
    "content",
    METADATA,
    sa.Column("study", sa.Text, primary_key=True),
    sa.Column("unit", sa.Text, primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
)
SHEET = sa.Table("sheet", METADATA, sa.Column("study", sa.Text, primary_key=True), sa.Column("body", sa.Text, nullable=False))

# The value that decides who may take the turns of a unit; units without one are for anybody.
ROUTE = sa.Table(
    "route",
    METADATA,
    sa.Column("study", sa.Text, primary_key=True),
    sa.Column("unit", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

# What a labeler wrote about a unit; deleted with the contents.
NOTE = sa.Table(
    "note",
    METADATA,
    sa.Column("study", sa.Text, primary_key=True),
    sa.Column("unit", sa.Text, primary_key=True),
    sa.Column("labeler", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),  # comment; left out: why
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)

# How the workbench lists a study: who created it there, and since when it is archived.
LISTING = sa.Table(
    "listing",
    METADATA,
    sa.Column("study", sa.Text, primary_key=True),
    sa.Column("owner", sa.Text, nullable=True),
    sa.Column("archived", sa.Double, nullable=True),
)

# The state of a study as of one of its entries, in parts: a cache.
SNAPSHOT = sa.Table(
    "snapshot",
    METADATA,
    sa.Column("study", sa.Text, primary_key=True),
    sa.Column("part", sa.Text, primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

# Who may sign in: people, their roles in studies, and the hashes of their links, sessions and tokens.
PERSON = sa.Table(
    "person",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("is_owner", sa.Boolean, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)
SEEN = sa.Table(  # when a person last made a request, to some minutes
    "seen",
    METADATA,
    sa.Column("person", sa.Text, primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
)
BELONGS = sa.Table(
    "belongs",
    METADATA,
    sa.Column("person", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),  # of the group
)
MEMBER = sa.Table(
    "member",
    METADATA,
    sa.Column("person", sa.Text, primary_key=True),
    sa.Column("study", sa.Text, primary_key=True),
    sa.Column("role", sa.Text, nullable=False),  # labeler, adjudicator, viewer
)
SECRET = sa.Table(
    "secret",
    METADATA,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),  # link, session, token
    sa.Column("person", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("until", sa.Double, nullable=True),
    sa.Index("secret_of_person", "person"),
)
