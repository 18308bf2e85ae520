"""Run by Alembic with a connection that is already inside a transaction: all migrations are done, or none."""

from alembic import context

from regretless.study.stores.schema import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
