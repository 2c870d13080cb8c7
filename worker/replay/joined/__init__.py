"""Joins what was seen from outside with what the journals say, into the facts of one trial."""
