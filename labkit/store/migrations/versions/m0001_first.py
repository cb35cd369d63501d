"""The first schema: studies, items, assignments, decisions, exports."""

from alembic import op

from labkit.store import schema

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make every table and trigger."""
    schema.metadata.create_all(op.get_bind())
    schema.create_triggers(op.get_bind())


def downgrade() -> None:
    """Refuse: going back would lose decisions."""
    raise NotImplementedError
