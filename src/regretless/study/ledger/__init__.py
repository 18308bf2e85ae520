"""The state that the events of a study add up to, kept in step with their journal."""

from regretless.study.ledger.leases import Clock, Lease, Reading
from regretless.study.ledger.ledger import Ledger, Mark, Values
from regretless.study.ledger.recorder import Recorder

__all__ = ["Clock", "Lease", "Ledger", "Mark", "Reading", "Recorder", "Values"]
