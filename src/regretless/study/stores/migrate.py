"""Upgrading the tables of a database."""

from pathlib import Path

import sqlalchemy as sa

from regretless.errors import StoreTooNew
from regretless.study.stores.schema import REVISION, VERSION_TABLE

__all__ = ["revision_of", "upgrade"]

_SCRIPTS = Path(__file__).parent / "migrations"


def revision_of(connection: sa.Connection, where: str) -> int | None:
    """The last migration a database has seen, None for none at all; one from the future is refused."""
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    if found is None:
        return None
    if not str(found).isdecimal() or int(found) > REVISION:
        raise StoreTooNew(
            f"{where} has schema {found}, made by a newer version of regretless; this one knows {REVISION}. "
            "Upgrade regretless. Nothing was changed."
        )
    return int(found)


def upgrade(connection: sa.Connection, revision: int | None = None) -> None:
    """Run the migrations that are missing, up to one or to the newest, within the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head" if revision is None else str(revision))
