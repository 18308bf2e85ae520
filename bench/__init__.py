"""Regretless beside its peers: what a suggestion costs (`make bench`) and what it is worth (`make bench-regret`)."""
