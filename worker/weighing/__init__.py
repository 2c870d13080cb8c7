"""Gathering, for one failure, everything that a verdict rests on."""
