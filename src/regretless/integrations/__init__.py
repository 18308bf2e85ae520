"""Regretless inside other tools: one foreign package per module, none of them imported before it is used."""
