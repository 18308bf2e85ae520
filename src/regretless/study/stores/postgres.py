"""PostgreSQL: connections and locks."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import sqlalchemy as sa

from regretless.errors import MissingExtra

__all__ = ["Postgres"]

#: Kept apart from locks of other programs in the same database.
_LOCKS = 0x52454752
#: Values are on disk when a commit returns; no wait and no lock lasts forever.
_OPTIONS = (
    "-c synchronous_commit=on -c lock_timeout=20s -c statement_timeout=60s -c idle_in_transaction_session_timeout=20s"
)

_READ_ONLY = " -c default_transaction_read_only=on"


class Postgres:
    """One database on a server. Writers of one study queue for its row; other studies are not blocked."""

    exists = True
    has_locks = True

    def __init__(self, url: sa.URL, *, read_only: bool = False) -> None:
        try:
            import psycopg  # noqa: F401
        except ImportError as error:
            raise MissingExtra(
                "PostgreSQL needs psycopg. Install it with: pip install 'regretless[postgres]'."
            ) from error
        self.where = url.render_as_string(hide_password=True)
        self.engine = sa.create_engine(
            url.set(drivername="postgresql+psycopg"),
            connect_args={"connect_timeout": 10, "options": _OPTIONS + read_only * _READ_ONLY},
            pool_size=2,  # one for the turn of asking, one for everything else
            max_overflow=-1,
            pool_use_lifo=True,
        )
        self._autocommit = self.engine.execution_options(isolation_level="AUTOCOMMIT")

    def reading(self) -> AbstractContextManager[sa.Connection]:
        """A connection to read from."""
        return self._autocommit.connect()

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction; committed at the end, undone by an error."""
        with self.engine.begin() as connection:
            yield connection

    def lock_schema(self, connection: sa.Connection) -> None:
        """Lock the tables while they are created or upgraded, until the end of the transaction."""
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:group, 0)"), {"group": _LOCKS})

    def lock_study(self, connection: sa.Connection, study: int) -> None:
        """Lock a study for writing, until the end of the transaction."""
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:group, :study)"), {"group": _LOCKS, "study": study})

    @contextmanager
    def turn(self, study: int) -> Iterator[None]:
        """One asker at a time, by a lock that the server releases when its connection is lost."""
        key = {"group": _LOCKS + 1, "study": study}
        with self._autocommit.connect() as connection:
            try:
                connection.execute(sa.text("SELECT pg_advisory_lock(:group, :study)"), key)
            except sa.exc.DBAPIError:
                connection.invalidate()  # go ahead without it: an outdated suggestion is not stored
                yield
                return
            try:
                yield
            finally:
                _let_go(connection, key)

    def now(self) -> float:
        """The server's clock."""
        with self._autocommit.connect() as connection:
            return float(connection.execute(sa.text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())

    def check(self, connection: sa.Connection) -> None:
        """Nothing to check: the server looks after its own files."""


def _let_go(connection: sa.Connection, key: dict[str, Any]) -> None:
    try:
        connection.execute(sa.text("SELECT pg_advisory_unlock(:group, :study)"), key)
    except sa.exc.DBAPIError:
        connection.invalidate()  # the lock went with the connection
