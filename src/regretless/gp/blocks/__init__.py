"""Tables of up to hundreds of millions of rows: exact argmax without the n x N matrix."""

from regretless.gp.blocks.bounds import GRID, Envelopes
from regretless.gp.blocks.law import Law, Monotone, exact_moments
from regretless.gp.blocks.moments import BLOCK
from regretless.gp.blocks.posterior import BlockPosterior, Found, block_posterior

__all__ = [
    "BLOCK",
    "GRID",
    "BlockPosterior",
    "Envelopes",
    "Found",
    "Law",
    "Monotone",
    "block_posterior",
    "exact_moments",
]
