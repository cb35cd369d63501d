"""Alembic's entry: the connection comes from the store, nothing is read from a file."""

from alembic import context

from labkit.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
