"""Faults of ours in a test's ranks: which can be reached, and what the test then says, takes and leaves."""
