"""Alembic's entry: upgrades the database of the connection it is handed. Run through `fewlabels.ledgers.schema.upgrade`."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
