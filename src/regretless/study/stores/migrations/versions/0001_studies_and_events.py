"""Studies and their events."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From nothing."""
    op.create_table(
        "regretless_studies",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("time", sa.Double, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("spec", sa.Text, nullable=False),
        sa.Column("digest", sa.String(32), nullable=False),
    )
    op.create_table(
        "regretless_events",
        sa.Column("study", sa.Integer, sa.ForeignKey("regretless_studies.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("time", sa.Double, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("number", sa.Integer),
        sa.Column("value", sa.Double),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("digest", sa.String(32), nullable=False),
    )
