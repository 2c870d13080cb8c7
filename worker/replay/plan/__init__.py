"""Which trial comes next, when enough is known, and what may then be said: pure rules."""
