"""Alembic's entry: the connection comes from the store, nothing is read from a file."""

from alembic import context

from labkit.store.schema import metadata

# there only while Alembic runs this file
settings = getattr(context, "config", None)
if settings is not None:
    context.configure(
        connection=settings.attributes["connection"],
        target_metadata=metadata,
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()
