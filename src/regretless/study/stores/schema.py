"""The tables after the newest migration.

Rows are added and never changed. Text columns named ``spec`` and ``data`` hold JSON as plain text, not in a database's
own JSON type: those may reorder keys, round numbers or refuse characters.
"""

import sqlalchemy as sa

__all__ = ["REVISION", "VERSION_TABLE", "events", "metadata", "studies"]

#: The newest migration. Numbers count up, so that a larger one is known to be newer.
REVISION = 1

VERSION_TABLE = "regretless_version"

metadata = sa.MetaData()

studies = sa.Table(
    "regretless_studies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("time", sa.Double, nullable=False),
    sa.Column("author", sa.Text, nullable=False),
    sa.Column("spec", sa.Text, nullable=False),
    sa.Column("digest", sa.String(32), nullable=False),
)

events = sa.Table(
    "regretless_events",
    metadata,
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
